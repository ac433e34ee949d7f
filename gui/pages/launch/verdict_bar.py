"""The bottom of the page: whether the launch fits, in a sign and words, and the button. Always in sight."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from core.planner.amounts import Verdict as Planned
from gui.budget.ghost import Verdict
from gui.budget.sign import paint_sign
from gui.theme import STEP, scaled_font
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import set_property

_SIGNS = {Planned.FITS: Verdict.FITS, Planned.TIGHT: Verdict.TIGHT, Planned.NO: Verdict.NO}


class VerdictSign(QWidget):
    """Filled: fits; half: tight; a ring: does not fit; a dashed ring: not known; nothing while there is no plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verdict: Planned | None = None
        self.setObjectName("verdictSign")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(2 * STEP, 2 * STEP)

    def show_verdict(self, verdict: Planned | None) -> None:
        if verdict is not self.verdict:
            self.verdict = verdict
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.verdict is None:
            return
        palette = QApplication.palette()
        bad = self.verdict is Planned.NO
        colour = palette.color(QPalette.ColorRole.BrightText if bad else QPalette.ColorRole.Accent)
        place = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter = QPainter(self)
        if self.verdict in _SIGNS:
            paint_sign(painter, place, _SIGNS[self.verdict], colour)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(palette.color(QPalette.ColorRole.PlaceholderText), 1.6, Qt.PenStyle.DotLine))
            painter.drawEllipse(place.adjusted(1, 1, -1, -1))
        painter.end()


class VerdictBar(QWidget):
    """`launch_wanted`; `log_wanted` with whether the log is to be seen; `history_wanted`."""

    launch_wanted = Signal()
    log_wanted = Signal(bool)
    history_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sign = VerdictSign()
        self._headline, self._detail = OneLine(), OneLine("quiet")
        self._headline.setObjectName("planVerdict")
        self._detail.setObjectName("planDetail")
        self._note = ""
        self._told = ""
        self._headline.setFont(scaled_font(self._headline.font(), 1.0, strong=True))
        self._log = button(self.tr("Log"), "showLogButton", kind="quiet")
        self._log.setCheckable(True)
        self._log.setToolTip(self.tr("What the server said at the last launch"))
        self._log.toggled.connect(self.log_wanted)
        self._log.hide()
        self._history = button(self.tr("History"), "launchHistoryButton", kind="quiet")
        self._history.setToolTip(self.tr("Earlier launches: how they ended, what they took"))
        self._history.clicked.connect(self.history_wanted)
        self._launch = button(self.tr("Launch"), "launchButton", kind="primary")
        self._launch.clicked.connect(self.launch_wanted)
        for line in (self._headline, self._detail):
            line.setMinimumHeight(line.fontMetrics().height() + 2)
        # Two lines of room from the start: nothing jumps when a second one comes.
        self.setMinimumHeight(2 * self._headline.minimumHeight() + STEP)
        texts = column(spacing=0)
        texts.addStretch(1)
        texts.addWidget(self._headline)
        texts.addWidget(self._detail)
        texts.addStretch(1)
        layout = row(self, spacing=STEP)
        layout.addWidget(self.sign)
        layout.addLayout(texts, 1)
        layout.addWidget(self._history)
        layout.addWidget(self._log)
        layout.addWidget(self._launch)

    def show_verdict(self, verdict: Planned | None, headline: str, detail: str = "") -> None:
        self.sign.show_verdict(verdict)
        if headline != self._headline.full_text:
            self._headline.set_full_text(headline)
        self._told = detail
        self._show_detail()

    def show_note(self, note: str) -> None:
        """What is installed first; it stands where nothing more urgent is said."""
        self._note = note
        self._show_detail()

    def show_launch(self, text: str) -> None:
        retext(self._launch, text)

    def step_back(self, back: bool) -> None:
        """Something else on the page is to be pressed first."""
        set_property(self._launch, "kind", "" if back else "primary")

    def offer_log(self) -> None:
        self._log.show()

    def _show_detail(self) -> None:
        text = self._told or self._note
        if text != self._detail.full_text:
            self._detail.set_full_text(text)
        self._detail.setVisible(bool(text))
