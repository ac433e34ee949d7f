"""A launch after the click in words: its options' verdicts, its figures, how the server fares, what would help."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from core.engine.eta import Eta
from core.engine.finding import Finding, Verdict
from core.engine.fixes import Fix
from core.engine.ple_proof import Counted
from core.engine.vitals import Vitals
from core.events import ErrorInfo
from core.launches import SinceGood
from core.ledger.record import KV_TOKENS, SPEED, Figure, LaunchRecord
from core.preflight.finding import Finding as Checked
from core.preflight.text import button_text
from core.words import GIB, show_fact, term
from gui import figures
from gui.pages.launch.run.run_view import CheckLine, FigureLine, FixLine, ProofLine
from gui.words import Speech, capital

FETCH = "get_model"
# What getting the model mends; no server was started yet, so it is no fix of one.
FETCH_MENDS = ("model.not_here", "model.incomplete")

SIGNS = {Verdict.TOOK_EFFECT: "✓", Verdict.NO_EFFECT: "✗", Verdict.CANNOT_TELL: "?"}


class RunWords(QObject):
    """One language."""

    def __init__(self, speech: Speech, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._language = speech.language

    # ---- before ----------------------------------------------------------------------------------------------------

    def check(self, finding: Checked) -> CheckLine:
        words = self._speech.explain(finding.info)
        remedy = button_text(finding.remedy, self._language) if finding.remedy is not None else ""
        kind = term("severity", str(finding.severity), self._language)
        text = f"{words.sentence} {words.next_step}".strip()
        return CheckLine(finding.code, finding.severity, kind, words.title, text, remedy)

    # ---- while it starts -------------------------------------------------------------------------------------------

    def elapsed(self, seconds: float, eta: Eta | None) -> str:
        time = figures.clock(seconds)
        if eta is None:
            return time
        left = figures.clock(eta.remaining_s)
        if eta.late:
            return self.tr("{time}, longer than usual, at least {left} left").format(time=time, left=left)
        return self.tr("{time}, about {left} left").format(time=time, left=left)

    # ---- the proof -------------------------------------------------------------------------------------------------

    def proof(self, finding: Finding) -> ProofLine:
        name = term("proof_option", finding.option, self._language)
        verdict = term("verdict", str(finding.verdict), self._language)
        whole = finding.asked if finding.asked.startswith(os.sep) else ""
        value = self._value(finding.found if finding.verdict is Verdict.TOOK_EFFECT else finding.asked)
        chip = f"{name} {SIGNS[finding.verdict]}" + (f" {value}" if value and len(value) <= 12 else "")
        text = self.tr("{option}: {verdict}").format(option=name, verdict=verdict)
        if finding.asked not in ("", "True"):
            text = self.tr("{option} ({value}): {verdict}").format(
                option=name, value=self._value(finding.asked), verdict=verdict
            )
        why = term("proof_reason", finding.reason, self._language) if finding.reason else ""
        advice = term("proof_advice", finding.advice, self._language) if finding.advice else ""
        if finding.reason == "other_value" and finding.found:
            told = self.tr("It says: {value}.").format(value=self._value(finding.found))
            why = f"{why} {told}"
        return ProofLine(finding.option, finding.verdict, chip, text, why, advice, "\n".join(finding.evidence), whole)

    def _value(self, value: str) -> str:
        if value == "True":
            return ""
        if value.startswith(os.sep):  # a folder is its model's name
            return Path(value).name
        if value.isdecimal():
            return figures.count(int(value), self._language)
        if self._language == "ru" and value.endswith(" GiB"):
            return value.removesuffix(" GiB").replace(".", ",") + " ГиБ"
        return value

    # ---- figures ---------------------------------------------------------------------------------------------------

    def figure(self, figure: Figure, runs: int) -> FigureLine:
        """Args: `runs`: from how many launches the plan's figure was learned, 0 for the formula."""
        off = ""
        if figure.error is not None:
            percent = round(-100 * figure.error / (1 + figure.error)) if figure.error != -1 else 0
            off = self.tr("as planned") if abs(percent) < 1 else self.tr("{percent} %").format(percent=f"{percent:+d}")
        planned = self._amount(figure.name, figure.predicted)
        band = self._band(figure)
        if runs:
            meaning = self.tr("{size}, from %n of your runs", "", runs).format(size=f"{planned}{band}")
        elif band:
            meaning = self.tr("{size}, by the formula; it learns from every launch").format(size=f"{planned}{band}")
        else:
            meaning = self.tr("Counted as vLLM counts it")
        name = term("figure", figure.name, self._language)
        came = self._amount(figure.name, figure.actual)
        return FigureLine(figure.name, name, f"{planned}{band}", came, off, meaning)

    def _amount(self, name: str, value: float | None) -> str:
        if value is None:
            return figures.DASH
        if name == KV_TOKENS:
            return figures.count(round(value), self._language)
        if name == SPEED:
            return figures.decimal(value, 1, self._language)
        unit = "ГиБ" if self._language == "ru" else "GiB"
        return f"{figures.decimal(value / GIB, 2, self._language)} {unit}"

    def _band(self, figure: Figure) -> str:
        """ " ± 0.3"; "" where the ends are the same."""
        if figure.low is None or figure.high is None or figure.high <= figure.low:
            return ""
        half = (figure.high - figure.low) / 2
        text = figures.decimal(
            half if figure.name == SPEED else half / GIB, 1 if figure.name == SPEED else 2, self._language
        )
        return f" ± {text}"

    # ---- while it runs ---------------------------------------------------------------------------------------------

    def vitals(self, vitals: Vitals) -> str:
        parts: list[str] = []
        if vitals.kv_used is not None:
            parts.append(self.tr("KV cache {percent}").format(percent=self._speech.percent(vitals.kv_used)))
        parts.append(
            self.tr("{running} running, {waiting} waiting").format(running=vitals.running, waiting=vitals.waiting)
        )
        if vitals.prefix_hit_rate is not None:
            parts.append(
                self.tr("prefix cache hits {percent}").format(percent=self._speech.percent(vitals.prefix_hit_rate))
            )
        if vitals.decode_rate is not None and vitals.decode_rate > 0:
            parts.append(
                self.tr("writes {rate} tok/s").format(rate=figures.decimal(vitals.decode_rate, 1, self._language))
            )
        if vitals.prompt_rate is not None and vitals.prompt_rate > 0:
            parts.append(
                self.tr("reads {rate} tok/s").format(rate=figures.decimal(vitals.prompt_rate, 0, self._language))
            )
        return " · ".join(parts)

    def table(self, counted: Counted | None) -> str:
        """Rows of the per-layer table since the server was ready; "" where Stowage keeps none."""
        if counted is None:
            return ""
        count = figures.count(counted.rows, self._language)
        rows = self.tr("%n table row(s)", "", counted.rows).replace(str(counted.rows), count)
        if counted.hit_share is None or not counted.lookups:
            return rows
        wait = figures.decimal(1e3 * counted.lookup_s / counted.lookups, 2, self._language)
        told = self.tr("{rows}, {percent} from the cache, {ms} ms a lookup")
        return told.format(rows=rows, percent=self._speech.percent(counted.hit_share), ms=wait)

    def limits(self, vitals: Vitals) -> tuple[str, str]:
        """What limits the speed, in a title; and all of it in sentences."""
        told = [self._speech.explain(limit) for limit in vitals.limits]
        if not told:
            return "", ""
        text = "\n".join(f"{words.title}. {words.sentence} {words.next_step}".strip() for words in told)
        return self.tr("Limited by: {limits}").format(limits="; ".join(words.title for words in told)), text

    # ---- failures --------------------------------------------------------------------------------------------------

    def fix(self, fix: Fix) -> FixLine:
        facts = {name: show_fact(name, value, self._language) for name, value in fix.facts.items()}
        text = term("fix", fix.kind, self._language).format_map(facts)
        return FixLine(fix.kind, f"{text}…" if fix.action else text, fix.action)

    def fetch(self, error: ErrorInfo, *, offline: bool) -> FixLine | None:
        """The button against a model of the Hub that is not here; None where getting it would not help."""
        model = str(error.facts.get("model") or "")
        if error.code not in FETCH_MENDS or not model:
            return None
        kind = "go_online" if offline else "fetch" if error.code == "model.not_here" else "fetch_missing"
        return FixLine(FETCH, term("fix", kind, self._language).format(model=model), "")

    def since_good(self, since: SinceGood) -> str:
        when = self.when(since.good)
        if not since.changed:
            return self.tr("The last good launch, {when}, had the same options.").format(when=when)
        lines = [
            f"{term('choice', name, self._language)}: {self.choice(then)} → {self.choice(now)}"
            for name, (then, now) in since.changed.items()
        ]
        return "\n".join((self.tr("Since the last good launch, {when}:").format(when=when), *lines))

    def choice(self, value: Any) -> str:
        """A value of an option as the ledger keeps it."""
        if value is None or value in ("", [], {}, "auto"):
            return self.tr("not set")
        if isinstance(value, bool):
            return self.tr("on") if value else self.tr("off")
        if isinstance(value, int):
            return figures.count(value, self._language)
        if isinstance(value, list):
            return " ".join(map(self.choice, value))
        if isinstance(value, dict):
            return ", ".join(f"{name} {self.choice(inner)}" for name, inner in value.items() if inner)
        return str(value)

    def when(self, record: LaunchRecord) -> str:
        at = datetime.datetime.fromtimestamp(record.began_at).astimezone()
        return f"{figures.day(record.began_at, self._language)}, {at:%H:%M}"

    def fixed(self, error_title: str, fix: Fix) -> str:
        text = self.tr("The launch stopped ({problem}) and was tried again: {fix}.")
        return text.format(problem=error_title, fix=self.fix(fix).text)

    # ---- history ---------------------------------------------------------------------------------------------------

    def record_row(self, record: LaunchRecord, names: dict[str, str]) -> tuple[str, ...]:
        """When, model, engine, outcome, seconds until it was ready."""
        outcome = capital(term("outcome", str(record.outcome), self._language))
        if record.error is not None:
            outcome = f"{outcome}: {self._speech.explain(record.error).title}"
        ready = figures.clock(record.ready_s) if record.ready_s is not None else figures.DASH
        return self.when(record), names.get(record.model, record.model), record.identity.engine, outcome, ready

    def record_text(self, record: LaunchRecord) -> str:
        """All of one launch, as lines."""
        lines: list[str] = []
        if record.error is not None:
            words = self._speech.explain(record.error)
            lines += [f"{words.title}. {words.sentence}", words.next_step, ""]
        for figure in record.figures:
            if figure.actual is not None and figure.predicted is not None:
                line = self.figure(figure, 0)
                told = self.tr("{name}: planned {planned}, came {came} ({off})")
                lines.append(told.format(name=line.name, planned=line.planned, came=line.came, off=line.off))
        for option, verdict in record.proof.items():
            name = term("proof_option", option, self._language)
            told = self.tr("{option}: {verdict}")
            lines.append(told.format(option=name, verdict=term("verdict", verdict, self._language)))
        if record.phases:
            steps = (f"{term('phase', name, self._language)} {figures.clock(s)}" for name, s in record.phases.items())
            lines.append(" · ".join(steps))
        lines += [record.command]
        if record.error is not None and record.error.detail:
            lines += ["", record.error.detail]
        return "\n".join(lines)
