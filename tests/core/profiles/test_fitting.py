"""Saved choices on another build: every flag that died becomes something else or goes, and a person is told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.engine.extra_args import check_extra
from core.engine.found.myths import FLAGS, VARIABLES
from core.engine.options import LaunchOptions
from core.planning.choices import Choices
from core.planning.found_choices import explained
from core.profiles.fitting import fitted
from tests.support.builds import CPU, VERSIONS, capabilities

NEW = capabilities("0.33.0")


def saved(*words: str, **more: Any) -> Choices:
    return Choices(context=4096, more=LaunchOptions(seed=7, extra=words, **more))


@pytest.mark.parametrize("flag", FLAGS)
def test_no_dead_flag_survives(flag: str) -> None:
    value = "0.8" if FLAGS[flag].means == "utilization" else "16"
    fits = fitted(saved("--trust-remote-code", flag, value), NEW)
    assert fits.choices.more.extra == ("--trust-remote-code",)
    (remark,) = fits.remarks
    assert remark.flag == flag
    for language in ("en", "ru"):
        assert len(explained(remark, language)) > 10
    got = {
        "context": fits.choices.context == 16,
        "offload": fits.choices.offload_gib == 16,
        "swap": fits.choices.more.prompt_cache.ram_gib == 16,
        "seqs": fits.choices.max_num_seqs == 16,
        "ram_tables": fits.choices.more.ple == "ram",
        "disk_tables": fits.choices.more.ple == "disk",
    }
    means = FLAGS[flag].means
    assert [name for name, is_so in got.items() if is_so] == [means] * (means in got)
    assert fits.choices.more.seed == 7


@pytest.mark.parametrize("name", VARIABLES)
def test_no_dead_variable_survives(name: str) -> None:
    build = capabilities("0.33.0")
    fits = fitted(saved(env=((name, "1"), ("CUDA_VISIBLE_DEVICES", "0"))), build)
    assert ("CUDA_VISIBLE_DEVICES", "0") in fits.choices.more.env
    if name not in build.environment:
        assert name not in dict(fits.choices.more.env)
        assert [remark.flag for remark in fits.remarks] == [name]


@pytest.mark.parametrize("old", [*VERSIONS[:-1], CPU])
def test_every_flag_that_went_between_two_real_builds(old: str) -> None:
    """Whatever an old build took, the new one takes what is left of it."""
    before = capabilities(old)
    flags = [option for option in before.options if option.flag not in NEW.by_spelling]
    assert flags or old in ("0.30.0", CPU)
    for option in flags:
        words = (option.flag,) if option.kind in ("switch", "flag") else (option.flag, "1")
        fits = fitted(saved(*words), NEW)
        assert check_extra(fits.choices.more.extra, NEW) == ()
        assert [remark.flag for remark in fits.remarks] == [option.flag]


def test_a_flag_that_has_a_field_of_its_own_becomes_that_choice() -> None:
    fits = fitted(saved("--kv-cache-dtype", "fp8", "--max-model-len", "32k", "--enable-expert-parallel"), NEW)
    assert (fits.choices.kv_cache_dtype, fits.choices.context) == ("fp8", 32000)
    assert fits.choices.more.extra == ("--enable-expert-parallel",)
    assert fits.remarks == ()


@pytest.mark.parametrize(
    ("more", "flag"),
    [
        ({"dtype": "int2"}, "--dtype"),
        ({"quantization": "squeezellm"}, "--quantization"),
        ({"reasoning_parser": "oracle"}, "--reasoning-parser"),
        ({"tool_parser": "spanner"}, "--tool-call-parser"),
    ],
)
def test_a_value_that_the_build_does_not_know_goes_back_to_its_own(more: dict[str, str], flag: str) -> None:
    fits = fitted(saved(**more), NEW)
    own = LaunchOptions(seed=7)
    assert fits.choices.more == own
    (remark,) = fits.remarks
    assert remark.flag == flag
    assert next(iter(more.values())) in explained(remark, "en")


def test_a_kv_cache_dtype_that_the_build_does_not_have() -> None:
    fits = fitted(Choices(kv_cache_dtype="octave_k3v4"), capabilities(CPU))
    assert fits.choices.kv_cache_dtype == "auto"
    assert [remark.flag for remark in fits.remarks] == ["--kv-cache-dtype"]


def test_what_both_builds_know_stays_to_the_letter() -> None:
    choices = saved("--trust-remote-code", quantization="awq", reasoning_parser="qwen3", dtype="half")
    fits = fitted(choices, NEW)
    assert (fits.choices, fits.remarks) == (choices, ())


def test_words_that_belong_to_nothing() -> None:
    fits = fitted(saved("stray", "--trust-remote-code"), NEW)
    assert fits.choices.more.extra == ("--trust-remote-code",)
    assert re.search("stray", explained(fits.remarks[0], "en"))
