"""How full the context is, in the composer: a bar with figures, and the choice of what happens when it is full."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QStyle

from core.chat.params import AtLimit
from core.chat.records import ContextMeter
from gui import figures
from gui.theme import STEP

BAR: Final = 72
ALMOST: Final = 0.9


class ContextButton(QPushButton):
    """`at_limit_chosen` with "ask" or "trim"."""

    at_limit_chosen = Signal(str)

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._meter: ContextMeter | None = None
        self._at_limit: AtLimit = "ask"
        self.setObjectName("contextButton")
        self.setProperty("kind", "tool")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        self.show_meter(None, "ask")

    def show_meter(self, meter: ContextMeter | None, at_limit: AtLimit) -> None:
        self._meter, self._at_limit = meter, at_limit
        if meter is None or not meter.limit:
            text, meaning = self.tr("context –"), self.tr("Nothing is measured yet.")
        else:
            numbers = self.tr("{tokens} / {limit}").format(
                tokens=("" if meter.exact else "≈ ") + figures.count(meter.tokens, self._language),
                limit=figures.count(meter.limit, self._language),
            )
            state = self.tr("full") if meter.over else self.tr("almost full") if meter.share >= ALMOST else ""
            text = f"{numbers} · {state}" if state else numbers
            meaning = self._meaning(meter)
        self.setText(text)
        self.setAccessibleName(self.tr("Context: {text} tokens").format(text=text))
        self.setToolTip(f"{meaning}\n{self._limit_words(at_limit)}")
        self.updateGeometry()
        self.update()

    def _meaning(self, meter: ContextMeter) -> str:
        words = self.tr(
            "Context: the model remembers {limit} tokens at once. This conversation, with what you are writing, has"
            " {tokens}; {left} are left for the answer."
        ).format(
            limit=figures.count(meter.limit, self._language),
            tokens=figures.count(meter.tokens, self._language),
            left=figures.count(meter.left, self._language),
        )
        return words if meter.exact else f"{words} {self.tr('Pictures are estimated.')}"

    def _limit_words(self, at_limit: AtLimit) -> str:
        if at_limit == "trim":
            return self.tr("When it is full: the oldest messages are left out, and a mark says so.")
        return self.tr("When it is full: Stowage says so and asks what to do.")

    # ---- the choice ------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("contextMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        head = menu.addAction(self.tr("When the context is full"))
        head.setEnabled(False)
        group = QActionGroup(menu)
        choices = (("ask", self.tr("Ask me")), ("trim", self.tr("Leave out the oldest messages")))
        for choice, words in choices:
            action = QAction(words, menu)
            action.setObjectName(f"atLimit-{choice}")
            action.setCheckable(True)
            action.setChecked(choice == self._at_limit)
            action.setData(choice)
            action.triggered.connect(self._chosen)
            group.addAction(action)
            menu.addAction(action)
        menu.popup(self.mapToGlobal(QPoint(0, -menu.sizeHint().height())))

    def _chosen(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.at_limit_chosen.emit(str(action.data()))

    # ---- paint -----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(self._text_width() + BAR + 3 * STEP, 4 * STEP)

    def minimumSizeHint(self) -> QSize:
        """The figures without the bar."""
        return QSize(self._text_width() + 2 * STEP, 4 * STEP)

    def _text_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(self.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        if self.underMouse() or self.hasFocus():
            painter.setBrush(palette.color(QPalette.ColorRole.AlternateBase))
            painter.setPen(palette.color(QPalette.ColorRole.Accent) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        full = self._meter is not None and self._meter.over
        room = self.rect().adjusted(STEP, 0, -STEP, 0)
        if self.width() >= self.sizeHint().width():
            self._paint_bar(painter, QRect(room.left(), self.height() // 2 - 3, BAR, 6), full=full)
            room.setLeft(room.left() + BAR + STEP)
        painter.setPen(palette.color(QPalette.ColorRole.BrightText if full else QPalette.ColorRole.PlaceholderText))
        words = QStyle.visualRect(self.layoutDirection(), self.rect(), room)
        rtl = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        # "so many of so many" is read from left to right everywhere.
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | side), self.text())
        painter.end()

    def _paint_bar(self, painter: QPainter, place: QRect, *, full: bool) -> None:
        share = self._meter.share if self._meter is not None else 0.0
        filled = QRect(place.left(), place.top(), max(place.height(), round(place.width() * share)), place.height())
        painter.setPen(Qt.PenStyle.NoPen)
        role = QPalette.ColorRole.BrightText if full else QPalette.ColorRole.Accent
        for bar, ground in ((place, QPalette.ColorRole.Midlight), (filled, role)):
            if bar is place or share > 0:
                painter.setBrush(self.palette().color(ground))
                painter.drawRoundedRect(QStyle.visualRect(self.layoutDirection(), self.rect(), bar), 3, 3)
