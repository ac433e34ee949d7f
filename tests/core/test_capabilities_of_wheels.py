"""What was read in the wheels of real vLLM releases, against what is known of them (issues, pull requests, runs)."""

from __future__ import annotations

import pytest

from core.engine.build import FEATURES, FLAGS, guessed
from core.engine.capabilities.difference import difference
from core.engine.capabilities.noops import noops
from core.engine.capabilities.read import version_numbers
from tests.support import builds
from tests.support.builds import CPU, VERSIONS, capabilities

ALL = (*VERSIONS, CPU)


def first(flag: str) -> str | None:
    """The first of the versions that has a flag."""
    return next((version for version in VERSIONS if capabilities(version).option(flag)), None)


@pytest.mark.parametrize(
    ("flag", "since", "gone_in"),
    [
        ("--cpu-offload-gb", "0.10.2", None),
        ("--cpu-offload-params", "0.17.1", None),
        ("--offload-backend", "0.17.1", None),
        ("--offload-group-size", "0.17.1", None),
        ("--offload-num-in-group", "0.17.1", None),
        ("--offload-prefetch-step", "0.17.1", None),
        ("--offload-params", "0.17.1", None),
        ("--swap-space", "0.10.2", "0.21.0"),
        ("--kv-offloading-size", "0.12.0", None),
        ("--kv-offloading-backend", "0.12.0", None),
        ("--kv-transfer-config", "0.10.2", None),
        ("--engram-config", "0.30.0", None),
        ("--kv-cache-memory-bytes", "0.10.2", None),
        ("--language-model-only", "0.17.1", None),
        ("--no-enable-prefix-caching", "0.10.2", None),
        ("--max-model-len", "0.10.2", None),
        ("-tp", "0.10.2", None),
        ("--cpu-offload", None, None),
        ("--num-gpu-blocks", None, None),
    ],
)
def test_when_flags_came_and_went(flag: str, since: str | None, gone_in: str | None) -> None:
    assert first(flag) == since
    for version in VERSIONS:
        expected = since is not None and VERSIONS.index(version) >= VERSIONS.index(since)
        expected = expected and (gone_in is None or VERSIONS.index(version) < VERSIONS.index(gone_in))
        assert (capabilities(version).option(flag) is not None) == expected, version


@pytest.mark.parametrize("version", ALL)
def test_the_version_alone_answers_like_the_source(version: str) -> None:
    found = capabilities(version)
    read, said = builds.build(version), guessed(found.version, found.platform)
    assert {flag: read.has(flag) for flag in FLAGS} == {flag: said.has(flag) for flag in FLAGS}
    assert {name: read.does(name) for name in FEATURES} == {name: said.does(name) for name in FEATURES}
    assert read.v2_ignores_offload == said.v2_ignores_offload


def test_defaults_that_moved() -> None:
    share = {version: capabilities(version).by_spelling["--gpu-memory-utilization"].default for version in VERSIONS}
    assert {version: share[version] for version in ("0.10.2", "0.16.0", "0.21.0", "0.33.0")} == {
        "0.10.2": "0.9", "0.16.0": "0.9", "0.21.0": "0.92", "0.33.0": "0.92",
    }  # fmt: skip
    backend = {
        version: capabilities(version).by_spelling["--kv-offloading-backend"].default for version in VERSIONS[1:]
    }
    assert backend["0.12.0"] == "None"
    assert set(backend.values()) - {backend["0.12.0"]} == {"native"}
    assert capabilities("0.33.0").by_spelling["--cpu-offload-gb"].default == "0"
    assert capabilities("0.33.0").by_spelling["--offload-backend"].default == "auto"


def test_offload_options_of_the_newest() -> None:
    found = capabilities("0.33.0").by_spelling
    assert found["--offload-backend"].choices == ("auto", "uva", "prefetch")
    assert found["--offload-backend"].closed
    assert found["--cpu-offload-params"].kind == "list"
    assert found["--kv-offloading-backend"].choices == ("native", "lmcache")
    assert found["--enable-prefix-caching"].kind == "switch"
    assert found["--engram-config"].fields == ("cpu_offload", "embedding_across_dp", "dp_shared_memory", "use_thp")
    assert found["--cpu-offload-gb"].place.file == "config/offload.py"
    assert found["--cpu-offload-gb"].place.line > 1


