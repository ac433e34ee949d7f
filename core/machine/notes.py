"""What a person should know about this computer, as codes with words in every language. Pure functions."""

from __future__ import annotations

from typing import Final

from core.events import ErrorInfo
from core.machine.links import slot_notes
from core.machine.model import Gpu, Machine, MemoryKind, Vendor
from core.machine.reading import Known, Unknown, Why

# Windows and WSL spill a full card's memory into RAM without a word: no error, a tenth of the speed (WSL issue 11050).
SPILL_PERCENT: Final = 97
# vLLM's KV offload keeps its region in /dev/shm; Docker gives 64 MiB.
SMALL_SHM_BYTES: Final = 1 << 30


def notes_on(machine: Machine) -> tuple[ErrorInfo, ...]:
    """The most important first."""
    notes: list[ErrorInfo] = []
    if machine.driver.problem is not None:
        notes.append(machine.driver.problem)
    for gpu in machine.gpus:
        notes += _on_gpu(machine, gpu)
    if machine.platform.jetson:
        notes.append(ErrorInfo("machine.jetson", facts={"name": machine.platform.jetson}))
    notes += _on_pids(machine)
    notes += _on_cuda_order(machine)
    notes += _on_ram(machine)
    notes += [
        ErrorInfo("machine.windows_drive", facts={"mount": disk.mount}) for disk in machine.disks if disk.windows_drive
    ]
    return tuple(notes)


def _on_gpu(machine: Machine, gpu: Gpu) -> list[ErrorInfo]:
    notes: list[ErrorInfo] = []
    total, used = gpu.memory.total, gpu.memory.used
    spills = machine.platform.wsl == 2 or machine.platform.system == "windows"
    if spills and isinstance(total, Known) and isinstance(used, Known) and not gpu.shares_ram:
        percent = used.value * 100 // total.value
        if percent >= SPILL_PERCENT:
            notes.append(ErrorInfo("machine.vram_spill", facts={"gpu": gpu.name, "percent": percent}))
    if isinstance(total, Unknown) and total.why is Why.NO_PERMISSION:
        notes.append(ErrorInfo("machine.gpu_no_permission", total.detail, {"gpu": gpu.name}))
    if gpu.mig_enabled == Known(True) and not any(other.parent == gpu.id for other in machine.gpus):
        notes.append(ErrorInfo("machine.mig_hidden", facts={"gpu": gpu.name}))
    # Lanes of a laptop are soldered: nothing to be done about them.
    if gpu.parent is None and machine.platform.laptop != Known(True):
        notes += slot_notes(gpu)
    return notes


def _on_pids(machine: Machine) -> list[ErrorInfo]:
    if machine.platform.host_pids or not any(gpu.processes.or_none() for gpu in machine.gpus):
        return []
    return [ErrorInfo("machine.pids_untrusted")]


def _on_cuda_order(machine: Machine) -> list[ErrorInfo]:
    doubtful = [
        gpu.name for gpu in machine.gpus if isinstance(gpu.cuda_index, Unknown) and gpu.cuda_index.why is Why.AMBIGUOUS
    ]
    if any(gpu.parent is not None for gpu in machine.gpus):
        return []  # slices have no numbers to be mistaken
    return [ErrorInfo("machine.cuda_order", facts={"gpus": ", ".join(doubtful)})] if doubtful else []


def _on_ram(machine: Machine) -> list[ErrorInfo]:
    notes: list[ErrorInfo] = []
    ram = machine.ram
    limit, physical = ram.limit.or_none(), ram.physical_total_bytes.or_none()
    if limit is not None and physical is not None and limit.limit_bytes < physical:
        facts: dict[str, str | int | float | None] = {"limit_bytes": limit.limit_bytes, "total_bytes": physical}
        notes.append(ErrorInfo("machine.memory_limit", limit.path, facts))
    shm = ram.shm_total_bytes
    if isinstance(shm, Known) and shm.value < SMALL_SHM_BYTES:
        notes.append(ErrorInfo("machine.shm_small", facts={"total_bytes": shm.value}))
    if any(gpu.memory_kind is MemoryKind.UNIFIED and gpu.vendor is Vendor.NVIDIA for gpu in machine.gpus):
        notes.append(ErrorInfo("machine.unified_memory"))
    return notes
