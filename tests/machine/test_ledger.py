"""The bars: whatever the figures are, no part is negative and the parts add up."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.machine.budget import Budget, MemoryLedger, Part, ServerUse
from core.machine.ledger import build_ledger
from core.machine.model import (
    Cpu,
    Disk,
    DiskKind,
    Gpu,
    GpuMemory,
    GpuProcess,
    Machine,
    MemoryKind,
    Platform,
    Ram,
    Vendor,
)
from core.machine.processes import ProcessUse
from core.machine.reading import NOT_PRESENT, NOT_SUPPORTED, Known, Reading, Unknown, Why

GIB = 1 << 30


def machine(
    *, ram: tuple[int, int] = (64 * GIB, 40 * GIB), gpus: tuple[Gpu, ...] = (), host_pids: bool = True
) -> Machine:
    return Machine(
        0.0,
        Platform("linux", "6", host_pids=host_pids),
        Cpu("cpu", "x86_64", NOT_PRESENT, NOT_PRESENT, NOT_PRESENT),
        Ram(Known(ram[0]), Known(ram[1])),
        gpus,
    )


def card(total: int, used: int, free: int, *processes: GpuProcess, reserved: int = 0, gpu_id: str = "GPU-1") -> Gpu:
    memory = GpuMemory(Known(total), Known(used), Known(free), Known(reserved))
    return Gpu(gpu_id, Vendor.NVIDIA, "card", memory=memory, processes=Known(processes))


def nobody(pid: int) -> ProcessUse:
    return ProcessUse(pid, "", 0)


def shown(budget: Budget) -> list[tuple[str, str, int]]:
    return [(str(segment.part), segment.name, segment.bytes // GIB) for segment in budget.segments]


def test_ram_by_name_the_rest_is_other() -> None:
    processes = (
        ProcessUse(1, "firefox", 3 * GIB),
        ProcessUse(2, "firefox", 2 * GIB),
        ProcessUse(3, "python", 6 * GIB, ours=True),
    )
    ledger = build_ledger(machine(), processes, nobody)
    assert shown(ledger.ram) == [("ours", "", 6), ("process", "firefox", 5), ("other", "", 13), ("free", "", 40)]
    assert [(row.pid, row.ours) for row in ledger.ram.rows] == [(3, True), (1, False), (2, False)]
    assert ledger.ram.segments[1].count == 2


def test_many_small_programs_are_one_part() -> None:
    processes = tuple(ProcessUse(n, f"p{n}", GIB) for n in range(1, 11))
    ledger = build_ledger(machine(), processes, nobody)
    assert shown(ledger.ram)[6:] == [("process", "", 4), ("other", "", 14), ("free", "", 40)]


def test_kv_cache_reserved_but_unused_is_cut_out_of_ours() -> None:
    gpu = card(24 * GIB, 20 * GIB, 4 * GIB, GpuProcess(7, Known(18 * GIB)))
    server = ServerUse(frozenset({7}), kv_bytes={"GPU-1": 10 * GIB}, kv_used=0.2)
    ledger = build_ledger(machine(gpus=(gpu,)), (), lambda pid: ProcessUse(pid, "VLLM", 0, True), server)
    assert shown(ledger.gpus[0]) == [("ours", "", 10), ("kv_free", "", 8), ("other", "", 2), ("free", "", 4)]


def test_kv_cache_on_the_cpu_engine_is_in_ram() -> None:
    server = ServerUse(frozenset({7}), kv_bytes={"ram": 4 * GIB}, kv_used=0.0)
    ledger = build_ledger(machine(), (ProcessUse(7, "VLLM", 6 * GIB, True),), nobody, server)
    assert shown(ledger.ram) == [("ours", "", 2), ("kv_free", "", 4), ("other", "", 18), ("free", "", 40)]


def test_kv_use_that_is_not_known_is_not_guessed() -> None:
    server = ServerUse(frozenset({7}), kv_bytes={"ram": 4 * GIB})
    ledger = build_ledger(machine(), (ProcessUse(7, "VLLM", 6 * GIB, True),), nobody, server)
    assert ledger.ram.bytes_of(Part.KV_FREE) == 0


def test_what_the_log_states_counts_only_when_the_process_list_is_of_no_use() -> None:
    server = ServerUse(frozenset({7}), stated_bytes={"GPU-1": 12 * GIB})
    blind = replace(card(24 * GIB, 20 * GIB, 4 * GIB), processes=NOT_SUPPORTED)
    ledger = build_ledger(machine(gpus=(blind,)), (), nobody, server)
    assert shown(ledger.gpus[0]) == [("ours", "", 12), ("other", "", 8), ("free", "", 4)]
    assert ledger.gpus[0].estimated
    seen = card(24 * GIB, 20 * GIB, 4 * GIB, GpuProcess(7, Known(18 * GIB)))
    ledger = build_ledger(machine(gpus=(seen,)), (), lambda pid: ProcessUse(pid, "VLLM", 0, True), server)
    assert ledger.gpus[0].bytes_of(Part.OURS) == 18 * GIB
    assert not ledger.gpus[0].estimated


def test_untrusted_pids_are_listed_but_named_nowhere() -> None:
    gpu = card(24 * GIB, 20 * GIB, 4 * GIB, GpuProcess(7, Known(18 * GIB)))
    ledger = build_ledger(machine(gpus=(gpu,), host_pids=False), (), lambda pid: ProcessUse(pid, "wrong", 0, True))
    assert shown(ledger.gpus[0]) == [("other", "", 20), ("free", "", 4)]
    [row] = ledger.gpus[0].rows
    assert (row.name, row.ours, row.trusted, row.bytes) == ("", False, False, Known(18 * GIB))


def test_unknown_totals_give_no_parts_and_keep_the_reason() -> None:
    silent = Gpu("GPU-1", Vendor.NVIDIA, "card", memory=GpuMemory(*[Unknown(Why.LOST, "gone")] * 3))
    ledger = build_ledger(machine(gpus=(silent,)), (), nobody)
    assert ledger.gpus[0].segments == ()
    assert ledger.gpus[0].free == Unknown(Why.LOST, "gone")


def test_disks_tell_ours_from_the_rest() -> None:
    disk = Disk("/", "ext4", ("models",), Known(100 * GIB), Known(30 * GIB), Known(DiskKind.NVME))
    ledger = build_ledger(replace(machine(), disks=(disk,)), (), nobody, our_disk_bytes={"/": 25 * GIB})
    assert shown(ledger.disks[0]) == [("ours", "", 25), ("other", "", 45), ("free", "", 30)]
    assert ledger.find("disk:/") is ledger.disks[0]


sizes = st.integers(0, 100 * GIB)
readings: st.SearchStrategy[Reading[int]] = st.one_of(sizes.map(Known), st.just(NOT_SUPPORTED))
gpu_processes = st.lists(st.builds(GpuProcess, st.integers(1, 20), readings, st.booleans()), max_size=8).map(tuple)
gpus = st.builds(
    lambda total, used, free, reserved, processes, kind: Gpu(
        "GPU-1",
        Vendor.NVIDIA,
        "card",
        memory_kind=kind,
        memory=GpuMemory(total, used, free, reserved, gtt_total=total, gtt_used=used),
        processes=Known(processes),
    ),
    readings,
    readings,
    readings,
    readings,
    gpu_processes,
    st.sampled_from(list(MemoryKind)),
)
rams = st.builds(Ram, readings, readings)
uses = st.lists(
    st.builds(ProcessUse, st.integers(1, 20), st.sampled_from(["a", "b", "c", ""]), sizes, st.booleans()), max_size=12
)


def adds_up(ledger: MemoryLedger) -> None:
    for budget in (ledger.ram, *ledger.gpus, *ledger.disks):
        assert all(segment.bytes >= 0 for segment in budget.segments)
        if budget.segments:
            assert isinstance(budget.total, Known)
            assert sum(segment.bytes for segment in budget.segments) == budget.total.value
        else:
            assert isinstance(budget.total, Unknown) or isinstance(budget.free, Unknown)


@given(rams, gpus, uses, st.booleans(), sizes, st.one_of(st.none(), st.floats(-1, 2)), sizes)
def test_no_part_is_negative_and_the_parts_add_up(
    ram: Ram, gpu: Gpu, processes: list[ProcessUse], trusted: bool, kv: int, kv_used: float | None, stated: int
) -> None:
    base = replace(machine(gpus=(gpu,), host_pids=trusted), ram=ram)
    disk = Disk("/", "ext4", ("models",), ram.total_bytes, ram.available_bytes, NOT_PRESENT)
    server = ServerUse(frozenset({1}), {"GPU-1": kv, "ram": kv}, kv_used, {"GPU-1": stated})
    named = {process.pid: process for process in processes}
    ledger = build_ledger(
        replace(base, disks=(disk,)),
        tuple(named.values()),
        lambda pid: named.get(pid, nobody(pid)),
        server,
        {"/": stated},
    )
    adds_up(ledger)