@pytest.mark.parametrize(
    ("version", "ids"),
    [
        ("0.10.2", {"swap_space"}),
        ("0.12.0", {"swap_space", "kv_offload_no_backend"}),
        ("0.16.0", {"swap_space"}),
        ("0.21.0", {"offload_embeddings"}),
        ("0.22.1", {"offload_v2_runner", "offload_embeddings"}),
        ("0.27.1", {"offload_v2_runner", "offload_embeddings"}),
        ("0.28.0", {"offload_embeddings"}),
        (CPU, {"offload_cpu_build", "offload_embeddings", "sleep_cpu_build", "says_so"}),
    ],
)
def test_silent_no_ops(version: str, ids: set[str]) -> None:
    assert {noop.id for noop in capabilities(version).noops} == ids


def test_the_runner_that_ignores_offload_is_seen_in_the_source() -> None:
    for version in ("0.22.1", "0.27.1"):
        noop = capabilities(version).ignored("--cpu-offload-gb")
        assert noop is not None
        assert noop.seen
    assert capabilities("0.28.0").ignored("--cpu-offload-gb") is None
    assert capabilities("0.33.0").has("v2_runner_offloads")
    assert capabilities("0.33.0").ignored("--cpu-offload-params") is not None  # no table of embeddings, ever


def test_controls_of_tables() -> None:
    assert capabilities("0.28.0").ple == ()
    assert [control.id for control in capabilities("0.30.0").ple] == [
        "engram.cpu_offload", "engram.embedding_across_dp", "engram.dp_shared_memory", "env.VLLM_PLE_CPU_OFFLOAD",
    ]  # fmt: skip
    newest = {control.id: control for control in capabilities("0.33.0").ple}
    assert set(newest) == {
        "engram.cpu_offload", "engram.embedding_across_dp", "engram.dp_shared_memory", "engram.use_thp",
    }  # fmt: skip
    assert newest["engram.cpu_offload"].default == "True"
    assert str(newest["engram.cpu_offload"].place).startswith("config/engram.py:")
    assert set(capabilities("0.33.0").ngram_architectures) == {
        "DeepseekV41ForCausalLM", "Qwen4ExpForCausalLM", "Qwen4ExpForConditionalGeneration",
    }  # fmt: skip


def test_quantization_with_the_least_capability() -> None:
    newest = {method.name: method for method in capabilities("0.33.0").quantizations}
    declared = {
        "awq": 75, "gptq": 60, "fp8": 75, "compressed-tensors": 70, "modelopt": 80, "modelopt_mxfp8": 80,
        "modelopt_fp4": 75, "modelopt_mixed": 75, "mxfp4": 80, "torchao": 75, "humming": 75, "online": 75, "quark": 70,
        "moe_wna16": 70, "experts_int8": 80, "fbgemm_fp8": 80, "fp_quant": 100, "inc": 60,
    }  # fmt: skip
    assert {name: newest[name].min_capability for name in declared} == declared
    assert {name for name, method in newest.items() if method.deprecated} == {"fbgemm_fp8", "fp_quant"}


@pytest.mark.parametrize(
    ("method", "last"), [("bitsandbytes", "0.27.1"), ("gguf", "0.22.1"), ("hqq", "0.12.0"), ("fp8", "0.33.0")]
)
def test_methods_that_went_into_plugins(method: str, last: str) -> None:
    having = [v for v in VERSIONS if any(each.name == method for each in capabilities(v).quantizations)]
    assert having[-1] == last


@pytest.mark.parametrize(
    ("architecture", "since"),
    [
        ("LlamaForCausalLM", "0.10.2"),
        ("Gemma3nForConditionalGeneration", "0.10.2"),
        ("Gemma4ForConditionalGeneration", "0.21.0"),
        ("Qwen4ExpForCausalLM", "0.30.0"),
        ("DeepseekV41ForCausalLM", "0.30.0"),
    ],
)
def test_when_architectures_came(architecture: str, since: str) -> None:
    having = [v for v in VERSIONS if any(each.name == architecture for each in capabilities(v).architectures)]
    assert having[0] == since


