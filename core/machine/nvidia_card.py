"""One NVIDIA GPU or MIG slice: what it is, asked once, and its figures now. Each field is asked alone: one refusal
must not blank the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeVar

from core.machine.links import better_known
from core.machine.model import Gpu, GpuMemory, GpuProcess, MemoryKind, Pcie, Vendor
from core.machine.nvml import NOT_FOUND, PERMANENT, Handle, Nvml, NvmlFault, NvmlProcess
from core.machine.reading import NOT_SUPPORTED, Known, Reading, Unknown, Why, plausible_bytes

T = TypeVar("T")

# GPUs whose memory is the computer's RAM: DGX Spark and its kin, the Jetson family, N1 laptops.
_INTEGRATED: Final = re.compile(r"\b(GB10|Thor|Orin|Xavier|Tegra|N1X?)\b")


class Card:
    """`gpu` is the last snapshot. `dead` after `read` when every question failed and not for want of support."""

    def __init__(self, nvml: Nvml, handle: Handle, gpu: Gpu) -> None:
        self._nvml = nvml
        self._handle = handle
        self._refused: dict[str, Unknown] = {}
        self.gpu = gpu
        self.dead = False

    def ask(self, name: str, question: Callable[[Handle], T]) -> Reading[T]:
        """The answer to one question. One that this device never answers is asked once only."""
        if (known := self._refused.get(name)) is not None:
            return known
        try:
            return Known(question(self._handle))
        except NvmlFault as fault:
            reason = fault.reason()
            if fault.code in PERMANENT:
                self._refused[name] = reason
            return reason

    def read(self) -> Gpu:
        nvml = self._nvml
        memory = self.ask("memory", nvml.memory)
        processes = self.ask("processes", nvml.processes)
        power = self.ask("power", nvml.power_mw)
        temperature = self.ask("temperature", nvml.temperature)
        busy = self.ask("utilisation", nvml.utilisation)
        gen, width = self.ask("pcie_gen", nvml.pcie_gen), self.ask("pcie_width", nvml.pcie_width)
        answers = (memory, processes, power, temperature, busy, gen, width)
        failed = any(isinstance(answer, Unknown) and answer.why in (Why.LOST, Why.FAILED) for answer in answers)
        self.dead = failed and not any(isinstance(answer, Known) for answer in answers)
        if isinstance(memory, Known):
            figures = memory_of(memory.value.total, memory.value.used, memory.value.free, memory.value.reserved)
        else:
            figures = GpuMemory(memory, memory, memory)
        self.gpu = replace(
            self.gpu,
            memory=figures,
            processes=_processes(processes),
            utilisation_percent=_within(busy, 100),
            power_w=_watts(power),
            temperature_c=_within(temperature, 200),
            pcie=replace(self.gpu.pcie, gen_now=_positive(gen), width_now=_positive(width)),
            asleep=False,
        )
        return self.gpu

    def slices(self) -> Iterator[Card]:
        """The MIG slices that this process may see."""
        count = self.ask("mig_count", self._nvml.mig_count).or_none() or 0
        for index in range(count):
            try:
                handle = self._nvml.mig_device(self._handle, index)
                uuid = self._nvml.uuid(handle)
            except NvmlFault as fault:
                if fault.code == NOT_FOUND:
                    continue
                return
            name = Card(self._nvml, handle, self.gpu).ask("name", self._nvml.name).or_none()
            slice_gpu = Gpu(
                id=uuid,
                vendor=Vendor.NVIDIA,
                name=name if name and "MIG" in name else f"{self.gpu.name} MIG {index}",
                pci_bus_id=self.gpu.pci_bus_id,
                pcie=self.gpu.pcie,
                compute_capability=self.gpu.compute_capability,
                parent=self.gpu.id,
            )
            yield Card(self._nvml, handle, slice_gpu)


def find_card(nvml: Nvml, index: int, bus_link: Callable[[str], Pcie]) -> Card:
    """The card at NVML's `index` with all that does not change. Raises: NvmlFault when NVML gives no handle for it."""
    handle = nvml.device(index)
    card = Card(nvml, handle, Gpu("", Vendor.NVIDIA, "NVIDIA GPU"))
    name = card.ask("name", nvml.name).or_none() or "NVIDIA GPU"
    bus_id = card.ask("pci_bus_id", nvml.pci_bus_id)
    bus_id = Known(short_bus_id(bus_id.value)) if isinstance(bus_id, Known) else bus_id
    uuid = card.ask("uuid", nvml.uuid).or_none() or f"pci:{bus_id.or_none() or index}"
    capability = card.ask("compute_capability", nvml.compute_capability)
    own = Pcie(
        gen_max=_positive(card.ask("max_pcie_gen", nvml.max_pcie_gen)),
        width_max=_positive(card.ask("max_pcie_width", nvml.max_pcie_width)),
        card_gen=_positive(card.ask("card_pcie_gen", nvml.card_pcie_gen)),
    )
    card.gpu = Gpu(
        id=uuid,
        vendor=Vendor.NVIDIA,
        name=name,
        pci_bus_id=bus_id,
        memory_kind=MemoryKind.UNIFIED if _INTEGRATED.search(name) else MemoryKind.DEDICATED,
        power_limit_w=_watts(card.ask("power_limit", nvml.power_limit_mw)),
        pcie=better_known(own, bus_link(bus_id.value)) if isinstance(bus_id, Known) else own,
        compute_capability=Known(f"{capability.value[0]}.{capability.value[1]}")
        if isinstance(capability, Known)
        else capability,
        mig_enabled=card.ask("mig_enabled", nvml.mig_enabled),
    )
    return card


