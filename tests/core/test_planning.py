"""From choices, engine and computer to a plan, its levers and what the launcher passes on."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.checkpoint.load import load_checkpoint
from core.engine.command import Tuning, build_command, shown_command
from core.engine.found.translate import translate
from core.errors import AppError
from core.events import EngineInfo, EngineState, EventBus
from core.machine.model import DiskKind
from core.machine.probe.result import LinkProbe, Probe
from core.machine.reading import Known
from core.models import Models
from core.paths import Paths
from core.planner.amounts import Verdict
from core.planner.levers import levers
from core.planner.options import GIB
from core.planning.checkpoints import Checkpoints
from core.planning.choices import Choices, engine_of, options_of, pulled, request_of, tuning_of
from core.planning.found_choices import with_found
from core.planning.hardware import card_memory, launch_hardware, planned_gpu
from core.planning.launch_plan import Basis, NoPlan, levers_of, plan_launch
from core.planning.levers import CARRIED_OUT
from core.settings import SettingsStore
from tests.support import builds, machines
from tests.support.plans import published
from tests.support.published import make_published

CPU = EngineInfo("cpu-0.32.0", EngineState.READY, "0.32.0+cpu", "cpu", "/engines/cpu/bin/python", "3.12", ours=True)
CUDA = EngineInfo("cuda-0.33.0", EngineState.READY, "0.33.0", "cuda", "/engines/cuda/bin/python", "3.12", ours=True)


def basis(name: str = "Qwen__Qwen3-8B", engine: EngineInfo = CUDA, sample: str = "idle_desktop") -> Basis:
    machine = getattr(machines, sample)().machine
    return Basis(published(name), engine_of(engine.version, engine.platform), machine)


def test_versions() -> None:
    assert engine_of("0.32.0+cpu", "cpu").version == (0, 32, 0)
    assert engine_of("0.33.1rc2.dev5", "cuda").version == (0, 33, 1)
    assert engine_of("", "").platform == "cpu"


def test_a_cuda_launch_passes_on_what_its_plan_chose() -> None:
    choices = Choices(8192, False, 1, 4, 1024, "fp8", 7.5, 0.5)
    plan = plan_launch(basis(), choices)
    request = request_of("m", "/m", CUDA, choices, plan)
    argv = " ".join(build_command(request, 8000, "key", {}).argv)
    assert plan.utilization is not None
    for part in (
        "--max-model-len 8192",
        "--max-num-seqs 4",
        "--max-num-batched-tokens 1024",
        "--kv-cache-dtype fp8",
        "--cpu-offload-gb 7.5",
        f"--gpu-memory-utilization {plan.utilization:.3f}",
    ):
        assert part in argv
        assert part in " ".join(plan.command.arguments)
    shown = shown_command(request)
    assert "--port" not in shown
    assert "key" not in shown.lower().replace("--kv", "")


@pytest.mark.parametrize("share", [0.5, 0.7, 0.85])
def test_a_pasted_share_of_the_card_is_the_share_that_is_launched(share: float) -> None:
    """Some of the card is other programs'; a share counts of the whole card, "leave free" of what they leave."""
    found = translate(f"vllm serve m --gpu-memory-utilization {share}", builds.capabilities("0.33.0"))
    chosen = with_found(Choices(8192, offload_gib=7.5), found, card_memory(basis().machine))
    assert tuning_of(chosen, plan_launch(basis(), chosen)).gpu_memory_utilization == pytest.approx(share, abs=0.006)


def test_a_share_that_other_programs_have_taken_already_leaves_nothing_free() -> None:
    found = translate("vllm serve m --gpu-memory-utilization 0.99", builds.capabilities("0.33.0"))
    assert with_found(Choices(), found, card_memory(basis().machine)).leave_free_gib == 0.0


def test_a_cpu_launch_gets_no_option_of_a_card() -> None:
    choices = Choices(2048, True, 3, 2, 512, "fp8", 7.5, 0.5)
    plan = plan_launch(basis("Qwen__Qwen3-0.6B", CPU, "no_gpu"), choices)
    command = build_command(request_of("m", "/m", CPU, choices, plan), 8000, "key", {})
    argv = " ".join(command.argv)
    assert argv.endswith("--max-model-len 2048 --enforce-eager --max-num-seqs 2 --max-num-batched-tokens 512")
    assert command.env["VLLM_CPU_KVCACHE_SPACE"] == "3"
    # Not even from a tuning that says so: a CPU build accepts the offload and does nothing.
    told = replace(request_of("m", "/m", CPU, choices), tuning=Tuning(cpu_offload_gib=4, gpu_memory_utilization=0.9))
    assert "--cpu-offload-gb" not in build_command(told, 8000, "key", {}).argv
    assert "--gpu-memory-utilization" not in build_command(told, 8000, "key", {}).argv


