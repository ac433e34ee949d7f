"""`stowage machine`: what this computer has and who uses it, once or every second; on request measured."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from core.cli.console import Console
from core.cli.frame import Frame
from core.events import Event, MachineChanged
from core.hub.places import cache_folder
from core.machine.budget import MemoryLedger
from core.machine.model import Machine
from core.machine.monitor import MachineMonitor, take
from core.machine.probe.result import Probe, ProbeStore, machine_key
from core.machine.reader import Sources
from core.machine.report import as_json
from core.machine.table import as_text

if TYPE_CHECKING:
    from core.services import Services

# Home, and clear from there to the end of the screen: no flicker, and the scroll-back stays as it was.
_REDRAW: Final = "\x1b[H\x1b[J"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


async def show(frame: Frame) -> None:
    """One snapshot."""
    machine, ledger = await take(Sources.of_user(frame.paths, lambda: cache_folder(frame.settings.current)))
    probe = await asyncio.to_thread(_remembered, frame, machine)
    _print(frame.console, machine, ledger, probe)


async def probe(services: Services, console: Console) -> None:
    """Measure, then show the snapshot with what was found."""
    found = await services.computer.probe()
    sample = await services.computer.now()
    _print(console, sample.machine, sample.ledger, found)


async def watch(frame: Frame) -> None:
    """A snapshot every second until interrupted: redrawn in place on a terminal, one after the other elsewhere, one
    JSON object a line with `--json`."""
    console = frame.console
    monitor = MachineMonitor(Sources.of_user(frame.paths, lambda: cache_folder(frame.settings.current)), frame.bus)
    frame.closers.append(monitor.close)
    samples: asyncio.Queue[MachineChanged] = asyncio.Queue()

    def heard(event: Event) -> None:
        if isinstance(event, MachineChanged):
            samples.put_nowait(event)

    frame.bus.subscribe(heard)
    monitor.start()
    monitor.show(True)
    live = sys.stdout.isatty() and not console.as_json
    try:
        console.out(_HIDE_CURSOR if live else "", end="")
        while True:
            sample = await samples.get()
            console.out(_REDRAW if live else "", end="")
            _print(console, sample.machine, sample.ledger, None)
            if not (live or console.as_json):
                console.out("")
    finally:
        console.out(_SHOW_CURSOR if live else "", end="")


def _remembered(frame: Frame, machine: Machine) -> Probe | None:
    return ProbeStore(frame.paths.state / "probe.json").find(machine_key(machine))


def _print(console: Console, machine: Machine, ledger: MemoryLedger, found: Probe | None) -> None:
    if console.as_json:
        console.object(as_json(machine, ledger, found))
    else:
        console.out(as_text(machine, ledger, console.language, found))
