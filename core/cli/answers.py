"""Asking a person in the terminal while the loop goes on, so that Ctrl-C ends the question at once."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from core.cli.console import Console
from core.errors import AppError

_YES: Final = ("y", "yes", "д", "да")


def can_ask(console: Console) -> bool:
    """Whether a person sits there."""
    return not console.as_json and sys.stdin.isatty()


async def agrees(console: Console, name: str, *, option: str, **values: object) -> bool:
    """Whether the person says yes to the term `name`; anything else is a no.

    Raises:
        AppError: `app.needs_answer` where nobody can be asked; `option` is what says yes on the command line.
    """
    if not can_ask(console):
        raise AppError("app.needs_answer", question=console.text(name, **values), option=option)
    console.ask(f"{console.text(name, **values)} {console.text('yes_or_no')} ")
    return (await _line()).strip().lower() in _YES


async def _line() -> str:
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(sys.stdin.fileno(), lambda: ready.done() or ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()
