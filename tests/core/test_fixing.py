"""A fix on the launch form."""

from __future__ import annotations

import pytest

from core.engine.change import Change
from core.planning.choices import Choices
from core.planning.fixing import fixed_choices

BEFORE = Choices(
    context=8192,
    enforce_eager=False,
    max_num_batched_tokens=2048,
    offload_gib=4.0,
    extra_args=("--swap-space", "4", "--x"),
)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (Change(context=1152), {"context": 1152}),
        (Change(enforce_eager=True), {"enforce_eager": True}),
        (Change(cpu_kv_cache_gib=5), {"cpu_kv_cache_gib": 5}),
        (Change(max_num_seqs=4, kv_cache_dtype="fp8"), {"max_num_seqs": 4, "kv_cache_dtype": "fp8"}),
        (Change(offload_gib=0.0, drop=("--cpu-offload-gb",)), {"offload_gib": 0.0}),
        (Change(drop=("--swap-space",)), {"extra_args": ("--x",)}),
        (Change(add=("--trust-remote-code",)), {"extra_args": ("--swap-space", "4", "--x", "--trust-remote-code")}),
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
        Change(env=(("A", "1"),)),
        Change(context=1152, env=(("A", "1"),)),
        Change(utilization=0.8),
    ],
)
def test_what_it_has_no_place_for(change: Change) -> None:
    assert fixed_choices(change, BEFORE) is None
