"""How far off other calculators are on the published configs, beside this one and vLLM's own numbers.

Peers: the functions of `hf-mem` and `kvfit` (`pip install hf-mem kvfit` where this runs; they are no dependency), and
parameters times dtype, as `accelerate estimate-memory` counts. Against `tests/data/vllm_kv_truth_8k.json`: KV cache of
one request at 8k, and weights. Writes `artefacts/bench/peers.json` and prints a table.
"""

from __future__ import annotations

import importlib
import json
import statistics
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.checkpoint.quantization.declared import Quantization
from core.checkpoint.quantization.scheme import ITEM_BYTES
from core.checkpoint.tensors import Builder
from tests.support.plans import answers, config, plan, published

BUILT = [row for row in answers("vllm_kv_truth_8k")["rows"] if "error" not in row]
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "peers.json"


def hf_mem_kv(values: dict[str, Any], context: int) -> float:
    """As `hf_mem.run` prepares the config: the nested language model with the outer dtype and quantization."""
    cache = importlib.import_module("hf_mem.safetensors.kv_cache")
    text = dict(values.get("text_config") or values)
    for key in ("dtype", "torch_dtype", "quantization_config"):
        if key in values:
            text.setdefault(key, values[key])
    dtype = cache.resolve_kv_cache_dtype(config=text, kv_cache_dtype="auto", metadata=None, model_id="")
    return cache.compute_safetensors_kv_cache_size(config=text, cache_dtype=dtype, max_model_len=context)


def kvfit_kv(values: dict[str, Any], context: int) -> float:
    made = importlib.import_module("kvfit.architectures").estimate_cache(values, context_tokens=context)
    return sum(part.bytes for part in made.components)


def parameters_times_dtype(name: str) -> float:
    checkpoint = published(name)
    plain = replace(checkpoint, quantization=Quantization(""))
    builder = Builder(plain.dtype(), plain.quantization, 1)
    plain.family.tensors(plain.config, builder)
    return sum(tensor.elements for tensor in builder.tensors) * ITEM_BYTES[plain.dtype()]


def errors(said: Callable[[dict[str, Any]], float], truth: str) -> dict[str, float | None]:
    """By config: how far off in percent, None where the peer gives no answer."""
    found: dict[str, float | None] = {}
    for row in BUILT:
        right = row[truth]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[row["config"]] = (said(row) - right) / right * 100
        except Exception:
            found[row["config"]] = None
    return found


@pytest.mark.bench
def test_against_peers() -> None:
    for peer in ("hf_mem", "kvfit"):
        pytest.importorskip(peer)
    kv = "kv_bytes_one_request"
    columns = {
        "KV, ours": errors(
            lambda row: plan(published(row["config"]), context=row["max_model_len"]).kv.bytes_one_request, kv
        ),
        "KV, hf-mem": errors(lambda row: hf_mem_kv(config(row["config"]), row["max_model_len"]), kv),
        "KV, kvfit": errors(lambda row: kvfit_kv(config(row["config"]), row["max_model_len"]), kv),
        "weights, ours": errors(lambda row: plan(published(row["config"])).weights.bytes, "weight_bytes"),
        "weights, parameters x dtype": errors(lambda row: parameters_times_dtype(row["config"]), "weight_bytes"),
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(columns, indent=1), encoding="utf-8")
    for name, column in columns.items():
        known = [abs(value) for value in column.values() if value is not None]
        equal = sum(value == 0 for value in known)
        spread = f"median {statistics.median(known):.1f} %, worst {max(known):.0f} %"
        print(f"{name}: {equal} of {len(column)} equal, {spread}, no answer for {len(column) - len(known)}")
    ours = [value for name, column in columns.items() if "ours" in name for value in column.values()]
    assert set(ours) == {0.0}
