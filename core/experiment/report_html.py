"""The report as one HTML file without anything from elsewhere: inline SVG, light and dark by the reader's system.
Pure; every text that came from outside is escaped."""

from __future__ import annotations

from html import escape
from typing import Final

from core.experiment import contents
from core.experiment.contents import Table
from core.experiment.plots import DARK, LIGHT, Palette
from core.experiment.result import Result


def _plot_style(palette: Palette) -> str:
    sides = "".join(
        f".side-{label}{{fill:{palette.of(label)}}}.line-{label}{{stroke:{palette.of(label)}}}" for label in "AB"
    )
    return f"{sides}.ink{{fill:{palette.ink}}}.quiet{{fill:{palette.quiet}}}.grid{{stroke:{palette.grid}}}"


_STYLE: Final = f"""
:root{{color-scheme:light dark}}
body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
background:#fff;color:{LIGHT.ink}}}
h1{{font-size:1.6rem;margin:0 0 .5rem}}h2{{font-size:1.2rem;margin:2rem 0 .5rem}}
table{{border-collapse:collapse;width:100%}}
th,td{{text-align:left;padding:.35rem .6rem;border-bottom:1px solid {LIGHT.grid};vertical-align:top;
overflow-wrap:anywhere}}
th{{font-weight:600}}pre{{white-space:pre-wrap;overflow-wrap:anywhere;padding:.8rem;border:1px solid {LIGHT.grid};
border-radius:6px}}
.head{{font-size:1.1rem;font-weight:600}}svg{{max-width:100%;height:auto;display:block;margin:1rem 0}}
{_plot_style(LIGHT)}
@media (prefers-color-scheme: dark){{
body{{background:#0d1117;color:{DARK.ink}}}th,td,pre{{border-color:{DARK.grid}}}
{_plot_style(DARK)}
}}
"""


def as_html(result: Result) -> str:
    parts = [
        "<h1>Two launches compared</h1>",
        f"<p class='head'>{escape(contents.headline(result))}</p>",
        f"<p>{escape(contents.equality(result))}</p>",
        _table(contents.setting(result)),
        "<h2>Speed</h2>",
        _table(contents.speed(result)),
        *contents.plots(result),
        "<h2>Launches</h2>",
        _table(contents.launches(result)),
    ]
    different = contents.differences(result)
    if different.rows:
        parts += ["<h2>Where the answers differ</h2>", _table(different)]
    commands = contents.commands(result)
    if commands:
        parts.append("<h2>Commands</h2>")
        parts += [f"<p>{escape(label)}</p><pre>{escape(command)}</pre>" for label, command in commands]
    logs = [run.log for run in result.runs if run.log]
    if logs:
        links = ", ".join(f"<a href='{escape(name, quote=True)}'>{escape(name)}</a>" for name in logs)
        parts.append(f"<p>Logs: {links}</p>")
    title = escape(f"{result.comparison.model}: {result.comparison.a.text or 'A'} / {result.comparison.b.text or 'B'}")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title><style>{_STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head) if any(table.head) else ""
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{rows}</table>"
