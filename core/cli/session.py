"""Running a command: services opened and closed around it, signals turned into cancellation, failures into words."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from logging.handlers import RotatingFileHandler

import typer

from core.cli.console import Console
from core.errors import AppError
from core.events import EventBus
from core.paths import Paths
from core.redact import RedactingFilter, Redactor
from core.services import Services
from core.settings import SettingsStore
from core.words import resolve_language

log = logging.getLogger(__name__)

Command = Callable[[Services, Console], Awaitable[None]]


def run(command: Command, *, as_json: bool = False) -> None:
    """Run one command to its end and leave nothing behind.

    Exits 0 when it went well, 1 on a failure (a bug included) told in words, 130 when it was interrupted.
    """
    paths = Paths.of_user()
    console = Console(resolve_language("system"), as_json)
    try:
        paths.ensure()
        settings = SettingsStore(paths.settings_file)
        console.language = resolve_language(settings.current.language)
        log_to_file(paths)
        code = asyncio.run(_guarded(command, paths, settings, console))
    except AppError as error:
        console.fail(error)
        code = 1
    except KeyboardInterrupt:
        code = 130
    except Exception as error:
        log.exception("a bug ended the command")
        console.fail(AppError("app.bug", Redactor()(traceback.format_exc()), kind=type(error).__name__))
        code = 1
    raise typer.Exit(code)


async def _guarded(command: Command, paths: Paths, settings: SettingsStore, console: Console) -> int:
    bus = EventBus()
    bus.subscribe(console.hear)
    services = Services(paths, settings, bus)
    task = asyncio.ensure_future(_open_and_run(command, services, console))
    loop = asyncio.get_running_loop()
    # TERM and HUP as well as Ctrl-C: a closed terminal must not leave a server either.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    interrupted = False
    try:
        await task
    except asyncio.CancelledError:
        interrupted = True
        console.say("stopping")
    finally:
        await services.close()
    if interrupted:
        console.say("interrupted")
    return 130 if interrupted else 0


async def _open_and_run(command: Command, services: Services, console: Console) -> None:
    for problem in services.settings.problems:
        console.fail(problem)
    await services.clean_up()
    await command(services, console)


def log_to_file(paths: Paths) -> None:
    """The app's own log: rotating, private, without secrets. A log that cannot be written costs the log only."""
    try:
        handler = RotatingFileHandler(paths.logs / "app.log", maxBytes=5_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        print(f"stowage: no log file: {error}", file=sys.stderr)
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter(Redactor()))
    with contextlib.suppress(OSError):
        (paths.logs / "app.log").chmod(0o600)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(handler)
