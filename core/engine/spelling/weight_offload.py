"""Weights in RAM: `--cpu-offload-gb` and its relatives.

Sources: vLLM `config/offload.py` (0.17 on), `config/cache.py` (before); issues 51396, 56283; PR 51413.
"""

from __future__ import annotations

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.options import LaunchRequest


def wanted(request: LaunchRequest) -> bool:
    return request.tuning.cpu_offload_gib > 0 or request.options.offload.group_size > 0


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    if not wanted(request):
        return
    if build.cpu:
        sheet.note("option.offload_cpu_build")
    elif request.traits.hybrid and build.does("hybrid_refuses_offload"):
        sheet.note("option.offload_hybrid", version=build.text)
    elif request.wsl and not build.does("offload_backends"):
        sheet.note("option.offload_wsl", version=build.text)
    else:
        _write(request, build, sheet)


def _write(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    shape = request.options.offload
    if shape.group_size > 0 and build.has("--offload-group-size"):
        sheet.add("--offload-group-size", shape.group_size)
        # vLLM refuses more than the group holds, and a step below 1.
        sheet.add("--offload-num-in-group", min(max(1, shape.num_in_group), shape.group_size))
        sheet.add("--offload-prefetch-step", max(1, shape.prefetch_step))
    else:
        if shape.group_size > 0:
            sheet.note("option.no_prefetch_offload", version=build.text)
        if request.tuning.cpu_offload_gib <= 0:
            return
        sheet.add("--cpu-offload-gb", f"{request.tuning.cpu_offload_gib:g}")
        _params(request, build, sheet)
    if build.v2_ignores_offload:
        sheet.env["VLLM_USE_V2_MODEL_RUNNER"] = "0"
        sheet.note("option.older_runner", version=build.text)


def _params(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    """Names as words of their own: joined by commas they would be one name that matches nothing, silently."""
    names = request.options.offload.params
    if not names:
        return
    if build.has("--cpu-offload-params"):
        sheet.add("--cpu-offload-params", *names)
    else:
        sheet.note("option.no_offload_params", version=build.text)