def test_architectures_that_left_are_known_with_the_version_that_had_them() -> None:
    assert capabilities("0.33.0").removed_architectures["QWenLMHeadModel"] == "0.23.0"
    assert not any(each.name == "QWenLMHeadModel" for each in capabilities("0.33.0").architectures)


def test_parsers_and_variables() -> None:
    for version in ALL:
        assert {"deepseek_r1", "qwen3", "mistral"} <= set(capabilities(version).reasoning_parsers), version
        assert {"hermes", "mistral", "llama3_json"} <= set(capabilities(version).tool_parsers), version
    wsl = [v for v in VERSIONS if "VLLM_WSL2_ENABLE_PIN_MEMORY" in capabilities(v).environment]
    assert wsl == ["0.27.1", "0.28.0", "0.30.0", "0.33.0"]
    assert "VLLM_PLE_CPU_OFFLOAD" in capabilities("0.30.0").environment
    assert "VLLM_PLE_CPU_OFFLOAD" not in capabilities("0.33.0").environment
    assert "VLLM_ATTENTION_BACKEND" not in capabilities("0.33.0").environment


def test_what_changed_for_a_person_between_two_builds() -> None:
    changes = difference(capabilities("0.16.0"), capabilities("0.21.0"))
    mine = {(change.flag, change.what) for change in changes.of(("--swap-space", "--gpu-memory-utilization", "--seed"))}
    assert mine == {("--swap-space", "removed"), ("--gpu-memory-utilization", "default")}
    share = next(change for change in changes.options if change.flag == "--gpu-memory-utilization")
    assert (share.before, share.after) == ("0.9", "0.92")
    assert ("--offload-backend", "added") in {(change.flag, change.what) for change in changes.options}
    assert "Gemma4ForConditionalGeneration" in changes.architectures_added
    assert "hqq" not in changes.quantizations_added


def test_a_flag_that_turns_into_a_no_op_and_back_is_told() -> None:
    worse = difference(capabilities("0.21.0"), capabilities("0.22.1")).of(("--cpu-offload-gb",))
    assert [(change.what, change.after) for change in worse] == [("ignored", "offload_v2_runner")]
    better = difference(capabilities("0.27.1"), capabilities("0.28.0")).of(("--cpu-offload-gb",))
    assert [(change.what, change.before) for change in better] == [("works", "offload_v2_runner")]
    assert difference(capabilities("0.33.0"), capabilities("0.33.0")).options == ()


def test_rows_for_a_table_name_their_source() -> None:
    rows = list(capabilities("0.33.0").rows())
    assert {row.kind for row in rows} == {
        "option", "architecture", "quantization", "ple", "reasoning_parser", "tool_parser", "noop",
    }  # fmt: skip
    (awq,) = [row for row in rows if (row.kind, row.name) == ("quantization", "awq")]
    assert (awq.value, awq.place.partition(":")[0]) == (">= 7.5", "model_executor/layers/quantization/auto_awq.py")


@pytest.mark.parametrize("version", ALL)
def test_no_ops_follow_from_what_was_read(version: str) -> None:
    found = capabilities(version)
    features = frozenset(feature.id for feature in found.features)
    again = noops(version_numbers(found.version), found.platform, found.options, features)
    # The help texts are not in the fixtures, so what an option says of itself cannot be read again.
    assert set(again) == {noop for noop in found.noops if noop.id != "says_so"}


def test_the_source_has_the_last_word_on_a_no_op() -> None:
    options = capabilities("0.27.1").options

    def ids(*features: str) -> set[str]:
        return {noop.id for noop in noops((0, 27, 1), "cuda", options, frozenset(features))}

    assert "offload_v2_runner" in ids("v2_runner")
    assert "offload_v2_runner" not in ids("v2_runner", "v2_runner_offloads")  # the fix, taken over into an older one
    assert "offload_v2_runner" not in ids("server_module")  # without that runner at all
    assert "offload_v2_runner" in ids()  # nothing was read: the version decides
    assert "offload_embeddings" not in ids("v2_runner", "offload_embeddings")
