"""The report as Markdown: tables, commands, and the plots as data links, so that the file stands alone. Pure."""

from __future__ import annotations

import base64

from core.experiment import contents
from core.experiment.contents import Table
from core.experiment.result import Result


def as_markdown(result: Result) -> str:
    parts = [
        "# Two launches compared",
        f"**{contents.headline(result)}** {contents.equality(result)}".rstrip(),
        _table(contents.setting(result)),
        "## Speed",
        _table(contents.speed(result)),
        *(_image(plot, number) for number, plot in enumerate(contents.plots(result), 1)),
        "## Launches",
        _table(contents.launches(result)),
    ]
    different = contents.differences(result)
    if different.rows:
        parts += ["## Where the answers differ", _table(different)]
    commands = contents.commands(result)
    if commands:
        parts.append("## Commands")
        parts += [f"{label}:\n\n```sh\n{command}\n```" for label, command in commands]
    logs = [run.log for run in result.runs if run.log]
    if logs:
        parts.append("Logs beside this file: " + ", ".join(f"`{name}`" for name in logs))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rows = [table.head, tuple("---" for _ in table.head), *table.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _image(plot: str, number: int) -> str:
    return f"![Plot {number}](data:image/svg+xml;base64,{base64.b64encode(plot.encode()).decode()})"
