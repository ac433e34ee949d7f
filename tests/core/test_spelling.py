"""The same wish on builds of different ages: each gets the flags that do something there, or a word of why not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.engine.command import build_command, sheet_of
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
from core.engine.ple_plugin import PLUGIN_FROM
from core.events import EngineInfo, EngineState
from tests.support import builds
from tests.support.builds import CPU, VERSIONS

UNTUNED, PLAIN = Tuning(), Traits()
BARE = LaunchOptions(reasoning_parser="", tool_parser="")
RAM = replace(BARE, prompt_cache=PromptCache(ram_gib=8))
KEPT = replace(BARE, prompt_cache=PromptCache(ram_gib=8, disk_path="/cache/kv", keep=True))
CAPPED = replace(BARE, prompt_cache=PromptCache(disk_path="/cache/kv", disk_gib=100))
NGRAM = Traits("Qwen4ExpForCausalLM", tables="ngram")


def request(
    name: str,
    options: LaunchOptions = BARE,
    tuning: Tuning = UNTUNED,
    traits: Traits = PLAIN,
    *,
    read: bool = True,
    **more: Any,
) -> LaunchRequest:
    """Args: `read` False: only the version of the engine is known."""
    build = builds.build(name)
    engine = EngineInfo("e", EngineState.READY, build.text, build.platform, "/e/bin/python", "3.12", ours=True)
    settings: dict[str, Any] = {"enforce_eager": False, "build": build if read else None} | more
    return LaunchRequest("m", "/m", engine, options=options, tuning=tuning, traits=traits, **settings)


def written(asked: LaunchRequest, environ: dict[str, str] | None = None) -> tuple[str, dict[str, str], list[str]]:
    """Its options in one line (without the name of the model), the variables, the codes of its notes."""
    sheet = sheet_of(asked, environ)
    return " ".join(sheet.words[2:]), sheet.env, [note.code.removeprefix("option.") for note in sheet.notes]


def json_after(line: str, flag: str) -> Any:
    return json.loads(line[line.index(flag) + len(flag) + 1 :])


TIERS = {
    "kv_connector": "OffloadingConnector",
    "kv_role": "kv_both",
    "kv_connector_extra_config": {
        "spec_name": "TieringOffloadingSpec",
        "cpu_bytes_to_use": 8589934592,
        "secondary_tiers": [{"type": "fs", "root_dir": "/cache/kv"}],
    },
}
ONE_FILE = {
    "kv_connector": "SimpleCPUOffloadConnector",
    "kv_role": "kv_both",
    "kv_load_failure_policy": "recompute",
    "kv_connector_extra_config": {
        "kv_offload_backend": "disk",
        "disk_path": "/cache/kv/kv.bin",
        "disk_capacity_bytes": 107374182400,
    },
}


# ---- swap and the prompt cache: a row for each kind of build ---------------------------------------------------------


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize(
    ("version", "line", "notes"),
    [
        (CPU, "", ["prompt_cache_cpu_build"]),
        ("0.10.2", "", ["no_prompt_cache"]),
        *((v, "--kv-offloading-size 8 --kv-offloading-backend native", []) for v in VERSIONS[1:]),
    ],
)
def test_a_prompt_cache_in_ram(version: str, line: str, notes: list[str], read: bool) -> None:
    assert written(request(version, RAM, read=read))[::2] == (line, notes)


def test_only_the_v0_engine_gets_swap_space() -> None:
    old = request("0.10.2", RAM)
    assert written(old, {"VLLM_USE_V1": "0"})[::2] == ("--swap-space 8", [])
    assert written(request("0.12.0", RAM), {"VLLM_USE_V1": "0"})[0].startswith("--kv-offloading-size")
    for version in VERSIONS:
        assert "--swap-space" not in build_command(request(version, RAM), 1, "key", {}).argv


@pytest.mark.parametrize("version", ["0.12.0", "0.17.1", "0.21.0"])
def test_without_tiers_only_the_ram_part_is_there(version: str) -> None:
    line = "--kv-offloading-size 8 --kv-offloading-backend native"
    assert written(request(version, KEPT))[::2] == (line, ["no_prompt_cache_disk"])
    assert written(request(version, CAPPED))[::2] == ("", ["no_prompt_cache_disk"])


@pytest.mark.parametrize("version", ["0.22.1", "0.27.1", "0.28.0", "0.33.0"])
def test_a_prompt_cache_that_is_kept_on_disk(version: str) -> None:
    line, _, notes = written(request(version, KEPT))
    assert json_after(line, "--kv-transfer-config") == TIERS
    # It would overwrite the connector of the other one.
    assert "--kv-offloading-size" not in line
    assert notes == []


@pytest.mark.parametrize("version", ["0.28.0", "0.30.0", "0.33.0"])
def test_a_prompt_cache_on_disk_with_a_limit(version: str) -> None:
    line, _, notes = written(request(version, CAPPED))
    assert json_after(line, "--kv-transfer-config") == ONE_FILE
    assert notes == []
    both = replace(CAPPED, prompt_cache=replace(CAPPED.prompt_cache, ram_gib=4))
    assert written(request(version, both))[2] == ["prompt_cache_disk_alone"]


@pytest.mark.parametrize("version", ["0.22.1", "0.27.1"])
def test_tiers_stand_in_for_a_limit_that_cannot_be_kept(version: str) -> None:
    line, _, notes = written(request(version, CAPPED))
    assert json_after(line, "--kv-transfer-config")["kv_connector_extra_config"]["secondary_tiers"]
    assert notes == ["prompt_cache_no_limit"]


def test_a_prompt_cache_needs_the_prefix_cache() -> None:
    asked = request("0.33.0", replace(RAM, prefix_caching=False))
    assert written(asked)[::2] == ("--no-enable-prefix-caching", ["prompt_cache_needs_prefix"])


# ---- weights in RAM --------------------------------------------------------------------------------------------------

OFFLOAD = Tuning(cpu_offload_gib=8)
EXPERTS = replace(BARE, offload=OffloadShape(params=("experts", "mlp")))
GROUPS = replace(BARE, offload=OffloadShape(group_size=8, num_in_group=2, prefetch_step=1))


@pytest.mark.parametrize("version", VERSIONS)
def test_weight_offload_by_size(version: str) -> None:
    assert written(request(version, BARE, OFFLOAD))[0] == "--cpu-offload-gb 8"


@pytest.mark.parametrize("version", VERSIONS)
def test_names_of_weights_are_words_of_their_own_where_there_is_a_choice(version: str) -> None:
    line, _, notes = written(request(version, EXPERTS, OFFLOAD))
    if version in ("0.10.2", "0.12.0", "0.16.0"):
        assert (line, notes) == ("--cpu-offload-gb 8", ["no_offload_params"])
    else:
        assert line == "--cpu-offload-gb 8 --cpu-offload-params experts mlp"


@pytest.mark.parametrize("version", VERSIONS)
def test_prefetching_by_groups(version: str) -> None:
    line, _, notes = written(request(version, GROUPS, OFFLOAD))
    if version in ("0.10.2", "0.12.0", "0.16.0"):
        assert (line, notes) == ("--cpu-offload-gb 8", ["no_prefetch_offload"])
    else:
        assert line == "--offload-group-size 8 --offload-num-in-group 2 --offload-prefetch-step 1"


def test_a_group_never_holds_more_than_it_can() -> None:
    greedy = replace(BARE, offload=OffloadShape(group_size=4, num_in_group=9, prefetch_step=0))
    assert written(request("0.33.0", greedy))[0] == (
        "--offload-group-size 4 --offload-num-in-group 4 --offload-prefetch-step 1"
    )


def test_a_cpu_build_never_gets_weight_offload() -> None:
    for options in (BARE, EXPERTS, GROUPS):
        line, _, notes = written(request(CPU, options, OFFLOAD))
        assert "offload" not in line
        assert notes == ["offload_cpu_build"]


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_runner_that_ignores_offload_is_not_used(version: str, read: bool) -> None:
    _, env, notes = written(request(version, BARE, OFFLOAD, read=read))
    ignores = version in ("0.22.1", "0.27.1")
    assert (env.get("VLLM_USE_V2_MODEL_RUNNER") == "0") == ignores
    assert ("older_runner" in notes) == ignores
    assert written(request(version, BARE, read=read))[1] == {}


def test_hybrid_models_keep_their_weights_where_offload_would_stop_them() -> None:
    hybrid = Traits("Qwen3NextForCausalLM", hybrid=True)
    assert written(request("0.16.0", BARE, OFFLOAD, hybrid))[::2] == ("", ["offload_hybrid"])
    assert written(request("0.21.0", BARE, OFFLOAD, hybrid))[::2] == ("--cpu-offload-gb 8", [])


# ---- inside WSL2 -----------------------------------------------------------------------------------------------------

PIN = {"VLLM_WSL2_ENABLE_PIN_MEMORY": "1"}
OLDER = {"VLLM_USE_V2_MODEL_RUNNER": "0"}


@pytest.mark.parametrize(
    ("version", "line", "env", "notes"),
    [
        ("0.12.0", "", {}, ["offload_wsl"]),
        ("0.16.0", "", {}, ["offload_wsl"]),
        ("0.17.1", "--cpu-offload-gb 8 --enforce-eager", {}, ["offload_wsl_slow"]),
        ("0.21.0", "--cpu-offload-gb 8 --enforce-eager", {}, ["offload_wsl_slow"]),
        ("0.22.1", "--cpu-offload-gb 8 --enforce-eager", OLDER, ["older_runner", "offload_wsl_slow"]),
        ("0.27.1", "--cpu-offload-gb 8", OLDER | PIN, ["older_runner"]),
        ("0.28.0", "--cpu-offload-gb 8", PIN, []),
        ("0.30.0", "--cpu-offload-gb 8", PIN, []),
        ("0.33.0", "--cpu-offload-gb 8", PIN, []),
    ],
)
def test_offload_in_wsl(version: str, line: str, env: dict[str, str], notes: list[str]) -> None:
    assert written(request(version, BARE, OFFLOAD, wsl=True)) == (line, env, notes)


@pytest.mark.parametrize(
    ("version", "env"),
    [
        ("0.16.0", {}),
        ("0.21.0", {}),
        ("0.22.1", OLDER),
        ("0.27.1", PIN),
        ("0.28.0", PIN),
        ("0.30.0", {}),
        ("0.33.0", {}),
    ],
)
def test_builds_that_do_not_even_start_in_wsl_without_help(version: str, env: dict[str, str]) -> None:
    assert written(request(version, wsl=True))[1] == env


# ---- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.30.0", "0.33.0"])
@pytest.mark.parametrize(("place", "offload"), [("auto", True), ("ram", True), ("device", False)])
def test_tables_get_a_value_always(version: str, place: Any, offload: bool) -> None:
    line, env, notes = written(request(version, replace(BARE, ple=place), traits=NGRAM))
    assert json_after(line, "--engram-config") == {"cpu_offload": offload}
    assert env == ({"VLLM_PLE_CPU_OFFLOAD": "1" if offload else "0"} if version == "0.30.0" else {})
    assert notes == []


@pytest.mark.parametrize("version", ["0.30.0", "0.33.0"])
def test_no_release_leaves_tables_on_disk(version: str) -> None:
    line, _, notes = written(request(version, replace(BARE, ple="disk"), traits=NGRAM))
    assert json_after(line, "--engram-config") == {"cpu_offload": True}
    assert notes == ["no_tables_on_disk"]


def test_a_build_that_reads_tables_from_files_is_asked_to() -> None:
    import msgspec

    from core.engine.build import of_capabilities

    known = builds.capabilities("0.33.0")
    options = tuple(
        msgspec.structs.replace(o, fields=(*o.fields, "host_file_gather")) if o.flag == "--engram-config" else o
        for o in known.options
    )
    later = of_capabilities(msgspec.structs.replace(known, options=options, version="0.34.0"))
    asked = replace(request("0.33.0", replace(BARE, ple="disk"), traits=NGRAM), build=later)
    assert json_after(written(asked)[0], "--engram-config") == {"host_file_gather": True}


def test_models_without_such_tables_never_get_the_option() -> None:
    for version in VERSIONS:
        for traits in (Traits("LlamaForCausalLM"), Traits("Gemma3nForConditionalGeneration", tables="per_layer")):
            line, _, notes = written(request(version, replace(BARE, ple="ram"), traits=traits))
            assert line == ""
            old = builds.build(version).version < PLUGIN_FROM
            assert notes == (["tables_stay"] if traits.tables and old else [])
    assert written(request("0.28.0", traits=NGRAM))[::2] == ("", ["no_table_control"])
    assert written(request(CPU, traits=NGRAM))[::2] == ("", [])


def test_tables_in_ram_need_pinned_memory_in_wsl() -> None:
    assert written(request("0.33.0", traits=NGRAM, wsl=True))[1] == PIN
    assert written(request("0.33.0", replace(BARE, ple="device"), traits=NGRAM, wsl=True))[1] == {}


# ---- everything else -------------------------------------------------------------------------------------------------


def test_all_the_others() -> None:
    options = LaunchOptions(
        dtype="bfloat16", quantization="awq", kv_cache_bytes=2 << 30, prefix_caching=True, async_scheduling=False,
        tensor_parallel=2, pipeline_parallel=2, loras=(Lora("a", "/lora/a"), Lora("b", "/lora/b")), max_lora_rank=64,
        speculative=Speculative("ngram", 3, lookup=4), multimodal=(("image", 2), ("video", 0)), text_only=True,
        reasoning_parser="qwen3", tool_parser="hermes", chat_template="/t.jinja", served_name="name", seed=7,
        load_format="safetensors", log_level="debug", log_requests=True, env=(("VLLM_CACHE_ROOT", "/c"),),
    )  # fmt: skip
    asked = request("0.33.0", options, Tuning(4, 512, "fp8", 0.0, 0.8), max_model_len=4096, enforce_eager=True)
    sheet = sheet_of(asked)
    got = {argument.flag: argument.values for argument in sheet.arguments}
    assert got == {
        "--served-model-name": ("name", "m"), "--max-model-len": ("4096",), "--enforce-eager": (),
        "--max-num-seqs": ("4",),
        "--max-num-batched-tokens": ("512",), "--dtype": ("bfloat16",), "--quantization": ("awq",),
        "--kv-cache-dtype": ("fp8",), "--load-format": ("safetensors",), "--kv-cache-memory-bytes": ("2147483648",),
        "--enable-prefix-caching": (), "--no-async-scheduling": (), "--tensor-parallel-size": ("2",),
        "--pipeline-parallel-size": ("2",), "--seed": ("7",), "--enable-log-requests": (), "--enable-lora": (),
        "--lora-modules": ('{"name": "a", "path": "/lora/a"}', '{"name": "b", "path": "/lora/b"}'),
        "--max-lora-rank": ("64",),
        "--speculative-config": ('{"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 4}',),
        "--limit-mm-per-prompt": ('{"image": 2, "video": 0}',), "--language-model-only": (),
        "--chat-template": ("/t.jinja",), "--reasoning-parser": ("qwen3",), "--enable-auto-tool-choice": (),
        "--tool-call-parser": ("hermes",),
    }  # fmt: skip
    assert sheet.env == {"VLLM_LOGGING_LEVEL": "DEBUG", "VLLM_CACHE_ROOT": "/c"}
    assert sheet.notes == []


@pytest.mark.parametrize("version", [*VERSIONS, CPU])
def test_every_flag_that_is_written_is_one_of_the_build(version: str) -> None:
    """Whatever is asked for: a build never sees a flag that it does not have."""
    wishes = LaunchOptions(
        prompt_cache=PromptCache(8, "/kv", 10), offload=OffloadShape(("experts",), 8), ple="disk", text_only=True,
        loras=(Lora("a", "/a"),), speculative=Speculative("ngram", 2), multimodal=(("image", 1),), seed=1,
        prefix_caching=True, async_scheduling=True, tensor_parallel=2, pipeline_parallel=2, dtype="half",
        log_requests=True, chat_template="/t", kv_cache_bytes=1 << 30,
    )  # fmt: skip
    traits = Traits("Qwen3ForCausalLM", "ngram", template="<think></think><tool_call>", mixed_formats=True)
    tuning = Tuning(4, 512, "fp8", 4.0, 0.8)
    for options in (wishes, replace(wishes, prompt_cache=KEPT.prompt_cache, offload=OffloadShape(("experts",)))):
        for argument in sheet_of(request(version, options, tuning, traits)).arguments:
            assert builds.capabilities(version).option(argument.flag), argument.flag


def test_a_cpu_build_gets_its_own_memory_and_threads() -> None:
    options = replace(BARE, kv_cache_bytes=3 << 30, cpu_threads="0-3", cpu_reserved=1)
    line, env, _ = written(request(CPU, options, Tuning(gpu_memory_utilization=0.9, kv_cache_dtype="fp8")))
    assert line == ""
    assert env == {
        "VLLM_CPU_KVCACHE_SPACE": "3", "VLLM_CPU_OMP_THREADS_BIND": "0-3", "VLLM_CPU_NUM_OF_RESERVED_CPU": "1",
    }  # fmt: skip
    assert written(request(CPU, cpu_kv_cache_gib=5))[1] == {"VLLM_CPU_KVCACHE_SPACE": "5"}


def test_a_folder_with_mistrals_own_files_too() -> None:
    mixed = Traits("MistralForCausalLM", mixed_formats=True)
    assert written(request("0.33.0", traits=mixed))[0] == "--load-format safetensors"
    assert written(request("0.33.0", replace(BARE, load_format="mistral"), traits=mixed))[0] == "--load-format mistral"


def test_privacy_is_never_lost(tmp_path: Path) -> None:
    env = build_command(request("0.33.0"), 1, "key", {"VLLM_NO_USAGE_STATS": "0"}).env
    assert (env["VLLM_NO_USAGE_STATS"], env["DO_NOT_TRACK"]) == ("1", "1")


def test_the_parsers_of_the_family_unless_others_are_chosen() -> None:
    thinker = Traits("Qwen3ForCausalLM", template="<think></think> <tool_call>")
    line = written(request("0.33.0", LaunchOptions(), traits=thinker))[0]
    assert line == "--reasoning-parser qwen3 --enable-auto-tool-choice --tool-call-parser hermes"
    assert written(request("0.33.0", LaunchOptions(), traits=thinker, read=False))[0] == ""
    own = LaunchOptions(reasoning_parser="", tool_parser="qwen3_xml")
    assert (
        written(request("0.33.0", own, traits=thinker))[0] == "--enable-auto-tool-choice --tool-call-parser qwen3_xml"
    )
