"""Bars glide to their new figures in at most 150 ms, or jump where the person wants no motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QApplication, QStyle

from gui.budget.view import BudgetView, Span

LONGEST_MS: Final = 150
# A smaller step than this of the bar's width is not worth a frame.
SMALLEST_STEP: Final = 0.004


class Glide(QObject):
    """`view` is what to paint now; `moved` when it changed. Only the ends of parts move: words and figures are right
    at once."""

    moved = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._from: BudgetView | None = None
        self._to: BudgetView | None = None
        self.view: BudgetView | None = None
        self.allowed = True
        self._clock = QVariantAnimation(self)
        self._clock.setStartValue(0.0)
        self._clock.setEndValue(1.0)
        self._clock.valueChanged.connect(self._step)

    @property
    def running(self) -> bool:
        return self._clock.state() == QVariantAnimation.State.Running

    def go(self, view: BudgetView) -> None:
        duration = min(LONGEST_MS, wanted_ms()) if self.allowed else 0
        before, self._from, self._to = self.view, self.view, view
        self._clock.stop()
        if before is None or duration <= 0 or _distance(before, view) < SMALLEST_STEP:
            self.view = view
            self.moved.emit()
            return
        self._clock.setDuration(duration)
        self._clock.start()

    def _step(self, share: float) -> None:
        assert self._from is not None
        assert self._to is not None
        self.view = self._to if share >= 1.0 else between(self._from, self._to, share)
        self.moved.emit()


def wanted_ms() -> int:
    """What the desktop says about animations; 0: none."""
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)


def between(old: BudgetView, new: BudgetView, share: float) -> BudgetView:
    """`new` with the ends of its parts `share` of the way from where they were in `old`."""
    return replace(
        new,
        spans=_parts_between(old.spans, new.spans, share),
        ghosts=_parts_between(old.ghosts, new.ghosts, share),
    )


def _parts_between(old: tuple[Span, ...], new: tuple[Span, ...], share: float) -> tuple[Span, ...]:
    known = {span.key: span for span in old}
    moved: list[Span] = []
    for span in new:
        before = known.get(span.key, span)
        start = before.start + (span.start - before.start) * share
        end = before.end + (span.end - before.end) * share
        moved.append(replace(span, start=start, end=end))
    return tuple(moved)


def _distance(old: BudgetView, new: BudgetView) -> float:
    """The longest way that any part's end has to go, as a share of the bar."""
    known = {span.key: span for span in (*old.spans, *old.ghosts)}
    pairs = [(known[span.key], span) for span in (*new.spans, *new.ghosts) if span.key in known]
    return max((max(abs(a.start - b.start), abs(a.end - b.end)) for a, b in pairs), default=0.0)
