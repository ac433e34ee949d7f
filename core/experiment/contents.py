"""What a report says, in words and rows, before it is Markdown or HTML. Pure. English, as reports travel."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.events import Phase
from core.experiment.plots import LIGHT, Palette, bars, dots
from core.experiment.result import Result, Run, means
from core.experiment.statistics import Ratio, Summary
from core.words import explain, show_bytes, term

SHOWN_TEXT: Final = 160


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def headline(result: Result) -> str:
    """One sentence that a person may quote."""
    ratio = result.ratios()["rate"]
    if result.state == "failed":
        failed = next(run for run in result.runs if run.error is not None)
        assert failed.error is not None
        return f"{failed.label} failed: {explain(failed.error, 'en').title}."
    if ratio is None:
        return "The comparison ended before there was anything to compare."
    words = "Not finished. " if result.state == "cancelled" else ""
    if not ratio.clear:
        return f"{words}No difference in speed beyond chance: B decodes {_times(ratio)}."
    faster = "faster" if ratio.value > 1 else "slower"
    return f"{words}B decodes {abs(ratio.value - 1):.0%} {faster} than A: {_times(ratio)}."


def _times(ratio: Ratio) -> str:
    band = "" if ratio.low is None or ratio.high is None else f" (95 % interval {ratio.low:.2f} to {ratio.high:.2f})"
    return f"{ratio.value:.2f} times as fast as A{band}"


def equality(result: Result) -> str:
    if not result.rates("A") or not result.rates("B"):
        return ""
    unstable = [label for label in "AB" if result.unstable(label)]
    different = result.differences()
    if not different:
        return "All greedy answers are equal."
    count, total = len(different), len(result.comparison.prompts)
    text = f"The greedy answers to {count} of {total} prompts differ."
    if unstable:
        text += f" {' and '.join(unstable)} did not repeat its own answers either."
    return text


def setting(result: Result) -> Table:
    comparison = result.comparison
    began = datetime.datetime.fromtimestamp(result.began_at).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    rows = [
        ("Model", comparison.model),
        ("Revision", result.revision or "unknown (a local folder)"),
        ("Option A", comparison.a.text or "(none)"),
        ("Option B", comparison.b.text or "(none)"),
        ("vLLM", ", ".join(sorted({run.version for run in result.runs if run.version})) or "unknown"),
        ("Computer", result.machine),
        ("Order", f"{comparison.order}, {comparison.repeats} repeats of {len(comparison.prompts)} prompts, warmed up"),
        ("Answers", f"greedy, at most {comparison.max_tokens} tokens"),
        ("When", f"{began}, Stowage {result.stowage}"),
    ]
    return Table(("", ""), tuple(rows))


def speed(result: Result) -> Table:
    sides = {label: result.summaries(label) for label in "AB"}
    ratios = result.ratios()
    rows = [
        (name, _summary(sides["A"][key], digits), _summary(sides["B"][key], digits), _ratio(ratios[key]))
        for name, key, digits in (("Tokens per second", "rate", 1), ("First token, s", "ttft_s", 3))
    ]
    return Table(("Median ± deviation [95 %]", "A", "B", "B : A"), tuple(rows))


def _summary(summary: Summary | None, digits: int) -> str:
    if summary is None:
        return "–"
    text = f"{summary.median:.{digits}f} ± {summary.deviation:.{digits}f}"
    if summary.low is not None and summary.high is not None:
        text += f" [{summary.low:.{digits}f}, {summary.high:.{digits}f}]"
    return f"{text}, n = {summary.count}"


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return "–"
    band = "" if ratio.low is None or ratio.high is None else f" [{ratio.low:.2f}, {ratio.high:.2f}]"
    return f"{ratio.value:.2f}{band}"


def launches(result: Result) -> Table:
    rows = [
        (
            f"{run.number} {run.label}",
            "–" if run.ready_s is None else f"{run.ready_s:.1f} s",
            "–" if run.kv_tokens is None else f"{run.kv_tokens:,.0f}",
            ", ".join(f"{term('figure', name, 'en')} {show_bytes(size)}" for name, size in run.memory) or "–",
            _proof(run),
        )
        for run in result.runs
    ]
    return Table(("Launch", "Ready after", "KV tokens", "Memory", "Did the options take effect?"), tuple(rows))


def _proof(run: Run) -> str:
    if run.error is not None:
        return explain(run.error, "en").title
    return ", ".join(f"{p.option} {p.asked}: {p.verdict.replace('_', ' ')}" for p in run.proof) or "not checked"


def differences(result: Result) -> Table:
    rows = [
        (
            result.comparison.prompts[found.prompt],
            f"at character {found.at + 1}",
            _around(found.a, found.at),
            _around(found.b, found.at),
        )
        for found in result.differences()
    ]
    return Table(("Prompt", "Differs", "A from there", "B from there"), tuple(rows))


def _around(text: str, at: int) -> str:
    cut = text[at : at + SHOWN_TEXT]
    return ("…" if at else "") + (cut or "(the end)") + ("…" if at + SHOWN_TEXT < len(text) else "")


def commands(result: Result) -> tuple[tuple[str, str], ...]:
    """A heading and a command line for each side; the user's own folder is "~"."""
    found = [next((run for run in result.of(label) if run.command), None) for label in "AB"]
    home = str(Path.home())
    return tuple((run.label, run.command.replace(home, "~")) for run in found if run is not None)


def plots(result: Result, palette: Palette = LIGHT) -> tuple[str, ...]:
    """Those that have something to show."""
    rates = {label: result.rates(label) for label in "AB"}
    waits = {label: [1000 * wait for wait in result.waits(label)] for label in "AB"}
    made = (
        dots("Tokens per second, each answer (more is better)", rates, lambda v: f"{v:.3g}", palette),
        dots("Time to the first token, ms (less is better)", waits, lambda v: f"{v:.3g}", palette),
        bars("Seconds until ready", _phases(result), lambda v: f"{v:.1f} s", palette),
        bars("Memory", _memory(result), show_bytes, palette),
    )
    return tuple(plot for plot in made if plot)


def _phases(result: Result) -> list[tuple[str, float | None, float | None]]:
    sides = [means([dict(run.phases) for run in result.of(label)]) for label in "AB"]
    names = [str(phase) for phase in Phase if any(str(phase) in side for side in sides)]
    return [(term("phase", name, "en"), sides[0].get(name), sides[1].get(name)) for name in names]


def _memory(result: Result) -> list[tuple[str, float | None, float | None]]:
    sides = [means([dict(run.memory) for run in result.of(label)]) for label in "AB"]
    names = list(dict.fromkeys(name for side in sides for name in side))
    return [(term("figure", name, "en"), sides[0].get(name), sides[1].get(name)) for name in names]
