"""What is known of a per-layer table, as a list to tick off: the model, the engine, the disk, the price, the gain."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from PySide6.QtCore import QObject

from core.events import ErrorInfo
from core.planning.table_facts import TableFacts
from core.words import show_bytes, term
from gui import figures
from gui.words import Speech, capital

KIB = 1 << 10


class Mark(enum.Enum):
    GOOD = "good"
    CAREFUL = "careful"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class CheckedLine:
    """`id` "model", "engine", "disk", "cost", "gain", "proof"."""

    id: str
    mark: Mark
    text: str


class TableWords(QObject):
    """One language."""

    def __init__(self, speech: Speech, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speech = speech
        self._language = speech.language

    def lines(self, facts: TableFacts, obstacle: ErrorInfo | None) -> tuple[CheckedLine, ...]:
        """Args: `obstacle` why this build cannot have it, None where it can."""
        return (
            self._model(facts),
            self._engine(facts, obstacle),
            self._disk(facts),
            CheckedLine("cost", Mark.NOTE, self._cost(facts)),
            CheckedLine("gain", Mark.GOOD if obstacle is None else Mark.NOTE, self._gain(facts)),
            self._proof(facts),
        )

    def warning(self, facts: TableFacts) -> str:
        """Of a disk that is slow at it, "" for any other."""
        if not facts.slow:
            return ""
        text = self.tr("{kind}: about {ms} ms for a row that no cache holds. RAM is the better place.")
        return text.format(kind=capital(term("disk_kind", facts.disk_kind, self._language)), ms=self._ms(facts.read_s))

    def _model(self, facts: TableFacts) -> CheckedLine:
        text = self.tr(
            "This model has a per-layer embedding table of {size}: {share} of its weights. A token reads {row} of it."
        )
        told = text.format(
            size=self._size(facts.table_bytes),
            share=self._speech.percent(facts.share),
            row=self.tr("{kib} KiB").format(kib=figures.decimal(facts.row_bytes / KIB, 0, self._language)),
        )
        return CheckedLine("model", Mark.GOOD, told)

    def _engine(self, facts: TableFacts, obstacle: ErrorInfo | None) -> CheckedLine:
        if obstacle is not None:
            words = self._speech.explain(obstacle)
            return CheckedLine("engine", Mark.CAREFUL, f"{words.sentence} {words.next_step}".strip())
        text = self.tr("vLLM {version} takes Stowage's plugin; nothing is installed into it.")
        return CheckedLine("engine", Mark.GOOD, text.format(version=facts.engine))

    def _disk(self, facts: TableFacts) -> CheckedLine:
        if facts.slow:
            where = self.tr("The files lie on {mount}.").format(mount=facts.mount) if facts.mount else ""
            return CheckedLine("disk", Mark.CAREFUL, f"{where} {self.warning(facts)}".strip())
        kind = term("disk_kind", facts.disk_kind, self._language) if facts.disk_kind else self.tr("kind not known")
        where = self.tr("The files lie on {mount} ({kind})") if facts.mount else self.tr("The files' disk: {kind}")
        told = where.format(mount=facts.mount, kind=kind)
        if not facts.measured:
            guess = self.tr("It was not measured: {ms} ms a row is a guess. “Measure…” in the memory details tells.")
            return CheckedLine("disk", Mark.NOTE, f"{told}. {guess.format(ms=self._ms(facts.read_s))}")
        speed = self.tr("measured, {ms} ms a row").format(ms=self._ms(facts.read_s))
        if facts.rows_per_s:
            rate = figures.count(round(facts.rows_per_s), self._language)
            speed = self.tr("{speed}, up to {rate} rows a second").format(speed=speed, rate=rate)
        return CheckedLine("disk", Mark.GOOD, f"{told}: {speed}.")

    def _cost(self, facts: TableFacts) -> str:
        low, high = (self._ms(seconds) for seconds in facts.disk_token_s)
        told = self.tr("A token waits {low} to {high} ms for its row on disk, about {ram} ms in RAM.").format(
            low=low, high=high, ram=self._ms(facts.ram_token_s)
        )
        if facts.step_s is None:
            return told
        step = self.tr("The rest of a token takes about {ms} ms here.").format(ms=self._ms(facts.step_s))
        return f"{told} {step}"

    def _gain(self, facts: TableFacts) -> str:
        size = self._size(facts.freed_bytes)
        if facts.cpu:
            return self.tr("On disk {size} of RAM stay free; in RAM it is there once instead of twice.").format(
                size=size
            )
        return self.tr("Elsewhere, it leaves {size} of each graphics card free.").format(size=size)

    def _proof(self, facts: TableFacts) -> CheckedLine:
        if facts.cpu:
            text = self.tr("Proven with vLLM's CPU build: the same answers, bit for bit, and the memory free.")
            return CheckedLine("proof", Mark.GOOD, text)
        text = self.tr("Not yet proven on a graphics card: it was compared with vLLM's CPU build only.")
        return CheckedLine("proof", Mark.NOTE, text)

    def _size(self, count_bytes: int) -> str:
        return show_bytes(count_bytes, self._language)

    def _ms(self, seconds: float) -> str:
        ms = seconds * 1e3
        return figures.decimal(ms, 0 if ms >= 10 else 1 if ms >= 1 else 2, self._language)
