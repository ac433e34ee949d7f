"""`stowage search`: a list of models with sizes and whether they fit, filled in while it is waited for."""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final, cast, get_args

import typer

from core import words
from core.cli.console import Console
from core.events import ErrorInfo, Event
from core.hub.events import BadgeChanged
from core.hub.model import Fit, FitBadge, RepoRow, SearchQuery, Sort
from core.services import Services

BADGES_S: Final = 60.0
"""Longest wait for the badges of a list."""

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([bm])?", re.IGNORECASE)
_UNITS: Final = {"b": 1e9, "m": 1e6, "": 1e9}


def query_of(
    text: str,
    sort: str,
    size: str,
    quantization: str,
    licence: str,
    author: str,
    opened: bool,
    days: int,
    everything: bool,
) -> SearchQuery:
    """Raises: typer.BadParameter for a sort or a size that is none."""
    if sort not in get_args(Sort):
        raise typer.BadParameter(f"one of {', '.join(get_args(Sort))}", param_hint="--sort")
    least, most = _span(size)
    return SearchQuery(
        text=text,
        sort=cast("Sort", sort),
        min_parameters=least,
        max_parameters=most,
        quantization=quantization.lower(),
        licence=licence.lower(),
        author=author,
        gated="open" if opened else "any",
        updated_within_days=days,
        loadable_only=not everything,
    )


async def search(services: Services, console: Console, query: SearchQuery, *, limit: int, fit: bool) -> None:
    """Raises: AppError: why the Hub cannot be asked, when no older answer is kept."""
    await services.hub.cache.look()
    filled: dict[str, RepoRow] = {}
    news = asyncio.Event()

    def heard(event: Event) -> None:
        if isinstance(event, BadgeChanged):
            filled[event.row.repo_id] = event.row
            news.set()

    unsubscribe = services.bus.subscribe(heard)
    try:
        rows, problem = await _rows(services, query, limit)
        if fit:
            await _wait(rows, filled, news)
    finally:
        unsubscribe()
    rows = [filled.get(row.repo_id, row) for row in rows]
    if problem is not None:
        console.warn(problem)
        console.say("search_older")
    if console.as_json:
        console.object({"models": [row_object(row) for row in rows]})
        return
    for row in rows:
        console.out(_line(row, console, fit=fit))
    if not rows:
        console.say("search_nothing")


async def _rows(services: Services, query: SearchQuery, limit: int) -> tuple[list[RepoRow], ErrorInfo | None]:
    page = await services.hub.search(query)
    rows, problem = list(page.rows), page.problem
    while len(rows) < limit and page.cursor:
        page = await services.hub.search(query, page.cursor)
        rows += page.rows
        problem = problem or page.problem
    return rows[:limit], problem


async def _wait(rows: list[RepoRow], filled: dict[str, RepoRow], news: asyncio.Event) -> None:
    """Until every row has its badge, or too long."""
    try:
        async with asyncio.timeout(BADGES_S):
            while any(filled.get(row.repo_id, row).badge is None for row in rows):
                news.clear()
                await news.wait()
    except TimeoutError:
        return


def _span(size: str) -> tuple[int, int]:
    """ "8B": half of that to one and a half; "7B-14B"; "-3B"; "30B-"."""
    if not size:
        return 0, 0
    least, dash, most = size.replace("–", "-").partition("-")
    found = _count(least), _count(most)
    if not dash:
        return found[0] // 2, found[0] * 3 // 2
    if found[1] and found[0] > found[1]:
        raise typer.BadParameter("the smaller one first, such as 7B-14B", param_hint="--size")
    return found


def _count(text: str) -> int:
    text = text.strip()
    if not text:
        return 0
    match = _SIZE.fullmatch(text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no size; such as 8B, 500M or 7B-14B", param_hint="--size")
    return int(float(match[1]) * _UNITS[(match[2] or "").lower()])


# ---- lines ---------------------------------------------------------------------------------------------------------


def _line(row: RepoRow, console: Console, *, fit: bool) -> str:
    size = words.show_bytes(row.weight_bytes, console.language) if row.weight_bytes else ""
    marks = [row.quantization, row.licence]
    marks += [console.text("search_gated")] if row.gated else []
    marks += [console.text("search_here" if row.cached == "whole" else "search_in_part")] if row.cached else []
    badge = _badge(row.badge, console) if fit else ""
    return f"{row.repo_id:<52} {size:>9}  {badge:<26} {' · '.join(mark for mark in marks if mark)}".rstrip()


def _badge(badge: FitBadge | None, console: Console) -> str:
    if badge is None:
        return ""
    state = words.term("fit", str(badge.fit), console.language)
    if badge.fit is Fit.OFFLOAD:
        return f"{state} {words.show_bytes(badge.offload_bytes, console.language)}"
    if badge.fit is Fit.NO and badge.short_bytes:
        return f"{state} (+{words.show_bytes(badge.short_bytes, console.language)})"
    if badge.tokens_per_s is not None:
        low, high = badge.tokens_per_s
        return f"{state} · {(low + high) / 2:.0f} tok/s"
    return state


def row_object(row: RepoRow) -> dict[str, Any]:
    badge = row.badge
    return {
        "id": row.repo_id,
        "commit": row.commit or None,
        "parameters": row.parameters,
        "weight_bytes": row.weight_bytes,
        "download_bytes": row.download_bytes,
        "quantization": row.quantization or None,
        "architecture": row.architecture or None,
        "context_tokens": row.context_tokens or None,
        "licence": row.licence or None,
        "gated": row.gated or None,
        "downloads": row.downloads,
        "likes": row.likes,
        "updated": row.updated or None,
        "loadable": row.loadable,
        "cached": row.cached or None,
        "fit": None if badge is None else _badge_object(badge),
    }


def _badge_object(badge: FitBadge) -> dict[str, Any]:
    return {
        "verdict": str(badge.fit),
        "context_tokens": badge.context_tokens or None,
        "offload_bytes": badge.offload_bytes,
        "short_bytes": badge.short_bytes,
        "short_tier": badge.short_tier or None,
        "tokens_per_s": list(badge.tokens_per_s) if badge.tokens_per_s else None,
        "exact": badge.exact,
        "reason": badge.reason or None,
    }
