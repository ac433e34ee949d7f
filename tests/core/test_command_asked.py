"""What is typed after `stowage command`, as choices; and a launch held against the build before it is written down."""

from __future__ import annotations

import dataclasses

import pytest
import typer

from core.cli.app import tokens_of
from core.cli.command import Asked, with_asked
from core.cli.command_entry import groups_of
from core.engine.options import (
    LaunchOptions,
    LaunchRequest,
    Lora,
    OffloadShape,
    PromptCache,
    Speculative,
    Traits,
    Tuning,
)
from core.engine_options import checked
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.planning.choices import Choices
from tests.support import builds

ENGINE = EngineInfo("e", EngineState.READY, "0.33.0", "cuda", "/e/bin/python", "3.12.1", ours=True)


def asked(**values: object) -> Choices:
    return with_asked(Choices(context=2048), dataclasses.replace(Asked("m", "shell"), **values))  # type: ignore[arg-type]


def test_sizes_and_contexts_as_people_write_them() -> None:
    found = asked(context="32k", leave="500MiB", offload="4", cache_ram="8GiB", cache_disk="/c", cache_disk_gib="0,5")
    assert (found.context, found.leave_free_gib, found.offload_gib) == (32000, 500 / 1024, 4.0)
    assert (found.more.prompt_cache.ram_gib, found.more.prompt_cache.disk_gib) == (8.0, 0.5)
    assert (asked(context="32K").context, asked().context) == (32768, 2048)
    automatic = asked(context="auto")
    assert (automatic.context, automatic.more.extra) == (None, ("--max-model-len", "auto"))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"context": "8"}, "plan.bad_context"),
        ({"context": "long"}, "plan.bad_context"),
        ({"leave": "-1"}, "plan.bad_size"),
        ({"offload": "nan"}, "plan.bad_size"),
        ({"cache_ram": "much"}, "plan.bad_size"),
    ],
)
def test_what_is_no_size_is_refused(values: dict[str, str], code: str) -> None:
    with pytest.raises(AppError) as caught:
        asked(**values)
    assert caught.value.code == code


def test_a_context_for_a_server() -> None:
    assert (tokens_of("4096"), tokens_of("4k"), tokens_of("4K")) == (4096, 4000, 4096)
    for text in ("8", "auto", "x"):
        with pytest.raises(typer.BadParameter):
            tokens_of(text)


def test_groups_of_layers() -> None:
    assert (groups_of(""), groups_of("8"), groups_of("8:2"), groups_of("8:2:3")) == (
        None,
        (8, 1, 1),
        (8, 2, 1),
        (8, 2, 3),
    )
    assert asked(offload_groups=(8, 2, 3)).more.offload == OffloadShape((), 8, 2, 3)
    for text in ("x", "8:9", "8:0", "8:1:0", "0", "1:1:1:1"):
        with pytest.raises(typer.BadParameter):
            groups_of(text)


def test_adapters_have_a_name() -> None:
    assert asked(loras=("a=/x/b", "=/x/c", "/x/d")).more.loras == (
        Lora("a", "/x/b"),
        Lora("c", "/x/c"),
        Lora("d", "/x/d"),
    )


def request(options: LaunchOptions, tuning: Tuning) -> LaunchRequest:
    return LaunchRequest("m", "/m", ENGINE, options=options, tuning=tuning, build=builds.build("0.33.0"))


@pytest.mark.parametrize(
    ("options", "tuning", "flag"),
    [
        (LaunchOptions(dtype="blah"), Tuning(), "--dtype"),
        (LaunchOptions(extra=("--offload-backend", "disk")), Tuning(), "--offload-backend"),
    ],
)
def test_a_value_that_the_build_does_not_know_is_not_written(options: LaunchOptions, tuning: Tuning, flag: str) -> None:
    with pytest.raises(AppError) as caught:
        checked(request(options, tuning), builds.capabilities("0.33.0"))
    assert (caught.value.code, caught.value.facts["flag"]) == ("option.bad_choice", flag)


def test_extra_words_are_written_in_full() -> None:
    """`tp: 2` in a file for `--config` would be `--tp 2`, which no vLLM knows."""
    whole = checked(request(LaunchOptions(extra=("-tp", "2", "-O3")), Tuning()), builds.capabilities("0.33.0"))
    assert whole.options.extra == ("--tensor-parallel-size", "2", "--optimization-level", "3")


@pytest.mark.parametrize("version", [*builds.VERSIONS, builds.CPU])
@pytest.mark.parametrize("kept", [True, False])
def test_nothing_that_we_write_ourselves_is_refused(version: str, kept: bool) -> None:
    """A launch must not stop at a check of its own words, whatever the build calls its fields and values."""
    wishes = LaunchOptions(
        dtype="half", quantization="fp8", kv_cache_bytes=2 << 30, prefix_caching=True, async_scheduling=False,
        tensor_parallel=2, pipeline_parallel=2, loras=(Lora("a", "/a"),), max_lora_rank=64, text_only=True,
        speculative=Speculative("ngram", 3, lookup=4), multimodal=(("image", 2),), seed=7, log_requests=True,
        load_format="safetensors", chat_template="/t", served_name="n", ple="ram", reasoning_parser="qwen3",
        tool_parser="hermes", prompt_cache=PromptCache(8.0, "/kv", 20.0, keep=kept),
        offload=OffloadShape(("experts",), 0 if kept else 8, 2, 1),
    )  # fmt: skip
    engine = dataclasses.replace(ENGINE, version=version.partition("-")[0])
    traits = Traits("Qwen4ExpForCausalLM", tables="ngram", mixed_formats=True)
    asked_for = LaunchRequest(
        "m", "/m", engine, 4096, options=wishes, tuning=Tuning(8, 4096, "fp8", 4.0, 0.85), traits=traits,
        build=builds.build(version),
    )  # fmt: skip
    assert checked(asked_for, builds.capabilities(version)) == asked_for
