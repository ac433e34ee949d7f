"""Who holds the memory: builds the bars from one moment's figures. Pure functions.

Whatever the drivers say, no part is negative and the parts add up to the total: the free part is believed first, then
ours, the driver's reserve, the others by size; the rest of what is in use is "other".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from core.machine.budget import Budget, MemoryLedger, Part, ProcessRow, Segment, ServerUse, known
from core.machine.model import Disk, Gpu, GpuProcess, Machine, MemoryKind
from core.machine.processes import ProcessUse
from core.machine.reading import Known, Reading, Unknown

NAMED_AT_MOST: Final = 6
ROWS_AT_MOST: Final = 40

# pid -> what is known of that process here
Named = Callable[[int], ProcessUse]


def build_ledger(
    machine: Machine,
    processes: tuple[ProcessUse, ...],
    named: Named,
    server: ServerUse | None = None,
    our_disk_bytes: Mapping[str, int] | None = None,
) -> MemoryLedger:
    """Args: our_disk_bytes: bytes of engines and models by mount, where somebody has counted them."""
    server = server or ServerUse()
    trusted = machine.platform.host_pids
    gpus = tuple(_gpu_budget(machine, gpu, named, server, trusted) for gpu in machine.gpus if gpu.usable)
    on_unified = [
        process
        for gpu in machine.gpus
        if gpu.memory_kind is MemoryKind.UNIFIED and trusted
        for process in gpu.processes.or_none() or ()
    ]
    ram = _ram_budget(machine, processes, on_unified, named, server)
    gpus = tuple(_like_ram(budget, ram) if _is_unified(machine, budget.id) else budget for budget in gpus)
    counted = our_disk_bytes or {}
    return MemoryLedger(ram, gpus, tuple(_disk_budget(disk, counted.get(disk.mount, 0)) for disk in machine.disks))


def _ram_budget(
    machine: Machine,
    processes: tuple[ProcessUse, ...],
    on_unified: list[GpuProcess],
    named: Named,
    server: ServerUse,
) -> Budget:
    rows = {process.pid: _row(process, process.bytes) for process in processes}
    for process in on_unified:
        # What a process took on a unified GPU is RAM that its resident size does not show.
        own = named(process.pid)
        before = rows.get(process.pid)
        rows[process.pid] = _row(own, known(process.used) + (known(before.bytes) if before else 0))
    return _filled(
        Budget("ram", "RAM", machine.ram.total_bytes, machine.ram.available_bytes), rows.values(), server=server
    )


def _gpu_budget(machine: Machine, gpu: Gpu, named: Named, server: ServerUse, trusted: bool) -> Budget:
    total, free = machine.gpu_budget(gpu)
    rows = [_gpu_row(process, named, trusted) for process in gpu.processes.or_none() or ()]
    budget = Budget(gpu.id, gpu.name, total, free, shares_ram=gpu.shares_ram)
    driver = known(gpu.memory.driver_reserved)
    stated = 0 if any(row.ours for row in rows) else server.stated_bytes.get(gpu.id, 0)
    return _filled(budget, rows, driver=driver, stated=stated, server=server)


def _gpu_row(process: GpuProcess, named: Named, trusted: bool) -> ProcessRow:
    if not trusted:
        return ProcessRow(process.pid, "", process.used, trusted=False)
    own = named(process.pid)
    return ProcessRow(process.pid, own.name, process.used, own.ours)


def _row(process: ProcessUse, size: int) -> ProcessRow:
    return ProcessRow(process.pid, process.name, Known(size), process.ours)


def _filled(
    budget: Budget, rows: Iterable[ProcessRow], *, driver: int = 0, stated: int = 0, server: ServerUse
) -> Budget:
    ordered = tuple(sorted(rows, key=lambda row: known(row.bytes), reverse=True))
    shown = ordered[:ROWS_AT_MOST]
    total, free = budget.total.or_none(), budget.free.or_none()
    if total is None or free is None:
        return _with(budget, (), shown, False)
    free = min(max(0, free), total)
    left = total - free
    ours = min(left, stated or sum(known(row.bytes) for row in ordered if row.ours))
    left -= ours
    kv_free = min(ours, server.kv_free(budget.id))
    driver = min(left, driver)
    others, left = _others(ordered, left - driver)
    segments = [
        Segment(Part.OURS, ours - kv_free, count=sum(row.ours for row in ordered)),
        Segment(Part.KV_FREE, kv_free),
        *others,
        Segment(Part.DRIVER, driver),
        Segment(Part.OTHER, left),
        Segment(Part.FREE, free),
    ]
    kept = tuple(segment for segment in segments if segment.bytes or segment.part is Part.FREE)
    return _with(budget, kept, shown, bool(stated))


def _with(budget: Budget, segments: tuple[Segment, ...], rows: tuple[ProcessRow, ...], estimated: bool) -> Budget:
    return Budget(budget.id, budget.title, budget.total, budget.free, segments, rows, budget.shares_ram, estimated)


def _others(rows: tuple[ProcessRow, ...], left: int) -> tuple[list[Segment], int]:
    """Other programs, all processes of one name together, the largest by name and the rest under ""; and what then is
    left of the memory in use. Processes whose pid means nothing here stay in "other"."""
    sizes: dict[str, tuple[int, int]] = {}
    for row in rows:
        if not row.ours and row.trusted and row.name:
            size, count = sizes.get(row.name, (0, 0))
            sizes[row.name] = size + known(row.bytes), count + 1
    largest = sorted(sizes.items(), key=lambda item: item[1][0], reverse=True)
    segments: list[Segment] = []
    for name, (size, count) in largest[:NAMED_AT_MOST]:
        taken = min(left, size)
        segments.append(Segment(Part.PROCESS, taken, name, count))
        left -= taken
    rest = largest[NAMED_AT_MOST:]
    taken = min(left, sum(size for _, (size, _) in rest))
    if taken:
        segments.append(Segment(Part.PROCESS, taken, "", sum(count for _, (_, count) in rest)))
    return segments, left - taken


def _is_unified(machine: Machine, gpu_id: str) -> bool:
    gpu = machine.gpu(gpu_id)
    return gpu is not None and gpu.memory_kind is MemoryKind.UNIFIED


def _like_ram(budget: Budget, ram: Budget) -> Budget:
    """A unified GPU's bar is the RAM's: one memory, shown at both places, never added up."""
    return Budget(budget.id, budget.title, ram.total, ram.free, ram.segments, budget.rows, True, budget.estimated)


def _disk_budget(disk: Disk, ours: int) -> Budget:
    budget = Budget(f"disk:{disk.mount}", disk.mount, disk.total_bytes, disk.free_bytes)
    total, free = _both(disk.total_bytes, disk.free_bytes)
    if total is None or free is None:
        return budget
    free = min(free, total)
    ours = min(ours, total - free)
    segments = (
        Segment(Part.OURS, ours),
        Segment(Part.OTHER, total - free - ours),
        Segment(Part.FREE, free),
    )
    kept = tuple(segment for segment in segments if segment.bytes or segment.part is Part.FREE)
    return _with(budget, kept, (), False)


def _both(total: Reading[int], free: Reading[int]) -> tuple[int | None, int | None]:
    if isinstance(total, Unknown) or isinstance(free, Unknown):
        return None, None
    return total.value, free.value
