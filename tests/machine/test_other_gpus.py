"""AMD cards and APUs, Intel, Apple and Jetson."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from core.machine.amd import AmdReader, names_from
from core.machine.budget import MemoryLedger
from core.machine.model import Gpu, Machine, MemoryKind, Vendor
from core.machine.nvml import LIBRARY_NOT_FOUND, NvmlFault, Pynvml
from core.machine.reader import MachineReader, Sources
from core.machine.reading import Known, Unknown, Why
from core.machine.tree import Space, Tree
from tests.support.recorded import GIB, Recorded


class NoNvml(Pynvml):
    """A computer without NVIDIA's library, also when the tests run on one that has it."""

    def open(self) -> None:
        raise NvmlFault(LIBRARY_NOT_FOUND, "NVML Shared Library Not Found")


def sources(computer: Recorded, **changes: object) -> Sources:
    tree = Tree(computer.root, lambda _path: Space(100 * GIB, 40 * GIB))
    plain = Sources({"models": Path("/home")}, tree, NoNvml, environment={}, market_names=dict[str, str])
    return replace(plain, **changes)


def take(computer: Recorded, **changes: object) -> tuple[Machine, MemoryLedger]:
    return MachineReader(sources(computer, **changes)).read()


def radeon(
    computer: Recorded,
    *,
    vram: tuple[float, float],
    gtt: tuple[float, float],
    metrics: int | None = None,
    bus_id: str = "0000:03:00.0",
    status: str = "active",
    control: str = "on",
) -> str:
    folder = computer.pci_gpu(bus_id, "0x1002", device="0x744c", status=status, control=control)
    for name, (total, used) in (("vram", vram), ("gtt", gtt)):
        computer.put(f"{folder}/mem_info_{name}_total", f"{int(total * GIB)}\n")
        computer.put(f"{folder}/mem_info_{name}_used", f"{int(used * GIB)}\n")
    if metrics is not None:
        computer.put(f"{folder}/gpu_metrics", struct.pack("<HBB", 120, metrics, 3) + b"\0" * 116)
    return folder


def test_a_radeon_card(computer: Recorded) -> None:
    folder = radeon(computer, vram=(24, 3), gtt=(32, 0.25), metrics=1)
    for name, text in {
        "unique_id": "8f3c1a2b",
        "product_name": "Radeon RX 7900 XTX",
        "gpu_busy_percent": "12",
        "hwmon/hwmon4/power1_average": "87000000",
        "hwmon/hwmon4/temp1_input": "54000",
    }.items():
        computer.put(f"{folder}/{name}", text + "\n")
    machine, ledger = take(computer)
    [card] = machine.gpus
    assert (card.id, card.vendor, card.name) == ("amd:8f3c1a2b", Vendor.AMD, "Radeon RX 7900 XTX")
    assert card.memory_kind is MemoryKind.DEDICATED
    assert machine.gpu_budget(card) == (Known(24 * GIB), Known(21 * GIB))
    assert (card.utilisation_percent, card.power_w, card.temperature_c) == (Known(12), Known(87.0), Known(54))
    assert card.pcie.gen_max == Known(4)
    assert [(segment.part, segment.bytes) for segment in ledger.gpus[0].segments] == [
        ("other", 3 * GIB),
        ("free", 21 * GIB),
    ]


@pytest.mark.parametrize("metrics", [2, 3])
@pytest.mark.parametrize(("vram", "gtt"), [(0.5, 62), (96, 16)])
def test_an_apu_has_one_budget_of_carve_out_and_gtt(computer: Recorded, metrics: int, vram: float, gtt: float) -> None:
    """gpustack issue 4848 took 512 MiB of 128 GB for all there is; others count VRAM and GTT twice."""
    computer.meminfo(total_gib=124 - vram, available_gib=100 - vram if vram < 1 else 10)
    radeon(computer, vram=(vram, 0.25), gtt=(gtt, 2), metrics=metrics)
    machine, ledger = take(computer)
    [apu] = machine.gpus
    assert apu.memory_kind is MemoryKind.CARVED
    assert apu.shares_ram
    assert (apu.memory.total, apu.memory.gtt_total) == (Known(int(vram * GIB)), Known(int(gtt * GIB)))
    available = machine.ram.available_bytes.or_none() or 0
    free_gtt = min(int((gtt - 2) * GIB), available)
    assert machine.gpu_budget(apu) == (Known(int((vram + gtt) * GIB)), Known(int((vram - 0.25) * GIB) + free_gtt))
    assert sum(segment.bytes for segment in ledger.gpus[0].segments) == int((vram + gtt) * GIB)


@pytest.mark.parametrize(
    ("vram", "gtt", "kind"),
    [(0.5, 16, MemoryKind.CARVED), (4, 32, MemoryKind.DEDICATED), (24, 16, MemoryKind.DEDICATED)],
)
def test_without_a_metrics_table_only_a_tiny_vram_means_apu(
    computer: Recorded, vram: float, gtt: float, kind: MemoryKind
) -> None:
    radeon(computer, vram=(vram, 0), gtt=(gtt, 0))
    assert take(computer)[0].gpus[0].memory_kind is kind


