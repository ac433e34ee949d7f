"""The plan of a checkpoint against what a real server of the CPU build says of it in its log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.checkpoint.load import load_checkpoint
from core.checkpoint.tensors import Part
from core.events import EngineInfo
from core.planner.amounts import Certainty
from core.planner.options import GIB
from core.planner.plan import make_plan
from tests.support.plans import request

CONTEXT = 1024


def assert_as_planned(engine: EngineInfo, model: Path, log: str) -> None:
    """`log` of an eager start with `CONTEXT` tokens and vLLM's usual KV cache of 1 GiB."""
    version = tuple(int(part) for part in engine.version.split("."))
    plan = make_plan(
        load_checkpoint(model), request(version=version, platform="cpu", avail=GIB, context=CONTEXT, enforce_eager=True)
    )
    tokens = re.search(r"KV cache size: ([\d,]+) tokens", log)
    assert tokens is not None, log
    assert plan.kv.capacity_tokens == int(tokens[1].replace(",", ""))
    concurrency = re.search(r"Maximum concurrency for 1,024 tokens per request: ([\d.]+)x", log)
    assert concurrency is not None, log
    assert f"{plan.kv.concurrency:.2f}" == concurrency[1]
    on_disk = re.search(r"Checkpoint size: ([\d.]+) GiB", log)
    assert on_disk is not None, log
    loaded = sum(file.stat().st_size for file in model.glob("*.safetensors"))
    assert f"{loaded / GIB:.2f}" == on_disk[1]
    # What vLLM makes by itself (rope caches, scale factors) is not in the file; a safetensors header is not in memory.
    own = plan.weights.by_part[Part.BUFFERS]
    assert plan.weights.bytes - own == pytest.approx(loaded, rel=0.001)
    assert plan.weights.amount.certainty is Certainty.EXACT
