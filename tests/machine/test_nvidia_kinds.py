"""Unified memory, MIG, two cards whose numbers differ, and laptop GPUs that must not be woken."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from core.machine.nvml import LIBRARY_NOT_FOUND, NvmlFault, Pynvml
from tests.machine.conftest import StartDriver
from tests.machine.test_nvidia import codes, parts
from tests.support.fake_nvml import GIB, gpu, memory
from tests.support.recorded import Recorded


def test_gb10_budgets_the_ram_and_never_adds_the_two_up(computer: Recorded, start_driver: StartDriver) -> None:
    """nvidia-smi there prints [N/A] for memory, yet lists what each process holds."""
    computer.meminfo(total_gib=120, available_gib=70)
    computer.process(4000, "python", 3072, session=4000)
    spark = gpu(name="NVIDIA GB10", memory="!3", compute=f"4000:{40 * GIB}", utilisation="0", power="11170", gen="!3")
    driver = start_driver(spark, count="1")
    driver.tell("serve 4000")
    report = driver.read()
    [card] = report["gpus"]
    assert (card["memory_kind"], card["shares_ram"], card["total_bytes"]) == ("unified", True, None)
    assert card["unknown"]["total_bytes"].startswith("not_supported")
    assert (card["budget_total_bytes"], card["budget_free_bytes"]) == (120 * GIB, 70 * GIB)
    assert card["power_w"] == 11.17
    assert parts(card) == parts(report["ram"])
    assert parts(card)["ours"] == 43 * GIB, (
        "the process's RAM and what it took through CUDA, which no resident size shows"
    )
    assert codes(report) == ["machine.unified_memory"]
    assert card["host_to_device_gb_s"] is None


def test_mig_slices_are_the_gpus_and_the_parent_is_not(start_driver: StartDriver) -> None:
    card = gpu(name="NVIDIA A100-SXM4-40GB", mig="1", mig_count="7", memory=memory(40, 1), card_gen="4")
    slices = {
        "gpu0.mig0.uuid": "MIG-aaaa",
        "gpu0.mig0.name": "NVIDIA A100-SXM4-40GB MIG 3g.20gb",
        "gpu0.mig0.memory": memory(20, 5),
        "gpu0.mig0.compute": "none",
        "gpu0.mig2.uuid": "MIG-bbbb",
        "gpu0.mig2.memory": memory(10, 0.5),
    }
    parent, first, second = start_driver(card, slices, count="1").read()["gpus"]
    assert (parent["usable"], parent["mig_enabled"], parent["parts"]) == (False, True, [])
    assert (first["id"], first["name"]) == ("MIG-aaaa", "NVIDIA A100-SXM4-40GB MIG 3g.20gb")
    assert first["parent"] == parent["id"]
    assert (first["total_bytes"], second["total_bytes"]) == (20 * GIB, 10 * GIB)
    assert first["compute_capability"] == "8.9"
    assert (why(first, "cuda_index"), why(second, "cuda_index")) == ("ambiguous", "ambiguous")
    assert parts(first) == {"other": 5 * GIB, "free": 15 * GIB}


def test_a_mig_slice_is_chosen_by_its_uuid(start_driver: StartDriver) -> None:
    """`int()` on the UUID in CUDA_VISIBLE_DEVICES is how others fall over here."""
    slices = {"gpu0.mig0.uuid": "MIG-aaaa", "gpu0.mig1.uuid": "MIG-bbbb"}
    environment = {"CUDA_VISIBLE_DEVICES": "MIG-bbbb"}
    driver = start_driver(gpu(mig="1", mig_count="2"), slices, count="1", environment=environment)
    _, first, second = driver.read()["gpus"]
    assert (why(first, "cuda_index"), second["cuda_index"]) == ("hidden", 0)


def test_a_mig_container_without_permission_for_the_whole_card(start_driver: StartDriver) -> None:
    card = gpu(mig="1", mig_count="7", memory="!4")
    mine = {"gpu0.mig0.uuid": "MIG-aaaa", "gpu0.mig0.memory": memory(10, 1)}
    report = start_driver(card, mine, count="1").read()
    assert report["gpus"][0]["unknown"]["total_bytes"].startswith("no_permission")
    assert report["gpus"][1]["total_bytes"] == 10 * GIB
    assert codes(report) == ["machine.gpu_no_permission"]
    assert codes(start_driver(gpu(mig="1", mig_count="7"), count="1").read()) == ["machine.mig_hidden"]


FIRST, SECOND = "GPU-00000000-1111-2222-3333-444444444444", "GPU-00000001-1111-2222-3333-444444444444"
TWO = (gpu(0, name="NVIDIA GeForce RTX 3090"), gpu(1, name="NVIDIA GeForce RTX 5090"))


@pytest.mark.parametrize(
    ("environment", "numbers"),
    [
        ({}, ["ambiguous", "ambiguous"]),  # NVML: 3090, 5090. CUDA: the 5090 first
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, [0, 1]),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1"}, ["hidden", 0]),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1,0"}, [1, 0]),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1,7,0"}, ["hidden", 0]),
        ({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0,0"}, ["ambiguous", "ambiguous"]),
        ({"CUDA_VISIBLE_DEVICES": "0"}, ["ambiguous", "ambiguous"]),
        ({"CUDA_VISIBLE_DEVICES": SECOND}, ["hidden", 0]),
        ({"CUDA_VISIBLE_DEVICES": "GPU-00000001,GPU-00000000"}, [1, 0]),
        ({"CUDA_VISIBLE_DEVICES": ""}, ["hidden", "hidden"]),
        ({"CUDA_VISIBLE_DEVICES": "MIG-1234"}, ["hidden", "hidden"]),
    ],
)
def test_two_cards_whose_numbers_differ(
    start_driver: StartDriver, environment: dict[str, str], numbers: list[Any]
) -> None:
    report = start_driver(*TWO, count="2", environment=environment).read()
    found = [
        card["cuda_index"] if card["cuda_index"] is not None else why(card, "cuda_index") for card in report["gpus"]
    ]
    assert found == numbers
    assert [card["index"] for card in report["gpus"]] == [0, 1]
    assert ("machine.cuda_order" in codes(report)) == ("ambiguous" in numbers)


def why(of: Any, key: str) -> str:
    return of["unknown"][key].partition(":")[0]


def test_two_of_the_same_model_have_known_numbers(start_driver: StartDriver) -> None:
    report = start_driver(gpu(0), gpu(1), count="2").read()
    assert [card["cuda_index"] for card in report["gpus"]] == [0, 1]


def laptop(computer: Recorded, status: str) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de", status=status, control="auto")


def test_a_sleeping_laptop_gpu_is_never_asked(computer: Recorded, start_driver: StartDriver) -> None:
    laptop(computer, "suspended")
    driver = start_driver(gpu(), count="1")
    report = driver.read()
    driver.tell("skip 3600")
    driver.read()
    assert driver.calls() == []
    [card] = report["gpus"]
    assert (card["asleep"], card["name"], card["unknown"]["used_bytes"]) == (True, "NVIDIA GPU [10de:2684]", "asleep")
    laptop(computer, "active")
    assert driver.read()["gpus"][0]["used_bytes"] == 2 * GIB


def test_an_idle_laptop_gpu_is_left_alone_so_that_it_can_fall_asleep(
    computer: Recorded, start_driver: StartDriver
) -> None:
    laptop(computer, "active")
    idle = gpu(utilisation="0", graphics=f"800:{4 << 20}")
    driver = start_driver(idle, count="1")
    assert driver.read()["gpus"][0]["used_bytes"] == 2 * GIB
    assert driver.calls()[-1] == "nvmlShutdown"
    driver.tell("skip 30")
    assert driver.read()["gpus"][0]["used_bytes"] == 2 * GIB, "the last figures stay"
    assert driver.calls() == []
    laptop(computer, "suspended")
    driver.tell("skip 60")
    [card] = driver.read()["gpus"]
    assert (card["asleep"], card["name"], card["total_bytes"]) == (True, "NVIDIA GeForce RTX 4090", 24 * GIB)
    assert driver.calls() == []


@pytest.mark.parametrize("busy", [{"utilisation": "35"}, {"compute": f"5010:{GIB}"}])
def test_a_laptop_gpu_at_work_is_watched_at_every_sample(
    computer: Recorded, start_driver: StartDriver, busy: dict[str, str]
) -> None:
    laptop(computer, "active")
    driver = start_driver(gpu(**({"utilisation": "0"} | busy)), count="1")
    driver.read()
    driver.read()
    assert "nvmlShutdown" not in driver.calls()


def test_a_desktop_gpu_that_cannot_sleep_is_watched_though_idle(computer: Recorded, start_driver: StartDriver) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de", control="on")
    driver = start_driver(gpu(utilisation="0"), count="1")
    driver.read()
    driver.read()
    assert driver.calls().count("nvmlDeviceGetMemoryInfo_v2") == 2


def test_one_sleeps_while_the_other_works(computer: Recorded, start_driver: StartDriver) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de", control="auto")
    computer.pci_gpu("0000:02:00.0", "0x10de", control="on")
    driver = start_driver(gpu(0, utilisation="0"), gpu(1, utilisation="90"), count="2")
    driver.read()
    computer.put("/sys/bus/pci/devices/0000:01:00.0/power/runtime_status", "suspended\n")
    driver.calls()
    first, second = driver.read()["gpus"]
    assert (first["asleep"], first["used_bytes"], second["used_bytes"]) == (True, None, 2 * GIB)
    assert driver.calls().count("nvmlDeviceGetMemoryInfo_v2") == 1


@pytest.mark.parametrize(
    ("changes", "slot", "expected"),
    [
        ({}, ("16.0 GT/s PCIe", 16), []),
        ({}, ("16.0 GT/s PCIe", 4), ["machine.slot_narrow"]),
        ({"max_gen": "3"}, ("8.0 GT/s PCIe", 16), ["machine.slot_slow"]),
        ({"gen": "1", "width": "16", "utilisation": "3"}, ("16.0 GT/s PCIe", 16), []),  # idle: gen 1 means nothing
        (
            {"gen": "3", "width": "8", "utilisation": "95"},
            ("16.0 GT/s PCIe", 16),
            ["machine.slot_narrow", "machine.slot_slow"],
        ),
    ],
)
def test_a_card_in_a_worse_slot_than_it_could_have(
    computer: Recorded,
    start_driver: StartDriver,
    changes: dict[str, str],
    slot: tuple[str, int],
    expected: list[str],
) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de", slot_link=slot)
    assert codes(start_driver(gpu(**changes), count="1").read()) == expected


def test_the_real_binding_says_library_not_found_where_there_is_none() -> None:
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        with pytest.raises(NvmlFault) as caught:
            Pynvml().open()
        assert caught.value.code == LIBRARY_NOT_FOUND
    else:
        pytest.skip("not run: this computer has NVML")
