"""Where n-gram and per-layer embedding tables live.

N-gram tables are vLLM's own business: `config/engram.py` (0.30 on; PR 54371), `VLLM_PLE_CPU_OFFLOAD` (0.30 only,
removed by PR 57937). The default of the option differed between versions, so a value is always given; a model without
such tables refuses the option (`EngramConfig requires a model with supported Engram embeddings`).

No release up to 0.33.0 can move a per-layer table; Stowage's plugin can (`core/ple`), through the environment.
"""

from __future__ import annotations

import json
import os
from typing import Final

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.options import LaunchOptions, LaunchRequest, Traits
from core.engine.ple_plugin import CACHE_ENV, LOAD_FORMATS, PLUGIN_FROM, Placement, plugin_env
from core.errors import AppError

FLAG: Final = "--engram-config"
VARIABLE: Final = "VLLM_PLE_CPU_OFFLOAD"
# PR 58815: rows read from the checkpoint's own files. In no release up to 0.33.0.
FROM_FILES: Final = "host_file_gather"


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    tables = request.traits.tables
    if tables == "per_layer":
        _per_layer(request, build, sheet)
    elif tables == "ngram" and not build.cpu:
        _ngram(request, build, sheet)


def in_ram(request: LaunchRequest, build: Build) -> bool:
    """Whether n-gram tables will lie in pinned RAM."""
    ngram = request.traits.tables == "ngram" and build.has(FLAG)
    return ngram and not build.cpu and request.options.ple != "device"


def plugin_place(options: LaunchOptions) -> Placement:
    """Where the plugin is to keep a per-layer table; "gpu": nowhere else than vLLM does."""
    return options.ple if options.ple in ("ram", "disk") else "gpu"


def plugin_obstacle(traits: Traits, build: Build, options: LaunchOptions) -> AppError | None:
    """Why the per-layer table of a model cannot lie where `options` want it; None where it can, or is not to move."""
    place = plugin_place(options)
    if traits.tables != "per_layer" or place == "gpu":
        return None
    if build.version < PLUGIN_FROM:
        return AppError("option.tables_stay", version=build.text)
    if options.load_format not in LOAD_FORMATS:
        return AppError("option.tables_load_format", value=options.load_format)
    return None


def _per_layer(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    place = plugin_place(request.options)
    if place == "gpu":
        return
    error = plugin_obstacle(request.traits, build, request.options)
    if error is not None:
        sheet.note(error.code, **error.facts)
        return
    if place == "disk" and not request.traits.safetensors:
        sheet.note("option.no_tables_on_disk", version=build.text)
        place = "ram"
    if request.plugins:
        env = plugin_env(request.plugins, place)
        # A person may have put something on the import path too, or want another row cache.
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (env["PYTHONPATH"], sheet.env.get("PYTHONPATH"))))
        sheet.env |= {**env, CACHE_ENV: sheet.env.get(CACHE_ENV, env[CACHE_ENV])}


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
