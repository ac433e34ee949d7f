"""The real parser of the installed vLLM against what was read of it, and against every command line that we write."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.engine.build import of_capabilities
from core.engine.capabilities.model import Capabilities
from core.engine.capabilities.read import read_capabilities
from core.engine.capabilities.store import CapabilityStore, find_package
from core.engine.child_env import inspection_env
from core.engine.command import sheet_of
from core.engine.extra_args import grouped
from core.engine.option_values import SCALED, number_type
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
from core.engine.written_command import as_yaml
from core.events import EngineInfo
from core.paths import Paths

PROGRAM = Path(__file__).parents[1] / "support" / "parser_program.py"
TUNED = Tuning(8, 4096, "fp8", 4.0, 0.85)
QWEN4 = Traits("Qwen4ExpForCausalLM", tables="ngram")
FULL = LaunchOptions(
    dtype="bfloat16", quantization="fp8", kv_cache_bytes=2 << 30, prefix_caching=True, async_scheduling=True,
    tensor_parallel=2, pipeline_parallel=2, loras=(Lora("a", "/lora/a"), Lora("b", "/lora/b")), max_lora_rank=64,
    speculative=Speculative("ngram", 3, lookup=4), multimodal=(("image", 2),), text_only=True,
    reasoning_parser="qwen3", tool_parser="hermes", chat_template="/t.jinja", served_name="a name", seed=7,
    load_format="safetensors", log_requests=True, offload=OffloadShape(("experts", "mlp")), ple="device",
    prompt_cache=PromptCache(8.0), extra=("--max-logprobs", "5", "--no-enable-chunked-prefill"),
)  # fmt: skip
WISHES = {
    "plain": LaunchOptions(),
    "full": FULL,
    "the other way": replace(
        FULL, prefix_caching=False, async_scheduling=False, prompt_cache=PromptCache(), kv_cache_bytes=None,
        offload=OffloadShape(group_size=8, num_in_group=2), load_format="auto", ple="ram",
    ),
    "kept on disk": replace(FULL, prompt_cache=PromptCache(8.0, "/cache/kv", keep=True)),
    "on disk with a limit": replace(FULL, prompt_cache=PromptCache(0.0, "/cache/k v", 100.0)),
    "parsers by family": LaunchOptions(),
}  # fmt: skip


@pytest.fixture(scope="module")
def read(real_engine: EngineInfo) -> Capabilities:
    package = asyncio.run(find_package(real_engine))
    return read_capabilities(package, real_engine.version, real_engine.platform)


def requests(engine: EngineInfo, read: Capabilities) -> dict[str, LaunchRequest]:
    """Every wish, for the CPU build as it is, and for the same flags on a card."""
    import msgspec

    found: dict[str, LaunchRequest] = {}
    for platform in ("cpu", "cuda"):
        build = of_capabilities(msgspec.structs.replace(read, platform=platform))
        on = replace(engine, platform=platform)
        for name, options in WISHES.items():
            traits = replace(QWEN4, template="<think></think><function=" if name == "parsers by family" else "")
            found[f"{platform}: {name}"] = LaunchRequest(
                "m", "/models/m", on, 4096, options=options, tuning=TUNED, traits=traits, build=build
            )
    return found


@pytest.fixture(scope="module")
def told(real_engine: EngineInfo, read: Capabilities, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One run of the parser for all tests: importing vLLM takes eight seconds."""
    folder = tmp_path_factory.mktemp("yaml")
    lines: list[list[str]] = []
    for number, request in enumerate(requests(real_engine, read).values()):
        lines.append(["--model", "/models/m", "--host", "127.0.0.1", "--port", "8000", *sheet_of(request).words])
        file = folder / f"{number}.yaml"
        file.write_text(as_yaml(request), encoding="utf-8")
        lines.append(["--config", str(file)])
    done = subprocess.run(
        [real_engine.python, "-I", str(PROGRAM)], input=json.dumps({"lines": lines}), capture_output=True, text=True,
        timeout=120, env=inspection_env(), check=False,
    )  # fmt: skip
    line = next((line for line in done.stdout.splitlines() if line.startswith("STOWAGE ")), None)
    assert line is not None, done.stderr[-2000:]
    return json.loads(line.removeprefix("STOWAGE "))


