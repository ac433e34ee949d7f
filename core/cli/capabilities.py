"""`stowage engine capabilities`: what a build accepts and does, and what changed between two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from core import words
from core.cli.console import Console
from core.engine.capabilities.difference import Change, Difference
from core.engine.capabilities.model import Capabilities, Row
from core.services import Services

_WIDTH: Final = 36


async def show(services: Services, console: Console, engine_id: str | None, search: str) -> None:
    found = await services.options.capabilities(engine_id)
    if console.as_json:
        rows = [row for row in found.rows() if _matches(row, search)]
        part = {"version": found.version, "rows": msgspec.to_builtins(rows)}
        console.object(part if search else msgspec.to_builtins(found))
        return
    console.out("\n".join(_lines(found, search, console)))


async def compare(services: Services, console: Console, old: str, new: str) -> None:
    found = await services.options.compare(old, new)
    if console.as_json:
        console.object(msgspec.to_builtins(found))
    else:
        console.out("\n".join(_difference(found, console)))


def _matches(row: Row, search: str) -> bool:
    return search.lower() in f"{row.name} {row.value} {row.text}".lower()


def _lines(found: Capabilities, search: str, console: Console) -> Iterator[str]:
    counts = {
        "options": len(found.options),
        "architectures": len(found.architectures),
        "quantizations": len(found.quantizations),
    }
    yield console.text("capabilities", version=found.version, platform=found.platform or "?", **counts)
    for noop in found.noops:
        yield f"! {' '.join(noop.flags)}: {words.term('noop', noop.id, console.language)}"
    kind = ""
    rows = [row for row in found.rows() if row.kind != "noop" and _matches(row, search)]
    if not rows:
        yield console.text("nothing_found", search=search)
    for row in rows:
        if row.kind != kind:
            kind = row.kind
            yield f"\n{words.term('capability', kind, console.language)}"
        yield f"  {row.name:<{_WIDTH}} {_short(row.value):<20} {row.place}".rstrip()


def _difference(found: Difference, console: Console) -> Iterator[str]:
    yield console.text("compared", old=found.old, new=found.new)
    for change in found.options:
        yield f"  {change.flag:<{_WIDTH}} {_change(change, console)}"
    for mark, names in (("+", found.architectures_added), ("-", found.architectures_removed)):
        if names:
            yield f"  {words.term('capability', 'architecture', console.language)} {mark} {', '.join(names)}"
    for mark, names in (("+", found.quantizations_added), ("-", found.quantizations_removed)):
        if names:
            yield f"  {words.term('capability', 'quantization', console.language)} {mark} {', '.join(names)}"


def _change(change: Change, console: Console) -> str:
    what = words.term("capability_change", change.what, console.language)
    if change.what in ("ignored", "works"):
        return f"{what}: {words.term('noop', change.after or change.before, console.language)}"
    if change.what in ("choices", "fields"):
        return f"{what}: {f'- {change.before}  ' if change.before else ''}{f'+ {change.after}' if change.after else ''}"
    if change.what in ("default", "kind"):
        return f"{what}: {_short(change.before)} → {_short(change.after)}"
    return what


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
