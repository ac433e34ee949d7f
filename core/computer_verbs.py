"""The verbs about this computer: `services.computer`."""

from __future__ import annotations

from core.computer import PROBE_JOB, Computer
from core.errors import AppError
from core.events import MachineChanged
from core.jobs import Jobs
from core.machine.probe.result import Probe


class ComputerVerbs:
    """Lives on the loop's thread."""

    def __init__(self, computer: Computer, jobs: Jobs) -> None:
        self._computer = computer
        self._jobs = jobs

    async def show(self, visible: bool) -> None:
        """Whether somebody sees the figures of `MachineChanged`: it comes once a second then, seldom or never else."""
        self._computer.show(visible)

    async def now(self) -> MachineChanged:
        """A fresh sample; everyone hears it too."""
        return await self._computer.now()

    async def remembered_probe(self) -> Probe | None:
        """What was measured on this computer earlier."""
        return await self._computer.remembered_probe()

    async def probe(self) -> Probe:
        """Measure RAM, disk and the way to the GPU; at most 20 s, with progress as job `PROBE_JOB`.

        Raises:
            AppError: `machine.probe_busy`, `machine.probe_cancelled`, `machine.probe_failed`.
        """
        return await self._jobs.run(
            PROBE_JOB,
            self._computer.probe(),
            busy=AppError("machine.probe_busy"),
            cancelled=AppError("machine.probe_cancelled"),
        )