def test_the_options_are_those_of_its_own_parser(read: Capabilities, told: dict[str, Any]) -> None:
    """`--help=all` prints the actions of this parser."""
    theirs = {name for option in told["options"] for name in option["spellings"]} - {"-h", "--help"}
    assert set(read.by_spelling) == theirs
    assert len(theirs) > 400
    actions = {name: option for option in told["options"] for name in option["spellings"]}
    for option in read.options:
        assert (option.kind == "switch") == actions[option.flag]["switch"], option.flag
        if option.closed:
            assert sorted(actions[option.flag]["choices"]) == sorted(option.choices), option.flag


def test_numbers_and_objects_are_told_from_words(read: Capabilities, told: dict[str, Any]) -> None:
    """What is refused before a launch is what its own parser refuses."""
    takes = {name: set(option["takes"]) for option in told["options"] for name in option["spellings"]}
    numbers = {option.flag: number_type(option) for option in read.options if number_type(option)}
    assert len(numbers) > 60
    for flag, kind in numbers.items():
        wanted = {"5"} | ({"2.5"} if kind == "float" else set()) | ({"5k"} if flag in SCALED else set())
        assert takes[flag] == wanted | ({"auto"} if flag == "--max-model-len" else set()), flag
    objects = {option.flag for option in read.options if option.kind == "json"}
    assert {flag for flag in objects if '{"a": 1}' not in takes[flag] and read.by_spelling[flag].fields == ()} == set()


def test_defaults_are_those_of_its_own_parser(read: Capabilities, told: dict[str, Any]) -> None:
    """All that the source states as a value; the rest is shown as it is written there."""
    actions = {name: option for option in told["options"] for name in option["spellings"]}
    other = {o.flag for o in read.options if o.default and o.default != actions[o.flag]["default"]}
    written = {flag for flag in other if not any(mark in read.by_spelling[flag].default for mark in "(.*")}
    assert written == set()
    assert len(other) < 25


def test_every_command_line_is_accepted(real_engine: EngineInfo, read: Capabilities, told: dict[str, Any]) -> None:
    names = list(requests(real_engine, read))
    errors = {name: told["parsed"][2 * i]["error"] for i, name in enumerate(names) if "error" in told["parsed"][2 * i]}
    assert errors == {}
    full = told["parsed"][2 * names.index("cuda: full")]["values"]
    assert full["cpu_offload_params"] in ("{'experts', 'mlp'}", "{'mlp', 'experts'}", "['experts', 'mlp']")
    assert full["kv_offloading_size"] == "8.0"
    assert "cpu_offload=False" in full["engram_config"]
    disk = told["parsed"][2 * names.index("cuda: on disk with a limit")]["values"]["kv_transfer_config"]
    assert "SimpleCPUOffloadConnector" in disk
    assert "'disk_path': '/cache/k v/kv.bin'" in disk


def test_a_config_file_says_the_same(real_engine: EngineInfo, read: Capabilities, told: dict[str, Any]) -> None:
    for index, name in enumerate(requests(real_engine, read)):
        line, file = told["parsed"][2 * index : 2 * index + 2]
        assert _comparable(file["values"]) == _comparable(line["values"]), name


def _comparable(values: dict[str, str]) -> dict[str, list[str]]:
    """Without the id that each parse makes anew, and without the order of sets."""
    return {name: sorted(re.sub(r"engine_id='[^']*'", "", value)) for name, value in values.items()}


def test_nothing_is_written_twice(real_engine: EngineInfo, read: Capabilities) -> None:
    for name, request in requests(real_engine, read).items():
        flags = [argument.flag for argument in grouped(sheet_of(request).words)]
        assert len(flags) == len(set(flags)), name


def test_it_is_read_quickly_and_remembered(real_engine: EngineInfo, home: Paths) -> None:
    home.ensure()

    async def look() -> tuple[float, float, Capabilities, Capabilities]:
        began = time.process_time()
        first = await CapabilityStore(home).of(real_engine)
        between = time.process_time()
        again = await CapabilityStore(home).of(real_engine)
        return between - began, time.process_time() - between, first, again

    first_s, again_s, first, again = asyncio.run(look())
    print(f"read in {first_s:.2f} s of CPU time, remembered in {again_s:.3f} s")
    assert first == again
    assert first_s < 1.5
    assert again_s < first_s / 2
    assert len(list((home.cache / "capabilities").glob("*.json"))) == 1
