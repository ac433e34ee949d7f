"""Running a command that needs the services: opened before it, closed after it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from core.cli.console import Console
from core.cli.frame import Frame, run_framed
from core.services import Services

Command = Callable[[Services, Console], Awaitable[None]]


def run(command: Command, *, as_json: bool = False) -> None:
    """Run one command with services around it; exit codes as in `run_framed`."""

    async def work(frame: Frame) -> None:
        services = Services(frame.paths, frame.settings, frame.bus)
        frame.closers.append(services.close)
        await services.clean_up()
        await command(services, frame.console)

    run_framed(work, as_json=as_json)
