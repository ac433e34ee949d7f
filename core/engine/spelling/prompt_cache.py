"""The prompt cache in RAM and on disk: KV offload, in the form that the build has.

Sources: vLLM `config/vllm.py` `_post_init_kv_transfer_config`, `v1/kv_offload/tiering` (0.22 on),
`v1/simple_kv_offload/disk_backend.py` (0.28 on, PR 49644); `--swap-space` did something in the V0 engine only.
`--kv-offloading-size` would overwrite the connector of `--kv-transfer-config`: one or the other.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Final

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.options import LaunchRequest, PromptCache

GIB: Final = 1 << 30
# The tier in RAM that a folder on disk needs in front of it, when nothing was said of it.
RAM_BEFORE_DISK_GIB: Final = 4.0


def spell(request: LaunchRequest, build: Build, sheet: Sheet, *, v0: bool) -> None:
    wish = request.options.prompt_cache
    if wish.ram_gib <= 0 and not wish.disk_path:
        return
    if build.cpu:
        sheet.note("option.prompt_cache_cpu_build")
    elif v0 and build.does("v0_engine"):
        _swap(wish, build, sheet)
    elif not build.has("--kv-offloading-size"):
        sheet.note("option.no_prompt_cache", version=build.text)
    elif request.options.prefix_caching is False:
        sheet.note("option.prompt_cache_needs_prefix")
    elif wish.disk_path:
        _disk(wish, build, sheet)
    else:
        _ram(wish, sheet)


def _swap(wish: PromptCache, build: Build, sheet: Sheet) -> None:
    if wish.ram_gib > 0:
        sheet.add("--swap-space", f"{wish.ram_gib:g}")
    if wish.disk_path:
        sheet.note("option.no_prompt_cache_disk", version=build.text)


def _ram(wish: PromptCache, sheet: Sheet) -> None:
    """Both words: without the backend 0.12 ignores the size (its default was None until 0.16)."""
    sheet.add("--kv-offloading-size", f"{wish.ram_gib:g}")
    sheet.add("--kv-offloading-backend", "native")


def _disk(wish: PromptCache, build: Build, sheet: Sheet) -> None:
    if not wish.keep and build.does("kv_backend_disk"):
        if wish.ram_gib > 0:
            # In this mode the capacity is the disk's alone; RAM holds only the buffers.
            sheet.note("option.prompt_cache_disk_alone")
        _transfer(sheet, _capped(wish))
    elif build.does("kv_tier_disk"):
        if not wish.keep:
            sheet.note("option.prompt_cache_no_limit", version=build.text)
        _transfer(sheet, _kept(wish))
    else:
        sheet.note("option.no_prompt_cache_disk", version=build.text)
        if wish.ram_gib > 0:
            _ram(wish, sheet)


def _kept(wish: PromptCache) -> dict[str, object]:
    """Files survive the server; there is no limit and nothing is thrown out."""
    ram = wish.ram_gib if wish.ram_gib > 0 else RAM_BEFORE_DISK_GIB
    return {
        "kv_connector": "OffloadingConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {
            "spec_name": "TieringOffloadingSpec",
            "cpu_bytes_to_use": int(ram * GIB),
            "secondary_tiers": [{"type": "fs", "root_dir": wish.disk_path}],
        },
    }


def _capped(wish: PromptCache) -> dict[str, object]:
    """One file of a fixed size that goes with the server. A read error costs a computation, not the request."""
    extra: dict[str, object] = {
        "kv_offload_backend": "disk",
        "disk_path": str(PurePosixPath(wish.disk_path) / "kv.bin"),
    }
    if wish.disk_gib > 0:
        extra["disk_capacity_bytes"] = int(wish.disk_gib * GIB)
    return {
        "kv_connector": "SimpleCPUOffloadConnector",
        "kv_role": "kv_both",
        "kv_load_failure_policy": "recompute",
        "kv_connector_extra_config": extra,
    }


def _transfer(sheet: Sheet, config: dict[str, object]) -> None:
    sheet.add("--kv-transfer-config", json.dumps(config, separators=(",", ":")))
