"""Where a model's embedding tables came to lie, told after an answer: the verdict, why, and the rows that were read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from core import words
from core.cli.console import Console
from core.engine.finding import Finding
from core.engine.ple_proof import Counted
from core.services import Services

_OPTIONS: Final = ("ple_disk", "ple_ram", "ple")


async def table_proof(services: Services) -> tuple[Finding | None, Counted | None]:
    """Of the running server; None for what there is nothing of."""
    findings = await services.care.proven()
    finding = next((finding for finding in findings if finding.option in _OPTIONS), None)
    return finding, await services.care.table_rows()


def table_lines(finding: Finding | None, rows: Counted | None, console: Console) -> list[str]:
    """The verdict with its reason, then the rows."""
    if finding is None:
        return []

    def told(group: str, name: str) -> str:
        return words.term(group, name, console.language) if name else ""

    name = told("proof_option", finding.option)
    name = f"{name} ({finding.found})" if finding.found else name
    why = (told("proof_reason", finding.reason), told("proof_advice", finding.advice))
    lines = [" ".join(filter(None, (f"{name}: {told('verdict', str(finding.verdict))}.", *why)))]
    if rows is not None and rows.lookups and rows.hit_share is not None:
        share, wait_ms = f"{100 * rows.hit_share:.0f}", f"{1e3 * rows.lookup_s / rows.lookups:.2f}"
        lines.append(console.text("table_rows", rows=f"{rows.rows:,}", percent=share, wait=wait_ms))
    return lines


def table_object(finding: Finding | None, rows: Counted | None) -> dict[str, Any]:
    """`table`: the finding (None where nothing was asked for), and the counters since the server was ready."""
    found = asdict(finding) | {"verdict": str(finding.verdict)} if finding is not None else None
    counted = {name: getattr(rows, name) for name in Counted.__struct_fields__} if rows is not None else None
    return {"table": {"proof": found, "rows": counted}}
