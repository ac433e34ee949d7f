"""The same model in other quantizations, each with its fit: one press goes there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOption, QWidget

from core.hub.model import RepoRow, Sibling
from gui.pages.models.fit_sign import SIZE, fit_colour, paint_fit
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP, scaled_font
from gui.widgets.cards import column
from gui.widgets.texts import heading

Role = QPalette.ColorRole
SHOWN = 8


class SiblingList(QWidget):
    """`chosen` with a repository's id."""

    chosen = Signal(str)

    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self.setObjectName("siblings")
        self._words = words
        self._rows: list[SiblingRow] = []
        self._layout = column(self, spacing=2)
        self._layout.addWidget(heading(self.tr("Same model, other sizes")))
        self.hide()

    def show_siblings(self, siblings: tuple[Sibling, ...]) -> None:
        for old in self._rows:
            old.hide()
            old.deleteLater()
        self._rows = [SiblingRow(sibling.row, self._words) for sibling in siblings[:SHOWN]]
        for made in self._rows:
            made.clicked.connect(self._clicked)
            self._layout.addWidget(made)
        self.setVisible(bool(siblings))

    def update_row(self, row: RepoRow) -> None:
        for made in self._rows:
            if made.row.repo_id == row.repo_id:
                made.show_row(row)

    def _clicked(self) -> None:
        sender = self.sender()
        assert isinstance(sender, SiblingRow)
        self.chosen.emit(sender.row.repo_id)


class SiblingRow(QAbstractButton):
    """ "AWQ  5.7 GiB  ● fits"; the full name on hover."""

    def __init__(self, row: RepoRow, words: RepoWords) -> None:
        super().__init__()
        self._words = words
        self.row = row
        self.setObjectName(f"sibling-{row.repo_id}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.show_row(row)

    def show_row(self, row: RepoRow) -> None:
        self.row = row
        self.setAccessibleName(self._words.row_meaning(row))
        badge = self._words.badge(row.badge)
        self.setToolTip("\n".join(part for part in (row.repo_id, badge.speed, badge.meaning) if part))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height() + 2 * STEP)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOption()
        option.initFrom(self)
        state: QStyle.StateFlag = option.state  # pyright: ignore[reportAttributeAccessIssue]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        if focused or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(self.palette().color(Role.Accent) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().color(Role.AlternateBase))
            painter.drawRoundedRect(place, 6, 6)
        self._paint_parts(painter)
        painter.end()

    def _paint_parts(self, painter: QPainter) -> None:
        palette, strong = self.palette(), scaled_font(self.font(), 1.0, strong=True)
        inside = self.rect().adjusted(STEP, 0, -STEP, 0)
        name = self._words.format(self.row) or self.row.repo_id.rpartition("/")[2]
        size, badge = self._words.size(self.row.weight_bytes), self._words.badge(self.row.badge)
        name_width = min(inside.width() // 3, max(44, QFontMetrics(strong).horizontalAdvance(name)))
        painter.setFont(strong)
        painter.setPen(palette.color(Role.Text))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, int(middle), self._elided(name, name_width, QFontMetrics(strong)))
        painter.setFont(self.font())
        size_width = QFontMetrics(self.font()).horizontalAdvance("88.8 GiB")
        left = inside.adjusted(name_width + STEP, 0, 0, 0)
        painter.setPen(palette.color(Role.PlaceholderText))
        painter.drawText(left, int(middle), size)
        left.adjust(size_width + STEP, 0, 0, 0)
        colour = fit_colour(badge.fit, palette)
        paint_fit(painter, QRectF(left.left(), (self.height() - SIZE) / 2, SIZE, SIZE), badge.fit, colour)
        left.adjust(SIZE + STEP - 2, 0, 0, 0)
        painter.setPen(colour)
        metrics = QFontMetrics(self.font())
        text = " · ".join(part for part in (badge.text, badge.speed) if part)
        # Whole words rather than both cut: the speed stands in the tooltip too.
        if metrics.horizontalAdvance(text) > left.width():
            text = badge.text
        painter.drawText(left, int(middle), self._elided(text, left.width(), metrics))

    def _elided(self, text: str, width: int, metrics: QFontMetrics) -> str:
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
