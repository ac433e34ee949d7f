"""All of a launch request in the spelling of its engine's build."""

from __future__ import annotations

from core.engine.arguments import Sheet
from core.engine.build import Build, guessed
from core.engine.options import LaunchRequest
from core.engine.spelling import basics, extras, prompt_cache, tables, weight_offload, wsl


def build_of(request: LaunchRequest) -> Build:
    return request.build or guessed(request.engine.version, request.engine.platform)


def spell(request: LaunchRequest, *, v0: bool = False) -> Sheet:
    """Without address, port and key, and without `request.extra_args`.

    Args:
        v0: the environment asks an old vLLM (<= 0.10) for its V0 engine (`VLLM_USE_V1=0`).
    """
    build, sheet = build_of(request), Sheet()
    basics.spell(request, build, sheet)
    # What the plan found out itself; the parts below know the build better and have the last word.
    sheet.env |= dict(request.tuning.env)
    weight_offload.spell(request, build, sheet)
    prompt_cache.spell(request, build, sheet, v0=v0)
    tables.spell(request, build, sheet)
    extras.spell(request, build, sheet)
    wsl.spell(request, build, sheet)
    return sheet
