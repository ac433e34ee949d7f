"""`stowage compare`: two launches of one model in the terminal, and a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.cli.console import Console
from core.errors import AppError
from core.events import ErrorInfo
from core.experiment import contents
from core.experiment.result import Result, as_json
from core.experiment.spec import PROMPTS, Comparison, Order
from core.planning.choices import of_settings
from core.preflight.finding import Consent
from core.services import Services


@dataclass(frozen=True, slots=True)
class Asked:
    """The command's options as they were typed."""

    model: str
    a: str
    b: str
    repeats: int = 3
    order: str = "AB"
    max_tokens: int = 64
    prompts: str | None = None
    out: str | None = None
    engine: str | None = None
    context: int | None = None
    force: bool = False


async def compare(services: Services, console: Console, asked: Asked) -> None:
    """Raises: AppError: what a launch failed with, after the report was written."""
    base = of_settings(services.settings.current, asked.context, enforce_eager=False)
    comparison = Comparison(
        asked.model,
        await services.experiments.variant("A", asked.a, base, asked.engine),
        await services.experiments.variant("B", asked.b, base, asked.engine),
        engine=asked.engine,
        prompts=_prompts(asked.prompts),
        repeats=asked.repeats,
        order=Order(asked.order),
        max_tokens=asked.max_tokens,
    )
    none = console.text("compare_none")
    console.say("compare_began", a=asked.a or none, b=asked.b or none)
    folder = str(Path(asked.out).expanduser().absolute()) if asked.out else None
    result, written = await services.experiments.compare(comparison, folder, consent=Consent(everything=asked.force))
    if console.as_json:
        console.object(as_json(result) | {"folder": written})
    else:
        console.out("\n".join(_lines(result)))
        console.out(console.text("compare_done", folder=written))
    failed = next((run.error for run in result.runs if run.error is not None), None)
    if failed is not None:
        raise _raised(failed)


def _prompts(path: str | None) -> tuple[str, ...]:
    if path is None:
        return PROMPTS
    try:
        lines = Path(path).expanduser().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AppError("compare.bad_prompts", repr(error), path=path, reason=str(error)) from error
    found = tuple(line.strip() for line in lines if line.strip())
    if not found:
        raise AppError("compare.bad_prompts", path=path, reason="no question in it")
    return found


def _lines(result: Result) -> list[str]:
    table = contents.speed(result)
    widths = [max(len(row[n]) for row in (table.head, *table.rows)) for n in range(len(table.head))]
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table.rows]
    head = "  ".join(cell.ljust(width) for cell, width in zip(table.head, widths, strict=True))
    return [contents.headline(result), contents.equality(result), "", head.rstrip(), *(row.rstrip() for row in rows)]


def _raised(error: ErrorInfo) -> AppError:
    facts: dict[str, Any] = dict(error.facts)
    return AppError(error.code, "\n".join((error.detail, *error.last_words)), **facts)
