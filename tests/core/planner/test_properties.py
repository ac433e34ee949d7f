"""What must hold for any config, any options, any card."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.checkpoint.architecture import read_checkpoint
from core.checkpoint.families.registry import FAMILIES
from core.checkpoint.tensors import Part
from core.errors import AppError
from core.planner.levers import levers
from core.planner.options import GIB
from core.planner.plan import make_plan
from core.planner.report import report
from core.planner.solver import Wishes, solve
from tests.support.plans import DATA, answers, config, numbers, plan, published, request

ARCHITECTURES = answers("vllm_architectures")["rows"]
NAMES = sorted(path.stem for path in (DATA / "configs").glob("*.json"))
BUILT = [row["config"] for row in answers("vllm_kv_truth_8k")["rows"] if "error" not in row]
FEW = [
    "Qwen__Qwen3-8B",
    "google__gemma-3-27b-it",
    "google__gemma-4-E4B-it",
    "Qwen__Qwen3.5-9B",
    "openai__gpt-oss-20b",
    "deepseek-ai__DeepSeek-V2-Lite",
    "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4",
    "Qwen__Qwen3.8-Flash-Next",
]
TOWERS_FIRST = "Qwen3VLMoeForConditionalGeneration"
SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
QUIET = settings(max_examples=80, deadline=None, suppress_health_check=SLOW_IS_FINE)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.integers(0, 5000),
    st.floats(),
    st.text(max_size=6),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
)


def check(values: object) -> None:
    """A config is either read and planned without NaN or negative sizes, or refused with a typed error."""
    if not isinstance(values, dict):
        with pytest.raises(AppError, match=r"model\.not_a_checkpoint"):
            read_checkpoint(values)
        return
    checkpoint = read_checkpoint(values)
    made = make_plan(checkpoint, request(context=4096, offload_gib=1))
    shown = report(checkpoint, made, levers=levers(checkpoint, request(context=4096), made))
    json.dumps(shown, allow_nan=False)
    assert all(number >= 0 for number in numbers(shown) if number is not None)
    if not checkpoint.known:
        assert checkpoint.reasons


@QUIET
@given(anything)
def test_any_json_as_a_config(values: object) -> None:
    check(values)


@QUIET
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.dictionaries(
        st.sampled_from(
            sorted(
                {
                    "hidden_size",
                    "num_hidden_layers",
                    "num_attention_heads",
                    "head_dim",
                    "vocab_size",
                    "intermediate_size",
                    "layer_types",
                    "num_key_value_heads",
                    "rope_parameters",
                    "quantization_config",
                    "text_config",
                    "vision_config",
                    "n_routed_experts",
                }
            )
        ),
        anything,
    ),
)
def test_any_values_for_a_known_architecture(architecture: str, values: dict[str, Any]) -> None:
    check({"architectures": [architecture], "model_type": "llama", **values})


def paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(found) < 400:
                found += paths(inner, (*path, key))
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW_IS_FINE)
@given(st.sampled_from((*NAMES, *range(len(ARCHITECTURES)))), st.data())
def test_a_good_config_with_fields_missing_or_wrong(which: str | int, data: st.DataObject) -> None:
    values = config(which) if isinstance(which, str) else deepcopy(ARCHITECTURES[which]["config"])
    places = paths(values)
    for place in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        holder: Any = values
        for key in place[:-1]:
            holder = holder.get(key, {}) if isinstance(holder, dict) else {}
        if not isinstance(holder, dict) or place[-1] not in holder:
            continue
        if data.draw(st.booleans()):
            del holder[place[-1]]
        else:
            holder[place[-1]] = data.draw(anything)
    check(values)


def test_what_no_token_reads_may_be_offloaded() -> None:
    """Found by the test above: the towers alone are more than a token reads."""
    found = next(one["config"] for one in ARCHITECTURES if one["config"]["architectures"] == [TOWERS_FIRST])
    check({key: value for key, value in found.items() if key != "dtype"})


@pytest.mark.parametrize("name", BUILT)
def test_more_context_never_needs_less(name: str) -> None:
    checkpoint = published(name)
    contexts = (1, 100, 1000, 2048, 8192, 8193, 32768, 131072)
    sizes = [plan(checkpoint, context=min(c, checkpoint.context.tokens)).kv.bytes_one_request for c in contexts]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("name", BUILT)
def test_offload_never_raises_vram(name: str) -> None:
    checkpoint = published(name)
    before = plan(checkpoint, context=2048).vram
    assert before is not None
    for gib in (0.5, 2.0, 8.0, 1000.0):
        after = plan(checkpoint, context=2048, offload_gib=gib)
        assert after.vram is not None
        assert after.vram.likely_bytes <= before.likely_bytes
        assert after.offload.pinned_bytes >= after.offload.offloaded_bytes
        assert after.offload.clipped is (gib * GIB > after.offload.ceiling_bytes)
        before = after.vram


@pytest.mark.parametrize("name", BUILT)
def test_tensor_parallel_never_raises_weights_or_cache_per_card(name: str) -> None:
    checkpoint = published(name)
    one = plan(checkpoint, context=2048)
    for ranks in (2, 4):
        split = plan(checkpoint, context=2048, tensor_parallel=ranks)
        if split.refused:
            continue
        assert split.weights.bytes < one.weights.bytes
        assert split.kv.bytes_one_request <= one.kv.bytes_one_request


@pytest.mark.parametrize("name", FEW)
def test_text_only_drops_the_towers_and_nothing_else(name: str) -> None:
    checkpoint = published(name)
    whole, text = plan(checkpoint), plan(checkpoint, language_model_only=True)
    assert whole.weights.bytes - text.weights.bytes == whole.weights.by_part[Part.TOWERS]


@pytest.mark.parametrize("name", FEW)
def test_the_solver_is_deterministic_and_keeps_the_context(name: str) -> None:
    checkpoint = published(name)
    for wishes in (Wishes(), Wishes(context=32768), Wishes(context=32768, reserve_bytes=2 * GIB, vision=False)):
        first, second = (solve(checkpoint, request(vram_gib=16), wishes) for _ in range(2))
        assert [s.plan.command for s in first] == [s.plan.command for s in second]
        assert 1 <= len(first) <= 3
        assert all(s.plan.resolved.context >= (wishes.context or 0) for s in first)
