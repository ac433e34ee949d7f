"""`stowage history`: what launches were, what they were planned to take, what they took, how they failed."""

from __future__ import annotations

import datetime

from core import words
from core.cli.console import duration
from core.cli.frame import Frame
from core.events import ErrorInfo
from core.ledger.export import as_object
from core.ledger.launches import LaunchLedger
from core.ledger.record import KV_TOKENS, SPEED, LaunchRecord


async def show(frame: Frame, model: str | None, limit: int, *, only_errors: bool = False) -> None:
    ledger = LaunchLedger(frame.paths.launch_history)
    frame.closers.append(ledger.close)
    records = await ledger.newest(limit if not only_errors else 10_000, model)
    for problem in ledger.take_problems():
        frame.console.fail(problem)
    if only_errors:
        records = [record for record in records if record.error is not None][:limit]
    console = frame.console
    if console.as_json:
        console.object({"launches": [as_object(record) for record in records]})
        return
    if not records:
        console.out(console.text("history_none"))
    for record in records:
        console.out("\n".join(_lines(record, console.language)))


def _lines(record: LaunchRecord, language: str) -> list[str]:
    when = datetime.datetime.fromtimestamp(record.began_at).astimezone().strftime("%Y-%m-%d %H:%M")
    lines = [
        words.term("cli", "history_row", language).format(
            when=when,
            outcome=words.term("outcome", str(record.outcome), language),
            ready="" if record.ready_s is None else duration(record.ready_s),
            model=record.model,
            engine=record.identity.engine,
        )
    ]
    if record.error is not None:
        lines.append(f"    {_told(record.error, language)}")
    row = words.term("cli", "history_figure", language)
    lines += [
        row.format(
            name=words.term("figure", figure.name, language),
            predicted=_amount(figure.name, figure.predicted, language),
            actual=_amount(figure.name, figure.actual, language),
        )
        for figure in record.figures
        if figure.actual is not None and figure.predicted is not None
    ]
    return lines


def _told(error: ErrorInfo, language: str) -> str:
    told = words.explain(error, language)
    return f"{told.title}. {told.sentence}"


def _amount(name: str, value: float | None, language: str) -> str:
    assert value is not None
    if name == KV_TOKENS:
        return f"{value:,.0f}"
    if name == SPEED:
        return f"{value:.1f}"
    # As exact as vLLM prints it: 0.25 planned and 0.25 come are equal.
    text = f"{value / words.GIB:.2f}"
    return f"{text.replace('.', ',')} ГиБ" if language == "ru" else f"{text} GiB"
