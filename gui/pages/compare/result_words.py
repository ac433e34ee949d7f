"""A result in the person's language, drawn in the window's colours."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QPalette

from core.events import Phase
from core.experiment.plots import Palette, bars, dots
from core.experiment.result import Result, means
from core.experiment.statistics import Ratio, Summary
from core.words import show_bytes, term
from gui import figures
from gui.budget.inks import mixed
from gui.pages.compare.view import Picture, ResultView
from gui.words import Speech

Role = QPalette.ColorRole


def colours_of(palette: QPalette) -> Palette:
    """A in the accent, B in the text's own colour: they differ in lightness in both themes."""
    text, base = palette.color(Role.Text), palette.color(Role.Base)
    return Palette(
        ink=text.name(),
        quiet=palette.color(Role.PlaceholderText).name(),
        grid=palette.color(Role.Mid).name(),
        a=palette.color(Role.Accent).name(),
        b=mixed(text, base, 0.75).name(),
    )


class ResultWords(QObject):
    def __init__(self, speech: Speech, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._language = speech.language

    def view(self, result: Result, folder: str, palette: QPalette) -> ResultView:
        return ResultView(
            self._headline(result), self._rows(result), self._notes(result), self._pictures(result, palette), folder
        )

    def _headline(self, result: Result) -> str:
        if result.state == "running":
            return self.tr("Measuring…")
        failed = next((run for run in result.runs if run.error is not None), None)
        if failed is not None and failed.error is not None:
            return self.tr("{side} failed: {reason}").format(
                side=failed.label, reason=self._speech.explain(failed.error).title
            )
        ratio = result.ratios()["rate"]
        if ratio is None:
            return self.tr("It ended before there was anything to compare.")
        if not ratio.clear:
            return self.tr("No difference in speed beyond chance.")
        percent = self._decimal(abs(ratio.value - 1) * 100, 0)
        text = (
            self.tr("B writes {percent} % faster than A.")
            if ratio.value > 1
            else self.tr("B writes {percent} % slower than A.")
        )
        return text.format(percent=percent)

    def _rows(self, result: Result) -> tuple[tuple[str, str, str, str], ...]:
        sides, ratios = {label: result.summaries(label) for label in "AB"}, result.ratios()
        rows = [
            (name, self._summary(sides["A"][key], digits), self._summary(sides["B"][key], digits),
             self._ratio(ratios[key]))
            for name, key, digits in (
                (self.tr("Tokens per second"), "rate", 1), (self.tr("First token, s"), "ttft_s", 3),
            )
        ]  # fmt: skip
        ready = [self._ready(result, label) for label in "AB"]
        rows.append((self.tr("Ready after, s"), ready[0], ready[1], ""))
        return tuple(rows)

    def _ready(self, result: Result, label: str) -> str:
        found = [run.ready_s for run in result.of(label) if run.ready_s is not None]
        return self._decimal(sum(found) / len(found), 1) if found else figures.DASH

    def _summary(self, summary: Summary | None, digits: int) -> str:
        if summary is None:
            return figures.DASH
        text = f"{self._decimal(summary.median, digits)} ± {self._decimal(summary.deviation, digits)}"
        return self.tr("{text} (of {count})").format(text=text, count=summary.count)

    def _ratio(self, ratio: Ratio | None) -> str:
        if ratio is None:
            return figures.DASH
        if ratio.low is None or ratio.high is None:
            return self._decimal(ratio.value, 2)
        ends = "–".join(self._decimal(end, 2) for end in (ratio.low, ratio.high))
        return f"{self._decimal(ratio.value, 2)} ({ends})"

    def _notes(self, result: Result) -> tuple[str, ...]:
        notes: list[str] = []
        if result.state == "cancelled":
            notes.append(self.tr("Cancelled: only what was measured until then is shown."))
        if result.rates("A") and result.rates("B"):
            different = len(result.differences())
            total = len(result.comparison.prompts)
            notes.append(
                self.tr("The answers to {count} of {total} questions differ.").format(count=different, total=total)
                if different
                else self.tr("All answers are equal, word for word.")
            )
        for run in result.runs:
            notes += [
                self.tr("{side}: {option} had no effect.").format(side=run.label, option=proved.option)
                for proved in run.proof
                if proved.verdict == "no_effect"
            ]
        return tuple(notes)

    def _pictures(self, result: Result, palette: QPalette) -> tuple[Picture, ...]:
        colours = colours_of(palette)
        rates = {label: result.rates(label) for label in "AB"}
        waits = {label: [1000 * wait for wait in result.waits(label)] for label in "AB"}
        wanted = (
            (self.tr("Tokens per second, each answer"), lambda name: dots(name, rates, self._short, colours)),
            (self.tr("Time to the first token, ms"), lambda name: dots(name, waits, self._short, colours)),
            (self.tr("Seconds until ready"), lambda name: bars(name, self._phases(result), self._tenths, colours)),
            (self.tr("Memory"), lambda name: bars(name, self._memory(result), self._bytes, colours)),
        )
        made = ((name, draw(name)) for name, draw in wanted)
        return tuple(Picture(svg, name) for name, svg in made if svg)

    def _phases(self, result: Result) -> list[tuple[str, float | None, float | None]]:
        sides = [means([dict(run.phases) for run in result.of(label)]) for label in "AB"]
        names = [phase for phase in Phase if any(str(phase) in side for side in sides)]
        return [(self._speech.phase(name), sides[0].get(str(name)), sides[1].get(str(name))) for name in names]

    def _memory(self, result: Result) -> list[tuple[str, float | None, float | None]]:
        sides = [means([dict(run.memory) for run in result.of(label)]) for label in "AB"]
        names = list(dict.fromkeys(name for side in sides for name in side))
        return [(term("figure", name, self._language), sides[0].get(name), sides[1].get(name)) for name in names]

    def _short(self, value: float) -> str:
        return self._decimal(value, 0 if value >= 100 or value == int(value) else 1)

    def _tenths(self, value: float) -> str:
        return self._decimal(value, 1)

    def _bytes(self, value: float) -> str:
        return show_bytes(value, self._language)

    def _decimal(self, value: float, digits: int) -> str:
        return figures.decimal(value, digits, self._language)
