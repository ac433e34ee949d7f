"""Pinned memory inside WSL2 (facts by version: vLLM issues 47387, 47292, 50239, 54652; PR 56908)."""

from __future__ import annotations

from core.engine.arguments import Sheet
from core.engine.build import V2_DEFAULT, V2_WITHOUT_UVA, Build
from core.engine.options import LaunchRequest
from core.engine.spelling import tables, weight_offload


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    if not request.wsl or build.cpu or not build.does("offload_backends"):
        return
    offload = weight_offload.wanted(request)
    if build.does("wsl_pinning"):
        # 0.24 to 0.29 stop at start without it whenever the V2 runner is chosen, offload or not.
        if offload or tables.in_ram(request, build) or build.version < V2_WITHOUT_UVA:
            sheet.env["VLLM_WSL2_ENABLE_PIN_MEMORY"] = "1"
        return
    if build.version >= V2_DEFAULT:
        sheet.env["VLLM_USE_V2_MODEL_RUNNER"] = "0"
    if offload:
        # Without pinned memory the offloader falls back to copies, which CUDA graphs cannot hold.
        if not sheet.has("--enforce-eager"):
            sheet.add("--enforce-eager")
        sheet.note("option.offload_wsl_slow", version=build.text)