def test_the_runner_that_ignores_offload_is_not_used() -> None:
    old = replace(CUDA, version="0.25.1")
    choices = Choices(4096, offload_gib=4)
    plan = plan_launch(basis(engine=old), choices)
    request = request_of("m", "/m", old, choices, plan)
    assert build_command(request, 8000, "key", {}).env["VLLM_USE_V2_MODEL_RUNNER"] == "0"
    assert shown_command(request).startswith("VLLM_USE_V2_MODEL_RUNNER=0 ")


def test_without_a_plan_the_share_of_the_card_is_left_to_vllm() -> None:
    assert tuning_of(Choices(max_num_seqs=2)) == Tuning(2)


def test_the_card_is_the_one_that_cuda_calls_device_0() -> None:
    sample = machines.two_cards()
    gpus = tuple(replace(gpu, cuda_index=Known(1 - gpu.index)) for gpu in sample.machine.gpus)
    machine = replace(sample.machine, gpus=gpus)
    gpu = planned_gpu(machine)
    assert gpu is not None
    assert gpu.id == "GPU-1"
    probe = Probe(ram_read_gb_s=Known(60.0), links=(LinkProbe("GPU-0", 9.0, 3.0), LinkProbe("GPU-1", 11.0, 3.0)))
    hardware = launch_hardware(machine, probe)
    assert [card.name for card in hardware.gpus] == ["NVIDIA GeForce RTX 3060"]
    assert hardware.gpus[0].link == 11e9
    assert hardware.ram_bandwidth == 60e9


def test_a_model_on_another_disk_is_read_from_that_one() -> None:
    machine = machines.two_cards().machine
    models = machine.disk("models")
    assert models is not None
    probe = Probe(disk_random_iops=Known(400_000.0), disk_random_latency_us=Known(80.0))
    slow = replace(models, mount="/mnt/old", roles=("model",), kind=Known(DiskKind.HDD))
    for disk in (None, models):
        hardware = launch_hardware(machine, probe, disk)
        assert (hardware.disk_kind, hardware.disk_latency_s) == (str(models.kind.or_none()), 80e-6)
    hardware = launch_hardware(machine, probe, slow)
    assert (hardware.disk_kind, hardware.disk_latency_s, hardware.disk_random_iops) == ("hdd", None, None)


def test_a_card_that_tells_nothing_is_planned_for_and_not_judged() -> None:
    machine = machines.unknown_figures().machine
    machine = replace(machine, gpus=(replace(machine.gpus[0], name="NVIDIA of a kind that no table has"),))
    card = launch_hardware(machine).gpus[0]
    assert (card.total_bytes, card.free_bytes, card.capability, card.bandwidth) == (0, None, (8, 9), 0.0)
    plan = plan_launch(replace(basis("Qwen__Qwen3-0.6B"), machine=machine), Choices(4096))
    assert plan.verdict is Verdict.UNKNOWN
    assert plan.speed is None


def test_obstacles() -> None:
    assert basis(sample="no_gpu").obstacle() is NoPlan.NO_CARD
    assert basis(engine=replace(CUDA, platform="rocm")).obstacle() is NoPlan.PLATFORM
    assert basis(engine=CPU, sample="no_gpu").obstacle() is None


def test_levers_only_do_what_a_launch_can() -> None:
    start = Choices(8192)
    rests_on = basis()
    plan = plan_launch(rests_on, start)
    assert plan.verdict is Verdict.NO
    found = levers_of(rests_on, plan)
    assert [lever.id for lever in found] == ["cpu_offload_gb"]
    changed = pulled(start, found[0])
    assert changed == replace(start, offload_gib=float(found[0].value))
    assert plan_launch(rests_on, changed).verdict is Verdict.FITS


