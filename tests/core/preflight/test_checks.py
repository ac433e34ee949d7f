"""The rules of a preflight on computers, engines and models that are not at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from core.checkpoint.architecture import read_checkpoint
from core.engine.command import HOST
from core.engine.options import LaunchOptions
from core.events import EngineInfo, EngineState, ErrorInfo
from core.machine.model import Platform
from core.machine.reading import Known
from core.planner.options import GIB
from core.planning.choices import Choices, engine_of
from core.planning.launch_plan import Basis, levers_of, plan_launch
from core.preflight.checks import Question, judge
from core.preflight.finding import PLAN_WAS_SHOWN, Consent, Finding, Preflight, Severity
from core.preflight.surroundings import OtherServer, PortHolder, Surroundings
from core.preflight.text import button_text
from tests.support import machines
from tests.support.builds import CPU, VERSIONS, capabilities
from tests.support.plans import config, published

CALM = Surroundings(
    state_free_bytes=100 * GIB, cache_free_bytes=100 * GIB, open_files=(1024, 1 << 20), compiler="/usr/bin/gcc",
    headers=True, template=True,
)  # fmt: skip


BUILDS = (*VERSIONS, "0.32.0")


def engine(version: str = "0.33.0", platform: str = "cuda") -> EngineInfo:
    return EngineInfo(
        f"{platform}-{version}", EngineState.READY, version, platform, "/e/bin/python", "3.12.1", ours=True
    )


def question(
    *,
    model: str = "Qwen__Qwen3-1.7B",
    info: EngineInfo | None = None,
    choices: Choices | None = None,
    sample: str = "idle_desktop",
    machine_changes: dict[str, Any] | None = None,
    config_changes: dict[str, Any] | None = None,
    **seen: Any,
) -> Question:
    info, choices = info or engine(), choices or Choices(context=4096, enforce_eager=False)
    machine = replace(getattr(machines, sample)().machine, **(machine_changes or {}))
    checkpoint = published(model) if not config_changes else read_checkpoint(config(model) | config_changes)
    basis = Basis(checkpoint, engine_of(info.version, info.platform), machine)
    plan = plan_launch(basis, choices) if basis.obstacle() is None else None
    levers = levers_of(basis, plan) if plan is not None else ()
    known = capabilities(CPU if info.platform == "cpu" else info.version) if info.version in BUILDS else None
    seen_now = replace(CALM, **seen)
    return Question(info, basis.engine, choices, machine, seen_now, checkpoint, plan, levers, capabilities=known)


def found(asked: Question) -> dict[str, Finding]:
    return {finding.code: finding for finding in judge(asked)}


def test_a_calm_computer_gives_no_finding() -> None:
    assert found(question()) == {}
    cpu = question(model="Qwen__Qwen3-0.6B", info=engine("0.32.0", "cpu"), sample="no_gpu")
    assert found(replace(cpu, machine=replace(cpu.machine, cpu=replace(cpu.machine.cpu, features=frozenset())))) == {}


def test_a_taken_port_is_never_launched_at_but_another_one_is() -> None:
    finding = found(replace(question(port_holder=PortHolder(17, "python")), port=8000))["preflight.port_taken"]
    assert (finding.severity, finding.anyway) == (Severity.BLOCK, False)
    assert finding.info.facts == {"port": 8000, "holder": "python", "pid": 17}
    assert finding.info.detail == HOST
    assert finding.remedy is not None
    assert finding.remedy.any_port


def test_a_model_that_does_not_fit_brings_the_best_lever_as_choices() -> None:
    finding = found(question(model="Qwen__Qwen2.5-72B-Instruct"))["preflight.no_vram"]
    assert (finding.severity, finding.anyway) == (Severity.BLOCK, True)
    facts = finding.info.facts
    assert isinstance(facts["needed_bytes"], int)
    assert isinstance(facts["free_bytes"], int)
    assert facts["lacking_bytes"] == facts["needed_bytes"] - facts["free_bytes"]
    large = question(model="Qwen__Qwen3-8B")
    (first,) = found(large).values()
    assert first.remedy is not None
    assert first.remedy.choices not in (None, large.choices)
    assert "{" not in button_text(first.remedy, "en")
    assert button_text(first.remedy, "ru") != button_text(first.remedy, "en")


def test_what_vllm_refuses_is_told_with_its_reason() -> None:
    finding = found(question(choices=Choices(context=10_000_000)))["preflight.refused"]
    assert "10000000" in str(finding.info.facts["reason"])
    assert finding.remedy is not None
    assert finding.remedy.choices == Choices(context=40960)


def test_a_cpu_kv_cache_too_small_for_the_context() -> None:
    choices = Choices(context=40960, cpu_kv_cache_gib=1)
    finding = found(question(model="Qwen__Qwen3-0.6B", info=engine("0.32.0", "cpu"), choices=choices, sample="no_gpu"))
    small = finding["preflight.kv_too_small"]
    longest = small.info.facts["longest"]
    assert isinstance(longest, int)
    assert longest < 40960
    assert small.remedy is not None
    assert small.remedy.choices is not None
    assert small.remedy.choices.cpu_kv_cache_gib == 5


@pytest.mark.parametrize(
    ("version", "capability", "code"),
    [("0.33.0", "6.1", True), ("0.33.0", "7.0", True), ("0.16.0", "7.0", False), ("0.33.0", "7.5", False)],
)
def test_a_card_older_than_the_wheel(version: str, capability: str, code: bool) -> None:
    machine = machines.idle_desktop().machine
    gpus = tuple(replace(gpu, compute_capability=Known(capability)) for gpu in machine.gpus)
    asked = question(info=engine(version), machine_changes={"gpus": gpus})
    assert ("preflight.gpu_old" in found(asked)) is code


def test_a_cuda_engine_without_a_card() -> None:
    assert found(question(sample="no_gpu"))["preflight.no_gpu"].severity is Severity.BLOCK


@pytest.mark.parametrize(
    ("method", "info", "codes"),
    [
        ("bitsandbytes", engine("0.28.0"), {"preflight.method_gone"}),
        ("bitsandbytes", engine("0.21.0"), set()),
        ("auto-round", engine("0.33.0"), set()),
        ("mxfp4", engine("0.33.0"), set()),
        ("mxfp4", engine("0.32.0", "cpu"), {"preflight.method_cpu"}),
        ("gptq", engine("0.32.0", "cpu"), set()),
    ],
)
def test_quantizations(method: str, info: EngineInfo, codes: set[str]) -> None:
    changes = {"quantization_config": {"quant_method": method, "bits": 4, "group_size": 128}}
    asked = question(
        model="Qwen__Qwen3-0.6B", info=info, config_changes=changes, choices=Choices(context=2048),
        sample="no_gpu" if info.platform == "cpu" else "idle_desktop",
    )  # fmt: skip
    assert {code for code in found(asked) if code.startswith("preflight.method")} == codes


def test_a_card_below_what_the_method_s_own_source_asks_for() -> None:
    machine = machines.idle_desktop().machine
    gpus = tuple(replace(gpu, compute_capability=Known("7.5")) for gpu in machine.gpus)
    changes = {"quantization_config": {"quant_method": "mxfp4"}}
    asked = question(model="Qwen__Qwen3-0.6B", config_changes=changes, machine_changes={"gpus": gpus})
    finding = found(asked)["preflight.method_gpu"]
    assert (finding.severity, finding.info.facts["needed"], finding.info.facts["found"]) == (
        Severity.BLOCK,
        "8.0",
        "7.5",
    )
    assert "preflight.method_gpu" not in found(replace(asked, capabilities=None)), "nothing is guessed"


def test_architectures_against_the_engine_s_own_list() -> None:
    asked = question()
    assert asked.capabilities is not None
    llama = tuple(item for item in asked.capabilities.architectures if item.name == "LlamaForCausalLM")
    without = msgspec.structs.replace(asked.capabilities, architectures=llama)
    unknown = found(replace(asked, capabilities=without))
    assert unknown["preflight.architecture_unknown"].severity is Severity.WARN
    gone = msgspec.structs.replace(without, removed_architectures={"Qwen3ForCausalLM": "0.9"})
    assert found(replace(asked, capabilities=gone))["preflight.architecture_gone"].severity is Severity.BLOCK
    assert found(replace(asked, capabilities=None)) == {}


@pytest.mark.parametrize(
    ("platform", "eager", "severity"),
    [
        ("cuda", False, Severity.BLOCK),
        ("cuda", True, Severity.WARN),
        ("cpu", False, Severity.BLOCK),
        ("cpu", True, None),
    ],
)
@pytest.mark.parametrize(
    ("seen", "code"), [({"compiler": ""}, "preflight.no_compiler"), ({"headers": False}, "preflight.no_headers")]
)
def test_what_compiling_needs(
    platform: str, eager: bool, severity: Severity | None, seen: dict[str, Any], code: str
) -> None:
    version = "0.32.0" if platform == "cpu" else "0.33.0"
    asked = question(
        model="Qwen__Qwen3-0.6B", info=engine(version, platform), choices=Choices(2048, eager),
        sample="no_gpu" if platform == "cpu" else "idle_desktop", **seen,
    )  # fmt: skip
    finding = found(asked).get(code)
    assert (finding.severity if finding is not None else None) is severity
    if severity is Severity.BLOCK:
        assert finding is not None
        assert finding.remedy is not None
        assert finding.remedy.choices == Choices(2048, True)


@pytest.mark.parametrize(("features", "code"), [({"avx2"}, "preflight.no_avx512"), ({"sse"}, "preflight.cpu_old")])
def test_processors_without_the_wide_instructions(features: set[str], code: str) -> None:
    cpu = replace(machines.no_gpu().machine.cpu, architecture="x86_64", features=frozenset(features))
    asked = question(
        model="Qwen__Qwen3-0.6B", info=engine("0.32.0", "cpu"), sample="no_gpu", machine_changes={"cpu": cpu}
    )
    assert code in found(asked)


@pytest.mark.parametrize(
    ("seen", "code", "severity"),
    [
        ({"state_free_bytes": 1000}, "preflight.disk_full", Severity.BLOCK),
        ({"cache_free_bytes": 1000}, "preflight.cache_full", Severity.WARN),
        ({"open_files": (200, 200)}, "preflight.open_files", Severity.BLOCK),
        ({"open_files": (256, 512)}, "preflight.open_files", Severity.WARN),
        ({"template": False}, "preflight.no_template", Severity.WARN),
        ({"others": (OtherServer("m", 8000),)}, "preflight.other_server", Severity.INFO),
    ],
)
def test_what_is_short(seen: dict[str, Any], code: str, severity: Severity) -> None:
    assert {c: f.severity for c, f in found(question(**seen)).items()} == {code: severity}


def test_small_shared_memory_and_a_low_limit_of_locked_memory() -> None:
    ram = replace(machines.idle_desktop().machine.ram, shm_free_bytes=Known(64 << 20), memlock_bytes=Known(1 << 20))
    codes = found(question(machine_changes={"ram": ram}, choices=Choices(4096, True, offload_gib=1)))
    assert set(codes) == {"preflight.shm_small", "preflight.memlock"}


@pytest.mark.parametrize(("version", "code"), [("0.16.0", "preflight.wsl_no_offload"), ("0.33.0", None)])
def test_offload_under_wsl(version: str, code: str | None) -> None:
    asked = question(
        info=engine(version), choices=Choices(4096, True, offload_gib=1),
        machine_changes={"platform": Platform("linux", "6.6", wsl=2)},
    )  # fmt: skip
    finding = next((f for c, f in found(asked).items() if "wsl" in c), None)
    assert (finding.code if finding is not None else None) == code
    if finding is not None:
        assert finding.remedy is not None
        assert finding.remedy.choices == Choices(4096, True)


def test_a_broken_folder_keeps_its_own_words_and_cannot_be_forced() -> None:
    finding = found(question(files=ErrorInfo("model.missing_shards", "a, b", {"path": "/m", "count": 2})))
    broken = finding["model.missing_shards"]
    assert (broken.severity, broken.anyway, broken.info.facts["count"]) == (Severity.BLOCK, False, 2)


def test_consent_covers_what_may_be_overridden_and_nothing_else() -> None:
    fixed = Finding(Severity.BLOCK, ErrorInfo("preflight.port_taken"), anyway=False)
    plan = Finding(Severity.BLOCK, ErrorInfo("preflight.no_ram"))
    compiler = Finding(Severity.BLOCK, ErrorInfo("preflight.no_compiler"))
    warning = Finding(Severity.WARN, ErrorInfo("preflight.tight"))
    assert Preflight((plan, warning)).blocking(PLAN_WAS_SHOWN) is None
    assert Preflight((plan, compiler)).blocking(PLAN_WAS_SHOWN) is compiler
    assert Preflight((plan, compiler)).blocking(Consent(everything=True)) is None
    assert Preflight((plan, fixed)).blocking(Consent(everything=True)) is fixed
    assert Preflight((warning,)).blocking(Consent()) is None


def test_an_extra_word_that_the_build_does_not_list_may_be_launched_anyway_or_left_out() -> None:
    more = LaunchOptions(extra=("--nothing-like-this", "4", "--seed", "3"))
    finding = found(question(choices=Choices(4096, more=more)))["option.unlike"]
    assert (finding.severity, finding.anyway) == (Severity.BLOCK, True)
    assert finding.remedy is not None
    assert finding.remedy.choices == Choices(4096, more=LaunchOptions(extra=("--seed", "3")))
    assert button_text(finding.remedy, "en") == "Launch without --nothing-like-this"
    assert Preflight((finding,)).blocking(PLAN_WAS_SHOWN) is finding
    assert Preflight((finding,)).blocking(Consent(everything=True)) is None
    ours = found(question(choices=Choices(4096, more=LaunchOptions(extra=("--port", "1")))))["option.ours"]
    assert not ours.anyway, "Stowage would write it a second time"
