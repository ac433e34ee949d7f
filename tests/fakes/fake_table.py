"""What Stowage's plugin for per-layer tables says and counts inside `fake_vllm.py`, asked for by its own variables."""

from __future__ import annotations

import json
import os
import threading

WORKER = "(Worker pid={pid}) {level} 11-30 02:29:51 [{source}] stowage-ple: "
NAME = "model.embed_tokens_per_layer"
ROWS, WIDTH = 262144, 10752
MODES = ("kept", "silent", "given-up", "in-ram")

_lock = threading.Lock()
_counted = {"lookups": 0, "rows": 0, "unique_rows": 0, "hits": 0, "read_bytes": 0, "read_s": 0.0, "lookup_s": 0.0}


def placement(mode: str = "kept") -> str:
    """Where the table lies: "" where nobody asked for it, or the plugin does not do it."""
    asked = os.environ.get("STOWAGE_PLE", "gpu")
    if asked == "gpu" or mode in ("silent", "given-up"):
        return ""
    return "ram" if mode == "in-ram" else asked


def lines(mode: str) -> list[str]:
    info = WORKER.format(pid=os.getpid(), level="INFO", source="table.py:166")
    warning = WORKER.format(pid=os.getpid(), level="WARNING", source="plugin.py:131")
    if os.environ.get("STOWAGE_PLE", "gpu") == "gpu" or mode == "silent":
        return []
    if mode == "given-up":
        return [f"{warning}inactive for {NAME}: GGUF keeps the table quantized"]
    place = placement(mode)
    more = "cache=256 MiB, file=model.safetensors" if place == "disk" else "pinned=True"
    kept = f"{info}{NAME}, {ROWS} x {WIDTH}, 5.25 GiB kept off the device: placement={place}, {more}"
    why = f"{warning}the table cannot be read in place (no safetensors files); it goes into RAM instead"
    return [why, kept] if mode == "in-ram" else [kept]


def look_up(tokens: int, mode: str) -> None:
    """Every other row is in the cache."""
    folder = os.environ.get("STOWAGE_PLE_STATS")
    if not folder or not placement(mode):
        return
    with _lock:
        _counted["lookups"] += 1
        _counted["rows"] += tokens
        _counted["unique_rows"] += 2
        _counted["hits"] += 1
        _counted["read_bytes"] += 2 * WIDTH
        _counted["read_s"] += 0.0001
        _counted["lookup_s"] += 0.0002
        file = os.path.join(folder, f"ple-{os.getpid()}-0.json")
        with open(f"{file}.tmp", "w", encoding="ascii") as half:
            json.dump(_counted, half)
        os.replace(f"{file}.tmp", file)
