"""`stowage desktop`: the entry in the application menu."""

from __future__ import annotations

import typer

from core.cli.console import Console
from core.desktop import entry
from core.errors import AppError
from core.words import resolve_language


def install() -> None:
    console = Console(resolve_language("system"))
    try:
        installed = entry.install()
    except AppError as error:
        console.fail(error)
        raise typer.Exit(1) from error
    console.out(console.text("desktop_installed", path=installed[0]))


def remove() -> None:
    console = Console(resolve_language("system"))
    try:
        removed = entry.remove()
    except AppError as error:
        console.fail(error)
        raise typer.Exit(1) from error
    console.out(console.text("desktop_removed" if removed else "desktop_absent"))
