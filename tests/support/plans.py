"""Configs, vLLM's own answers and requests for the tests of the planner."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.planner.options import GIB, Engine, Gpu, Hardware, Options, Request
from core.planner.plan import Plan, make_plan

DATA = Path(__file__).resolve().parent.parent / "data"


@cache
def answers(name: str) -> dict[str, Any]:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def config(name: str) -> dict[str, Any]:
    return json.loads((DATA / "configs" / f"{name}.json").read_text(encoding="utf-8"))


@cache
def published(name: str) -> Checkpoint:
    """A checkpoint known by its config.json (and ModelOpt's file beside it) alone."""
    beside = DATA / "configs" / "sidecar" / f"{name}.hf_quant_config.json"
    quant_file = json.loads(beside.read_text(encoding="utf-8")) if beside.exists() else None
    return read_checkpoint(config(name), quant_file=quant_file)


def request(
    *,
    version: tuple[int, ...] = (0, 32, 0),
    platform: str = "cuda",
    vram_gib: float = 24,
    capability: Sequence[int] = (8, 9),
    avail: int | None = None,
    **options: Any,
) -> Request:
    """A card without a screen, an engine and options; `avail` fixes the KV budget in bytes."""
    gpu = Gpu(total_bytes=int(vram_gib * GIB), capability=(capability[0], capability[1]), bandwidth=900e9, link=25e9)
    hardware = Hardware((gpu,), 64 * GIB, 56 * GIB, 60e9, 500 * GIB)
    return Request(Options(kv_cache_bytes=avail, **options), Engine(version, platform), hardware)


def plan(checkpoint: Checkpoint, **options: Any) -> Plan:
    return make_plan(checkpoint, request(**options))


def refusal_numbers(text: str | None) -> dict[str, float | int | None] | None:
    """Needed and available GiB and the estimated maximum length, as vLLM prints them."""
    if text is None:
        return None
    sizes = re.search(r"\(([\d.]+) GiB KV.*?memory \(([\d.]+) GiB\)", text, re.DOTALL)
    length = re.search(r"length is (\d+)", text)
    return {
        "needed_gib": float(sizes[1]) if sizes else None,
        "available_gib": float(sizes[2]) if sizes else None,
        "longest": int(length[1]) if length else 0,
    }


def numbers(value: Any) -> list[float]:
    """All numbers inside plain data."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    if isinstance(value, int | float):
        return [value]
    inner = cast("dict[Any, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
    return [number for item in inner for number in numbers(item)]


def all_finite(value: Any) -> bool:
    return all(math.isfinite(number) for number in numbers(value))
