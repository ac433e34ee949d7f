"""Whether each requested option took effect: a row of chips, and the whole story of each."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from core.engine.finding import Verdict
from gui.icons import set_icon
from gui.pages.frame import WIDEST
from gui.pages.launch.run.run_view import ProofLine
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.flow import FlowLayout
from gui.widgets.fold import Fold
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain, quiet, selectable

_ICONS = {
    Verdict.TOOK_EFFECT: ("check", QPalette.ColorRole.Accent),
    Verdict.NO_EFFECT: ("warning", QPalette.ColorRole.BrightText),
    Verdict.CANNOT_TELL: ("info", QPalette.ColorRole.PlaceholderText),
}


class ProofChips(QWidget):
    """One chip per option. `chosen` when one is pressed: the person wants the whole story."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("proofChips")
        self.setAccessibleName(self.tr("Options and whether they took effect"))
        self._shown: tuple[ProofLine, ...] = ()
        self._chips: dict[str, QPushButton] = {}
        self._flow = FlowLayout(self, spacing=STEP // 2)

    def show_lines(self, lines: tuple[ProofLine, ...]) -> None:
        if [line.option for line in lines] != [line.option for line in self._shown]:
            self._make(lines)
        for line in lines:
            chip = self._chips[line.option]
            if chip.text() != line.chip:
                chip.setText(line.chip)
            chip.setProperty("verdict", str(line.verdict))
            chip.style().unpolish(chip)
            chip.style().polish(chip)
            chip.setAccessibleName(line.text)
            chip.setToolTip("\n".join(filter(None, (line.text, line.whole, line.why, line.next_step))))
        self._shown = lines
        self.setVisible(bool(lines))
        self._hold()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hold()

    def _hold(self) -> None:
        """Where room is short others give way: half a line of chips is of no use."""
        self.setMinimumHeight(self._flow.heightForWidth(self.width()))

    def _make(self, lines: tuple[ProofLine, ...]) -> None:
        for chip in self._chips.values():
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = {}
        for line in lines:
            chip = button(line.chip, f"chip-{line.option}", kind="chip", parent=self)
            chip.setProperty("option", line.option)
            chip.clicked.connect(self._pressed)
            chip.show()
            self._flow.addWidget(chip)
            self._chips[line.option] = chip

    def _pressed(self) -> None:
        self.chosen.emit(str(self.sender().property("option")))


class NoEffectNote(QFrame):
    """A requested option that does nothing is news of its own: which, why, and what to try next."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("noEffectNote")
        self.setProperty("card", "error")
        sign = QLabel()
        sign.setFixedWidth(3 * STEP)
        set_icon(sign, "warning", QPalette.ColorRole.BrightText)
        self._title = heading()
        self._title.setObjectName("noEffectTitle")
        self._why = selectable(plain())
        self._why.setObjectName("noEffectWhy")
        texts = column(spacing=STEP // 4)
        for part in (self._title, self._why):
            texts.addWidget(part)
        layout = row(self, spacing=STEP)
        layout.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)
        layout.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        self.hide()

    def show_lines(self, lines: tuple[ProofLine, ...]) -> None:
        deaf = [line for line in lines if line.verdict is Verdict.NO_EFFECT]
        if deaf:
            self._title.setText("; ".join(line.text for line in deaf))
            told = dict.fromkeys(f"{line.why} {line.next_step}".strip() for line in deaf)
            self._why.setText("\n".join(text for text in told if text))
            self.setAccessibleName(self._title.text())
            self.setAccessibleDescription(self._why.text())
        self.setVisible(bool(deaf))


class ProofList(QWidget):
    """Every option with its verdict, the reason, the next step and the evidence."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("proofList")
        self._shown: tuple[ProofLine, ...] = ()
        self._empty = quiet(self.tr("The server is being looked at…"))
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        self._rows: QVBoxLayout = column(inside, spacing=STEP)
        self._rows.addWidget(self._empty)
        self._rows.addStretch(1)
        column(self).addWidget(scrolled(inside))

    def show_lines(self, lines: tuple[ProofLine, ...], *, nothing: bool = False) -> None:
        """`nothing`: no option was asked for that could be proved."""
        self._empty.setVisible(not lines)
        self._empty.setText(
            self.tr("Nothing special was asked for.") if nothing else self.tr("The server is being looked at…")
        )
        if lines == self._shown:
            return
        self._shown = lines
        while self._rows.count() > 2:
            item = self._rows.takeAt(1)
            if item is not None and (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for number, line in enumerate(lines):
            self._rows.insertWidget(number + 1, self._row(line))

    def _row(self, line: ProofLine) -> QWidget:
        made = QWidget()
        made.setObjectName(f"proof-{line.option}")
        made.setAccessibleName(line.text)
        sign = QLabel()
        sign.setFixedWidth(3 * STEP)
        set_icon(sign, *_ICONS[line.verdict])
        texts = column(spacing=STEP // 4)
        told = plain(line.text)
        told.setToolTip(line.whole)
        texts.addWidget(told)
        if line.why or line.next_step:
            texts.addWidget(quiet(f"{line.why} {line.next_step}".strip()))
        if line.evidence:
            evidence = selectable(quiet(line.evidence))
            texts.addWidget(Fold(self.tr("Evidence"), evidence, f"evidence-{line.option}"))
        layout = row(made, spacing=STEP)
        layout.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        return made