def memory_of(total: int, used: int, free: int, reserved: int | None) -> GpuMemory:
    """NVML's figures, each kept only where it can be: no sentinel, no total of 0, nothing above the total."""
    whole = plausible_bytes(total) if total else Unknown(Why.IMPOSSIBLE, "a total of 0 bytes")

    def part(value: int) -> Reading[int]:
        reading = plausible_bytes(value)
        if isinstance(reading, Known) and isinstance(whole, Known) and reading.value > whole.value:
            return Unknown(Why.IMPOSSIBLE, f"{value} of {total} bytes")
        return reading

    in_use, left = part(used), part(free)
    if isinstance(whole, Known) and isinstance(left, Unknown) and isinstance(in_use, Known):
        left = Known(whole.value - in_use.value - (reserved or 0)) if in_use.value + (reserved or 0) <= total else left
    elif isinstance(whole, Known) and isinstance(in_use, Unknown) and isinstance(left, Known):
        in_use = Known(max(0, whole.value - left.value - (reserved or 0)))
    return GpuMemory(whole, in_use, left, NOT_SUPPORTED if reserved is None else part(reserved))


def unreached(gpu: Gpu, reason: Unknown, *, asleep: bool = False) -> Gpu:
    """The same GPU with its figures unknown: lost, asleep, or without a driver."""
    return replace(
        gpu,
        memory=GpuMemory(gpu.memory.total if asleep else reason, reason, reason, reason),
        processes=reason,
        utilisation_percent=reason,
        power_w=reason,
        temperature_c=reason,
        pcie=replace(gpu.pcie, gen_now=reason, width_now=reason),
        asleep=asleep,
    )


def short_bus_id(bus_id: str) -> str:
    """NVML's "00000000:01:00.0" as sysfs writes it, "0000:01:00.0"."""
    domain, _, rest = bus_id.lower().partition(":")
    return f"{domain[4:] if len(domain) == 8 and domain.startswith('0000') else domain}:{rest}"


def _processes(answer: Reading[tuple[NvmlProcess, ...]]) -> Reading[tuple[GpuProcess, ...]]:
    if isinstance(answer, Unknown):
        return answer
    return Known(tuple(GpuProcess(process.pid, _process_bytes(process), process.graphics) for process in answer.value))


def _process_bytes(process: NvmlProcess) -> Reading[int]:
    return NOT_SUPPORTED if process.used is None else plausible_bytes(process.used)


def _within(answer: Reading[int], most: int) -> Reading[int]:
    if isinstance(answer, Known) and not 0 <= answer.value <= most:
        return Unknown(Why.IMPOSSIBLE, str(answer.value))
    return answer


def _positive(answer: Reading[int]) -> Reading[int]:
    """PCIe figures: an integrated or virtual device answers 0."""
    if isinstance(answer, Known) and not 1 <= answer.value <= 32:
        return Unknown(Why.IMPOSSIBLE, str(answer.value))
    return answer


def _watts(answer: Reading[int]) -> Reading[float]:
    if isinstance(answer, Unknown):
        return answer
    milliwatts = answer.value
    return Known(milliwatts / 1000) if 0 <= milliwatts < 10_000_000 else Unknown(Why.IMPOSSIBLE, f"{milliwatts} mW")
