"""Where n-gram and per-layer embedding tables live.

Sources: vLLM `config/engram.py` (0.30 on; PR 54371), `VLLM_PLE_CPU_OFFLOAD` (0.30 only, removed by PR 57937). The
default of the option differed between versions, so a value is always given; a model without such tables refuses the
option (`EngramConfig requires a model with supported Engram embeddings`).
"""

from __future__ import annotations

import json
from typing import Final

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.options import LaunchRequest

FLAG: Final = "--engram-config"
VARIABLE: Final = "VLLM_PLE_CPU_OFFLOAD"
# PR 58815: rows read from the checkpoint's own files. In no release up to 0.33.0.
FROM_FILES: Final = "host_file_gather"


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    tables, place = request.traits.tables, request.options.ple
    if tables == "per_layer":
        if place not in ("auto", "device"):
            sheet.note("option.tables_stay", version=build.text)
    elif tables == "ngram" and not build.cpu:
        _ngram(request, build, sheet)


def in_ram(request: LaunchRequest, build: Build) -> bool:
    """Whether n-gram tables will lie in pinned RAM."""
    ngram = request.traits.tables == "ngram" and build.has(FLAG)
    return ngram and not build.cpu and request.options.ple != "device"


def _ngram(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    place = request.options.ple
    if not build.has(FLAG):
        if place != "device":
            sheet.note("option.no_table_control", version=build.text)
        return
    if place == "disk" and build.has_field(FLAG, FROM_FILES):
        sheet.add(FLAG, json.dumps({FROM_FILES: True}))
        return
    if place == "disk":
        sheet.note("option.no_tables_on_disk", version=build.text)
    offload = place != "device"
    sheet.add(FLAG, json.dumps({"cpu_offload": offload}))
    if build.reads(VARIABLE):
        sheet.env[VARIABLE] = "1" if offload else "0"
