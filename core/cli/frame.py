"""Around every command: the user's folders and language, signals turned into cancellation, failures into words."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import typer

from core.cli.console import Console
from core.errors import AppError
from core.events import EventBus
from core.log_file import log_to_file
from core.paths import Paths
from core.redact import Redactor
from core.settings import SettingsStore
from core.words import resolve_language

log = logging.getLogger(__name__)

Closer = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Frame:
    """What a command works with. `closers` run at its end, the last one first, however it ended; no signal cuts them
    short."""

    paths: Paths
    settings: SettingsStore
    console: Console
    bus: EventBus = field(default_factory=EventBus)
    closers: list[Closer] = field(default_factory=list[Closer])


Work = Callable[[Frame], Awaitable[None]]


def run_framed(work: Work, *, as_json: bool = False) -> None:
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
        code = asyncio.run(_guarded(work, Frame(paths, settings, console)))
    except AppError as error:
        console.fail(error)
        code = 1
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        # Whoever read our output (`head`) has seen enough: no fault, and nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 128 + signal.SIGPIPE
    except Exception as error:
        log.exception("a bug ended the command")
        console.fail(AppError("app.bug", Redactor()(traceback.format_exc()), kind=type(error).__name__))
        code = 1
    raise typer.Exit(code)


async def _guarded(work: Work, frame: Frame) -> int:
    frame.bus.subscribe(frame.console.hear)
    task = asyncio.ensure_future(_told(work, frame))
    loop = asyncio.get_running_loop()
    # TERM and HUP as well as Ctrl-C: a closed terminal must not leave a server either.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    interrupted = False
    try:
        await task
    except asyncio.CancelledError:
        interrupted = True
        frame.console.say("stopping")
    finally:
        for closer in reversed(frame.closers):
            await closer()
    if interrupted:
        frame.console.say("interrupted")
    return 130 if interrupted else 0


async def _told(work: Work, frame: Frame) -> None:
    for problem in frame.settings.problems:
        frame.console.fail(problem)
    await work(frame)
