"""NVIDIA GPUs over time: opening NVML, leaving sleeping laptop GPUs alone, losing NVML and finding it again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from core.events import ErrorInfo
from core.machine.model import Driver, Gpu, Pcie, Vendor
from core.machine.nvidia_card import Card, find_card, unreached
from core.machine.nvml import (
    DRIVER_NOT_LOADED,
    LIBRARY_NOT_FOUND,
    NOT_FOUND,
    VERSION_MISMATCH,
    Nvml,
    NvmlFault,
    Pynvml,
    asked,
)
from core.machine.pci import PciGpu, find_gpus, link_of, name_of, sleeps
from core.machine.reading import Known, Unknown, Why
from core.machine.tree import Tree

log = logging.getLogger(__name__)

MISSING_RETRY_S: Final = 600.0  # no driver: somebody would have to install one
LOST_RETRY_S: Final = 30.0  # lost in a container, or a driver that is being replaced
# An open NVML keeps a laptop GPU awake. When nothing works on it, NVML is closed for this long so that it can fall
# asleep (the driver's own idle time before suspending is some seconds).
REST_S: Final = 60.0

_ASLEEP: Final = Unknown(Why.ASLEEP)


@dataclass(frozen=True, slots=True)
class NvidiaState:
    gpus: tuple[Gpu, ...]
    driver: Driver


class NvidiaReader:
    """`read` gives the GPUs now. Not thread-safe; may block for as long as the driver does. `close` lets go of NVML.

    Args:
        nvml: makes the binding; the real one by default.
    """

    def __init__(
        self, tree: Tree, nvml: Callable[[], Nvml] = Pynvml, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tree = tree
        self._nvml = nvml()
        self._clock = clock
        self._open = False
        self._was_open = False
        self._not_before = 0.0
        self._cards: list[Card] = []
        self._driver = Driver()
        self._last: tuple[Gpu, ...] = ()
        self._on_bus: tuple[PciGpu, ...] = ()
        self.rescan()

    def rescan(self) -> None:
        """Look at the bus again: a GPU was plugged in or out (eGPU), or power management was switched."""
        self._on_bus = tuple(gpu for gpu in find_gpus(self._tree) if gpu.vendor is Vendor.NVIDIA)
        if self._open and asked(self._nvml.count) != sum(card.gpu.parent is None for card in self._cards):
            self._lets_go()

    def read(self, working: bool = False) -> NvidiaState:
        """The GPUs now. `working`: a server of ours runs, so a laptop GPU is awake anyway and need not be left to
        rest."""
        asleep = frozenset(gpu.bus_id for gpu in self._on_bus if sleeps(gpu, self._tree))
        if not self._open:
            if self._clock() < self._not_before or asleep:
                return self._unasked(asleep)
            try:
                self._opens()
            except NvmlFault as fault:
                self._failed(fault)
                return self._unasked(asleep)
        self._last = tuple(self._read_card(card, asleep) for card in self._cards)
        awake = [card for card in self._cards if not card.gpu.asleep]
        if awake and all(card.dead for card in awake):
            self._loses(next((reason for card in awake if (reason := _reason(card.gpu))), "no answer"))
        elif not working and self._may_rest():
            self._lets_go()
            self._not_before = self._clock() + REST_S
        return NvidiaState(self._last, self._driver)

    def close(self) -> None:
        self._lets_go()

    def _opens(self) -> None:
        self._nvml.open()
        self._open = True
        try:
            self._cards = self._found()
        except NvmlFault:
            self._lets_go()
            raise
        version, cuda = asked(self._nvml.driver_version), asked(self._nvml.cuda_version)
        self._driver = Driver(
            version=version if isinstance(version, Unknown) else Known(version),
            cuda_version=cuda if isinstance(cuda, Unknown) else Known(f"{cuda // 1000}.{cuda % 1000 // 10}"),
        )
        self._was_open = True

    def _found(self) -> list[Card]:
        cards: list[Card] = []
        for index in range(self._nvml.count()):
            try:
                card = find_card(self._nvml, index, self._link)
            except NvmlFault as fault:
                # One card out of order, or kept from this container, must not hide the others.
                log.warning("NVML gives no handle for GPU %d: %s", index, fault)
                continue
            cards += [card, *(card.slices() if card.gpu.mig_enabled == Known(True) else ())]
        return cards

    def _link(self, bus_id: str) -> Pcie:
        gpu = next((gpu for gpu in self._on_bus if gpu.bus_id == bus_id), None)
        return Pcie() if gpu is None else link_of(gpu, self._tree)

    def _read_card(self, card: Card, asleep: frozenset[str]) -> Gpu:
        if card.gpu.pci_bus_id.or_none() in asleep:
            card.gpu = unreached(card.gpu, _ASLEEP, asleep=True)
            return card.gpu
        return card.read()

    def _may_rest(self) -> bool:
        """Whether a GPU that can sleep is idle and only kept awake by our questions."""
        sleepers = {gpu.bus_id for gpu in self._on_bus if gpu.may_sleep}
        if not sleepers:
            return False
        for gpu in self._last:
            computing = any(not process.graphics for process in gpu.processes.or_none() or ())
            if computing or (gpu.utilisation_percent.or_none() or 0) > 0:
                return False
        return True

    def _loses(self, reason: str) -> None:
        log.warning("NVML is lost: %s", reason)
        self._lets_go()
        self._not_before = self._clock() + LOST_RETRY_S
        self._driver = replace(self._driver, problem=ErrorInfo("machine.nvml_lost", reason, {"reason": reason}))
        self._last = tuple(unreached(gpu, Unknown(Why.LOST, reason)) for gpu in self._last)

    def _lets_go(self) -> None:
        if self._open:
            self._open = False
            self._cards = []
            try:
                self._nvml.close()
            except NvmlFault as fault:
                log.info("NVML did not close: %s", fault)

    def _failed(self, fault: NvmlFault) -> None:
        reason = str(fault)
        missing = fault.code in (LIBRARY_NOT_FOUND, DRIVER_NOT_LOADED, NOT_FOUND) and not self._was_open
        self._not_before = self._clock() + (MISSING_RETRY_S if missing else LOST_RETRY_S)
        problem: ErrorInfo | None
        if fault.code == VERSION_MISMATCH:
            problem = ErrorInfo("machine.driver_mismatch", reason)
        elif missing:
            # Without an NVIDIA card on the bus a missing driver is no problem at all.
            cards = [name_of(gpu, self._tree) for gpu in self._on_bus]
            problem = ErrorInfo("machine.driver_missing", reason, {"gpu": ", ".join(cards)}) if cards else None
        elif self._was_open:
            problem = ErrorInfo("machine.nvml_lost", reason, {"reason": reason})
        else:
            problem = ErrorInfo("machine.driver_failed", reason, {"reason": reason})
        if self._driver.problem is None or problem is None or problem.code != self._driver.problem.code:
            log.info("NVML: %s", reason)
        self._driver = replace(self._driver, problem=problem)
        why = Unknown(Why.LOST if self._was_open else Why.NOT_PRESENT, reason)
        self._last = tuple(unreached(gpu, why) for gpu in self._last or self._from_bus())

    def _from_bus(self) -> tuple[Gpu, ...]:
        return tuple(
            Gpu(f"pci:{gpu.bus_id}", Vendor.NVIDIA, name_of(gpu, self._tree), pci_bus_id=Known(gpu.bus_id))
            for gpu in self._on_bus
        )

    def _unasked(self, asleep: frozenset[str]) -> NvidiaState:
        """What is known without NVML: the last figures, those of sleepers withdrawn, GPUs never seen by name from the
        bus."""
        if not self._last:
            self._last = tuple(unreached(gpu, Unknown(Why.NOT_YET)) for gpu in self._from_bus())
        self._last = tuple(
            unreached(gpu, _ASLEEP, asleep=True) if gpu.pci_bus_id.or_none() in asleep else replace(gpu, asleep=False)
            for gpu in self._last
        )
        return NvidiaState(self._last, self._driver)


def _reason(gpu: Gpu) -> str:
    return gpu.memory.total.detail if isinstance(gpu.memory.total, Unknown) else ""