def test_what_no_launch_can_do_is_no_lever() -> None:
    rests_on = basis("google__gemma-3-27b-it")
    plan = plan_launch(rests_on, Choices(8192))
    assert plan.verdict is Verdict.NO
    planners = {lever.id for lever in levers(rests_on.checkpoint, plan.request, plan)}
    assert {"language_model_only", "async_scheduling"} <= planners
    offered = levers_of(rests_on, plan)
    assert offered
    assert {lever.id for lever in offered} <= CARRIED_OUT


def test_needless_offload_is_noticed() -> None:
    rests_on = basis("Qwen__Qwen3-0.6B")
    slow = Choices(4096, False, offload_gib=1.0)
    found = levers_of(rests_on, plan_launch(rests_on, slow))
    assert [(lever.id, lever.value) for lever in found] == [("cpu_offload_gb", "0")]
    assert pulled(slow, found[0]).offload_gib == 0
    assert found[0].speed_factor is not None
    assert found[0].speed_factor > 1.5


def test_levers_of_a_cpu_build() -> None:
    rests_on = basis("Qwen__Qwen3-0.6B", CPU, "no_gpu")
    plan = plan_launch(rests_on, Choices(cpu_kv_cache_gib=1))
    assert plan.verdict is Verdict.NO
    assert plan.kv.refused
    space, context = levers_of(rests_on, plan)
    assert (space.id, context.id) == ("cpu_kv_cache", "context")
    for lever in (space, context):
        after = plan_launch(rests_on, pulled(Choices(cpu_kv_cache_gib=1), lever))
        assert after.verdict is Verdict.FITS
        assert after.kv.refused is None
    # Not a GiB more than one request needs.
    assert plan.kv.bytes_one_request <= int(space.value) * GIB < plan.kv.bytes_one_request + GIB


@pytest.fixture
def reader(home: Paths) -> Checkpoints:
    return Checkpoints(Models(home, SettingsStore(home.settings_file), EventBus()))


def test_a_checkpoint_is_read_once_until_its_files_change(reader: Checkpoints, tmp_path: Path) -> None:
    folder = make_published(tmp_path / "m", "Qwen__Qwen3-0.6B")

    def read() -> object:
        return asyncio.run(reader.read(str(folder)))

    first = read()
    assert read() is first
    config = folder / "config.json"
    changed = json.loads(config.read_text("utf-8")) | {"max_position_embeddings": 1024}
    config.write_text(json.dumps(changed), encoding="utf-8")
    second = read()
    assert second is not first
    os.utime(folder / "model.safetensors", ns=(1, 1))
    assert read() is not second


def test_the_starter_is_known_before_it_is_made(reader: Checkpoints) -> None:
    starter = asyncio.run(reader.read("starter"))
    made = published("HuggingFaceTB__SmolLM2-135M-Instruct")
    assert starter.inventory("bfloat16").total_bytes == made.inventory("bfloat16").total_bytes


def test_a_folder_that_is_gone(reader: Checkpoints, tmp_path: Path) -> None:
    with pytest.raises(AppError) as caught:
        asyncio.run(reader.read(str(tmp_path / "gone")))
    assert caught.value.code == "model.folder_missing"


def test_the_exact_figures_of_a_folder(tmp_path: Path) -> None:
    folder = make_published(tmp_path / "m", "Qwen__Qwen3-8B")
    rests_on = replace(basis(), checkpoint=load_checkpoint(folder))
    bare = plan_launch(basis(), Choices(8192))
    whole = plan_launch(rests_on, Choices(8192))
    assert whole.weights.amount == bare.weights.amount
    assert [item.id for tier in whole.tiers if tier.id == "disk" for item in tier.items if item.amount.top] == [
        "caches"
    ]


@pytest.mark.parametrize(
    ("choices", "platform", "at_once"),
    [
        (Choices(offload_gib=8.0), "cuda", 1),
        (Choices(offload_gib=8.0, max_num_seqs=16), "cuda", 16),
        (Choices(offload_gib=0.5), "cuda", None),
        (Choices(offload_gib=8.0), "cpu", None),
    ],
)
def test_requests_to_a_heavily_offloaded_model_wait_for_each_other(
    choices: Choices, platform: str, at_once: int | None
) -> None:
    """In the plan and in the launch alike."""
    assert options_of(choices, engine_of("0.33.0", platform)).max_num_seqs == at_once
    assert tuning_of(choices, cpu=platform == "cpu").max_num_seqs == at_once
