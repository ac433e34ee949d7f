"""A fix on the launch form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.engine.change import Change
from core.engine.options import LaunchOptions, PromptCache
from core.planning.choices import Choices
from core.planning.fixing import fixed_choices

BEFORE = Choices(
    context=8192,
    enforce_eager=False,
    max_num_batched_tokens=2048,
    offload_gib=4.0,
    more=LaunchOptions(
        dtype="float16",
        prompt_cache=PromptCache(ram_gib=8.0),
        kv_cache_bytes=1 << 30,
        extra=("--swap-space", "4", "--x"),
    ),
)
MORE = BEFORE.more


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (Change(context=1152), {"context": 1152}),
        (Change(enforce_eager=True), {"enforce_eager": True}),
        (Change(cpu_kv_cache_gib=5), {"cpu_kv_cache_gib": 5}),
        (Change(max_num_seqs=4, kv_cache_dtype="fp8"), {"max_num_seqs": 4, "kv_cache_dtype": "fp8"}),
        (Change(offload_gib=0.0, drop=("--cpu-offload-gb",)), {"offload_gib": 0.0}),
        (Change(cpu_kv_cache_gib=5), {"more": replace(MORE, kv_cache_bytes=None)}),
        (Change(drop=("--swap-space",)), {"more": replace(MORE, prompt_cache=PromptCache(), extra=("--x",))}),
        (Change(drop=("--kv-offloading-size",)), {"more": replace(MORE, prompt_cache=PromptCache())}),
        (Change(dtype="bfloat16"), {"more": replace(MORE, dtype="bfloat16")}),
        (Change(add=("--y",)), {"more": replace(MORE, extra=("--swap-space", "4", "--x", "--y"))}),
        (Change(env=(("A", "1"),)), {"more": replace(MORE, env=(("A", "1"),))}),
        (Change(own_batch=True, drop=("--max-num-batched-tokens",)), {"max_num_batched_tokens": None}),
    ],
)
def test_what_the_form_has_a_place_for(change: Change, after: dict[str, object]) -> None:
    found = fixed_choices(change, BEFORE)
    assert found is not None
    assert {name: getattr(found, name) for name in after} == after
    untouched = {"context", "enforce_eager", "max_num_batched_tokens", "offload_gib"} - set(after)
    assert all(getattr(found, name) == getattr(BEFORE, name) for name in untouched)


@pytest.mark.parametrize(
    "change",
    [
        Change(utilization=0.8),
        Change(context=1152, any_port=True),
    ],
)
def test_what_it_has_no_place_for(change: Change) -> None:
    assert fixed_choices(change, BEFORE) is None