def test_a_sleeping_radeon_is_not_asked(computer: Recorded) -> None:
    """Its files wake it, so here they cannot be read at all."""
    folder = radeon(computer, vram=(8, 1), gtt=(16, 0), status="suspended", control="auto")

    class Guarded(Tree):
        def bytes(self, path: str) -> bytes:
            assert "mem_info" not in path, "this wakes the card"
            assert "gpu_metrics" not in path, "this wakes the card"
            return super().bytes(path)

    guarded = Guarded(computer.root, lambda _path: Space(1, 1))
    machine, _ = take(computer, tree=guarded, market_names=_forbidden)
    [card] = machine.gpus
    assert (card.asleep, card.memory.used) == (True, Unknown(Why.ASLEEP))
    reader = AmdReader(Tree(computer.root), dict[str, str])
    assert reader.read()[0].asleep
    computer.put(f"{folder}/power/runtime_status", "active\n")
    assert reader.read()[0].memory.used == Known(GIB)


def _forbidden() -> Mapping[str, str]:
    raise AssertionError("amdsmi wakes the card")


def test_a_file_that_is_refused_blanks_only_itself(computer: Recorded) -> None:
    folder = radeon(computer, vram=(8, 1), gtt=(16, 0), metrics=1)
    (computer.root / folder.lstrip("/") / "mem_info_vram_used").unlink()
    [card] = take(computer)[0].gpus
    assert card.memory.total == Known(8 * GIB)
    assert isinstance(card.memory.used, Unknown)
    assert isinstance(card.memory.free, Unknown)


class FakeAmdSmi:
    """The part of ROCm's Python module that we use."""

    class AmdSmiException(Exception):
        pass

    def __init__(self, names: dict[str, str], broken: str = "") -> None:
        self._names = names
        self._broken = broken
        self.closed = False

    def amdsmi_init(self) -> None:
        if self._broken == "init":
            raise self.AmdSmiException("no driver")

    def amdsmi_shut_down(self) -> None:
        self.closed = True

    def amdsmi_get_processor_handles(self) -> list[str]:
        return list(self._names)

    def amdsmi_get_gpu_device_bdf(self, handle: str) -> str:
        return handle.upper()

    def amdsmi_get_gpu_asic_info(self, handle: str) -> dict[str, str]:
        return {"market_name": self._names[handle]}


def test_amdsmi_gives_names_and_its_failure_is_no_failure(computer: Recorded) -> None:
    module = FakeAmdSmi({"0000:03:00.0": "Radeon RX 7900 XTX", "0000:04:00.0": "N/A"})
    assert names_from(module) == {"0000:03:00.0": "Radeon RX 7900 XTX"}
    assert module.closed
    assert names_from(FakeAmdSmi({}, broken="init")) == {}
    radeon(computer, vram=(24, 1), gtt=(32, 0), metrics=1)
    machine, _ = take(computer, market_names=lambda: names_from(module))
    assert machine.gpus[0].name == "Radeon RX 7900 XTX"


def test_intel_is_named_and_its_memory_is_unknown_with_a_reason(computer: Recorded) -> None:
    computer.pci_gpu("0000:00:02.0", "0x8086", device="0x56a0")
    computer.put(
        "/usr/share/hwdata/pci.ids",
        "1002  AMD\n\t744c  Navi 31 [Radeon RX 7900 XTX]\n"
        "8086  Intel Corporation\n\t1234  Other\n\t56a0  DG2 [Arc A770]\n\t\t8086 1020  Sub\n",
    )
    machine, ledger = take(computer)
    [card] = machine.gpus
    assert (card.vendor, card.name) == (Vendor.INTEL, "Intel Arc A770")
    assert isinstance(card.memory.total, Unknown)
    assert ledger.gpus[0].segments == ()


def test_an_apple_chip_shares_the_ram(computer: Recorded) -> None:
    machine, ledger = take(computer, apple_chip=lambda: "Apple M2 Pro")
    [chip] = machine.gpus
    assert (chip.vendor, chip.name, chip.shares_ram) == (Vendor.APPLE, "Apple M2 Pro", True)
    assert machine.gpu_budget(chip) == (Known(64 * GIB), Known(48 * GIB))
    assert ledger.gpus[0].segments == ledger.ram.segments


def test_a_jetson_has_only_its_ram_and_says_so(computer: Recorded) -> None:
    computer.put("/proc/device-tree/model", "NVIDIA Jetson AGX Orin Developer Kit\0")
    machine, _ = take(computer)
    [board] = machine.gpus
    assert (board.name, board.memory_kind) == ("NVIDIA Jetson AGX Orin Developer Kit", MemoryKind.UNIFIED)
    assert machine.gpu_budget(board) == (Known(64 * GIB), Known(48 * GIB))
    assert [note.code for note in machine.notes] == ["machine.jetson", "machine.unified_memory"]


def test_indexes_run_through_all_makers(computer: Recorded) -> None:
    radeon(computer, vram=(24, 1), gtt=(32, 0), metrics=1)
    computer.pci_gpu("0000:00:02.0", "0x8086")
    computer.pci_gpu("0000:00:1f.0", "0x1234")  # not a GPU that computes
    gpus: tuple[Gpu, ...] = take(computer)[0].gpus
    assert [(gpu.index, gpu.vendor) for gpu in gpus] == [(0, Vendor.AMD), (1, Vendor.INTEL)]
