"""Choices as plain data and back: nothing that was said is lost, and nothing that was written can stop a start."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.options import LaunchOptions, Lora, OffloadShape, PromptCache, Speculative
from core.planning.choices import Choices
from core.profiles.plain import of_plain, to_plain

_texts = st.text(st.characters(codec="utf-8"), max_size=12)
_sizes = st.floats(0, 512, allow_nan=False)
_words = st.lists(_texts, max_size=3).map(tuple)
_more = st.builds(
    LaunchOptions,
    dtype=st.sampled_from(("auto", "half", "bfloat16")),
    quantization=_texts,
    kv_cache_bytes=st.none() | st.integers(1, 1 << 40),
    prefix_caching=st.none() | st.booleans(),
    async_scheduling=st.none() | st.booleans(),
    tensor_parallel=st.integers(1, 8),
    offload=st.builds(OffloadShape, params=_words, group_size=st.integers(0, 16), num_in_group=st.integers(1, 4)),
    prompt_cache=st.builds(PromptCache, ram_gib=_sizes, disk_path=_texts, disk_gib=_sizes, keep=st.booleans()),
    ple=st.sampled_from(("auto", "ram", "device", "disk")),
    loras=st.lists(st.builds(Lora, name=_texts, path=_texts), max_size=2).map(tuple),
    speculative=st.none() | st.builds(Speculative, method=_texts, tokens=st.integers(1, 9), model=_texts),
    multimodal=st.lists(st.tuples(_texts, st.integers(0, 9)), max_size=2).map(tuple),
    seed=st.none() | st.integers(0, 1 << 31),
    env=st.lists(st.tuples(_texts, _texts), max_size=2).map(tuple),
    extra=_words,
)
_choices = st.builds(
    Choices,
    context=st.none() | st.integers(16, 1 << 20),
    enforce_eager=st.booleans(),
    cpu_kv_cache_gib=st.integers(1, 64),
    max_num_seqs=st.none() | st.integers(1, 256),
    offload_gib=_sizes,
    leave_free_gib=st.none() | _sizes,
    more=_more,
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=8,
)
_names = st.sampled_from([each.name for each in (*fields(Choices), *fields(LaunchOptions))])


@given(_choices)
def test_written_and_read_is_the_same(choices: Choices) -> None:
    read = of_plain(json.loads(json.dumps(to_plain(choices))))
    assert (read.choices, read.unknown, read.notes) == (choices, {}, ())


@given(st.dictionaries(_names | _texts, _json, max_size=6) | _json)
def test_whatever_stands_there_it_can_be_read_and_written_again(raw: Any) -> None:
    read = of_plain(raw)
    again = of_plain(json.loads(json.dumps(to_plain(read.choices, read.unknown))))
    assert (again.choices, again.notes) == (read.choices, ())


def test_what_a_later_stowage_wrote_is_kept() -> None:
    raw = {"context": 4096, "sparks": [1], "more": {"seed": 4, "warp": 9, "offload": {"group_size": 2, "hue": "blue"}}}
    read = of_plain(raw)
    assert (read.choices.context, read.choices.more.seed, read.choices.more.offload.group_size) == (4096, 4, 2)
    assert read.notes == ()
    written = to_plain(replace(read.choices, context=8192), read.unknown)
    assert written["context"] == 8192
    assert written["sparks"] == [1]
    assert written["more"]["warp"] == 9
    assert written["more"]["offload"]["hue"] == "blue"


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ({"context": "long"}, "context"),
        ({"context": -4}, "context"),
        ({"context": True}, "context"),
        ({"offload_gib": float("nan")}, "offload_gib"),
        ({"offload_gib": float("inf")}, "offload_gib"),
        ({"more": {"ple": "moon"}}, "more.ple"),
        ({"more": {"loras": [{"name": 1}]}}, "more.loras"),
        ({"more": {"prompt_cache": {"ram_gib": -1}}}, "more.prompt_cache.ram_gib"),
        ({"more": {"tensor_parallel": 0}}, "more.tensor_parallel"),
        ({"more": 3}, "more"),
        ([1], "choices"),
    ],
)
def test_a_bad_value_costs_that_value(raw: Any, key: str) -> None:
    whole = raw | {"max_num_seqs": 3} if isinstance(raw, dict) else raw
    read = of_plain(whole)
    assert [(note.code, note.facts["key"]) for note in read.notes] == [("profiles.bad_value", key)]
    assert read.choices == (Choices(max_num_seqs=3) if isinstance(raw, dict) else Choices())


def test_extra_words_of_earlier_launches_become_checked_ones() -> None:
    read = of_plain({"extra_args": ["--seed", "4"], "more": {"extra": ["--trust-remote-code"]}})
    assert read.choices.more.extra == ("--trust-remote-code", "--seed", "4")
    assert read.unknown == {}
