"""Puts one moment of the whole computer together. Blocking; the monitor runs it on a thread of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from core.hub.places import usual_cache
from core.machine.amd import AmdReader
from core.machine.budget import MemoryLedger, ServerUse
from core.machine.cpu import read_cpu
from core.machine.disks import DiskReader, folders_of
from core.machine.gpus import GpuReader
from core.machine.host import on_battery, read_platform
from core.machine.ledger import build_ledger
from core.machine.memory import MemoryReader
from core.machine.model import Machine
from core.machine.notes import notes_on
from core.machine.nvidia import NvidiaReader
from core.machine.nvml import Nvml, Pynvml
from core.machine.processes import ProcessScan
from core.machine.tree import Tree
from core.paths import Paths

# How often to look again for what seldom changes.
_BATTERY_S: Final = 10.0
_DEVICES_S: Final = 60.0


@dataclass(frozen=True)
class Sources:
    """Where everything is read from. The defaults are this computer; tests pass recorded trees and a binding of their
    own.

    Args:
        folders: the folders to watch, by role.
        market_names: names of AMD GPUs by PCI bus id; amdsmi by default.
        environment: instead of the process's own.
        models: where the Hub's models lie at the moment; None leaves them out.
    """

    folders: Mapping[str, Path]
    tree: Tree = field(default_factory=Tree)
    nvml: Callable[[], Nvml] = Pynvml
    environment: Mapping[str, str] | None = None
    market_names: Callable[[], Mapping[str, str]] | None = None
    apple_chip: Callable[[], str] | None = None
    clock: Callable[[], float] = time.monotonic
    wall_clock: Callable[[], float] = time.time
    models: Callable[[], Path] | None = None

    @classmethod
    def of_user(cls, paths: Paths, models: Callable[[], Path] = usual_cache) -> Sources:
        return cls(folders_of(paths), models=models)


class MachineReader:
    """`read` at most once at a time; `close` lets go of the drivers."""

    def __init__(self, sources: Sources) -> None:
        tree, clock = sources.tree, sources.clock
        self._sources = sources
        self._platform = read_platform(tree, sources.environment)
        self._cpu = read_cpu(tree)
        self._memory = MemoryReader(tree, clock)
        self._disks = DiskReader(tree, sources.folders, sources.models)
        self._processes = ProcessScan(tree, clock)
        self._gpus = GpuReader(
            tree,
            self._platform,
            NvidiaReader(tree, sources.nvml, clock),
            AmdReader(tree, sources.market_names),
            sources.environment,
            sources.apple_chip,
        )
        self._battery_at = self._devices_at = clock()

    def read(
        self, server: ServerUse | None = None, our_disk_bytes: Mapping[str, int] | None = None
    ) -> tuple[Machine, MemoryLedger]:
        """One moment. Unknown figures carry their reason; nothing is raised for what a driver or a file refuses."""
        self._look_again()
        gpus, driver = self._gpus.read(working=server is not None)
        machine = Machine(
            taken_at=self._sources.wall_clock(),
            platform=self._platform,
            cpu=self._cpu,
            ram=self._memory.read(),
            gpus=gpus,
            disks=self._disks.read(),
            driver=driver,
        )
        machine = replace(machine, notes=notes_on(machine))
        processes = self._processes.read(server.roots if server else frozenset())
        processes = tuple(one for one in processes if self._memory.counts(one.pid, machine.ram))
        return machine, build_ledger(machine, processes, self._processes.named, server, our_disk_bytes)

    def close(self) -> None:
        self._gpus.close()

    def _look_again(self) -> None:
        now = self._sources.clock()
        if now - self._battery_at >= _BATTERY_S:
            self._battery_at = now
            self._platform = replace(self._platform, on_battery=on_battery(self._sources.tree))
        if now - self._devices_at >= _DEVICES_S:
            self._devices_at = now
            self._disks.find()
            self._gpus.rescan()
