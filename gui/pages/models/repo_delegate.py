"""Paints one found model: name and bytes, the fit with its sign, the quiet facts. Only what is in sight is painted."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from core.hub.model import RepoRow
from gui.icons import icon_of
from gui.pages.models.fit_sign import SIZE, fit_colour, paint_fit
from gui.pages.models.repo_list_model import ROW
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP, scaled_font

Role = QPalette.ColorRole
Index = QModelIndex | QPersistentModelIndex
GAP = STEP // 2
SIDE = STEP + 4
LOCK = 15


class RepoDelegate(QStyledItemDelegate):
    def __init__(self, words: RepoWords, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        line = QFontMetrics(option.font).height()  # pyright: ignore[reportAttributeAccessIssue]
        return QSize(0, 3 * line + 2 * GAP + 2 * STEP + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        rect: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue]
        palette: QPalette = option.palette  # pyright: ignore[reportAttributeAccessIssue]
        state = option.state  # pyright: ignore[reportAttributeAccessIssue]
        font: QFont = option.font  # pyright: ignore[reportAttributeAccessIssue]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row: RepoRow | None = index.data(ROW)
        self._ground(painter, rect, palette, state)
        inside = rect.adjusted(SIDE, STEP, -SIDE, -STEP)
        if row is None:
            _skeleton(painter, inside, palette, QFontMetrics(font))
        else:
            self._row(painter, inside, palette, font, row)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, _option: QStyleOptionViewItem, index: Index
    ) -> bool:
        row: RepoRow | None = index.data(ROW) if index.isValid() else None
        if row is None or event.type() != QEvent.Type.ToolTip:
            return False
        badge = self._words.badge(row.badge)
        parts = (row.repo_id, badge.text.capitalize(), badge.meaning)
        QToolTip.showText(event.globalPos(), "\n".join(part for part in parts if part), view)
        return True

    # ---- parts -----------------------------------------------------------------------------------------------------

    def _ground(self, painter: QPainter, rect: QRect, palette: QPalette, state: QStyle.StateFlag) -> None:
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        place = QRectF(rect).adjusted(1, 1, -1, -1)
        if chosen or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color(Role.AlternateBase if chosen else Role.Window))
            painter.drawRoundedRect(place, 8, 8)
        if chosen:
            painter.setBrush(palette.color(Role.Accent))
            painter.drawRoundedRect(QRectF(place.left(), place.top() + STEP, 3, place.height() - 2 * STEP), 1.5, 1.5)
        if chosen and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(palette.color(Role.Accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, 8, 8)
        if not chosen:
            painter.setPen(palette.color(Role.Midlight))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _row(self, painter: QPainter, inside: QRect, palette: QPalette, font: QFont, row: RepoRow) -> None:
        line = QFontMetrics(font).height()
        top = QRect(inside.left(), inside.top(), inside.width(), line)
        self._name(painter, top, palette, font, row)
        middle = top.translated(0, line + GAP)
        self._badge(painter, middle, palette, font, row)
        low = middle.translated(0, line + GAP)
        right = _text(painter, low, self._words.cached(row), font, palette.color(Role.Accent), right=True)
        _text(
            painter,
            low.adjusted(0, 0, -right - (STEP if right else 0), 0),
            self._words.facts(row),
            font,
            palette.color(Role.PlaceholderText),
        )

    def _name(self, painter: QPainter, place: QRect, palette: QPalette, font: QFont, row: RepoRow) -> None:
        text, quiet = palette.color(Role.Text), palette.color(Role.PlaceholderText)
        used = _text(painter, place, self._words.size(row.weight_bytes), font, text, right=True)
        left = place.adjusted(0, 0, -used - STEP, 0)
        if row.gated:
            icon = icon_of("lock", palette, Role.PlaceholderText, LOCK)
            icon.paint(painter, QRect(left.right() - LOCK, left.top() + (left.height() - LOCK) // 2, LOCK, LOCK))
            left.adjust(0, 0, -LOCK - GAP, 0)
        owner, _, name = row.repo_id.rpartition("/")
        if owner:
            before = QFontMetrics(font).horizontalAdvance(f"{owner}/")
            strong = QFontMetrics(scaled_font(font, 1.0, strong=True)).horizontalAdvance(name)
            # The owner gives way first: what tells two rows apart is the name.
            if before + strong <= left.width():
                _text(painter, left, f"{owner}/", font, quiet)
                left.adjust(before, 0, 0, 0)
        _text(painter, left, name, scaled_font(font, 1.0, strong=True), text)

    def _badge(self, painter: QPainter, place: QRect, palette: QPalette, font: QFont, row: RepoRow) -> None:
        badge = self._words.badge(row.badge)
        colour = fit_colour(badge.fit, palette)
        sign = QRectF(place.left(), place.top() + (place.height() - SIZE) / 2, SIZE, SIZE)
        paint_fit(painter, sign, badge.fit, colour)
        text = place.adjusted(SIZE + STEP - 1, 0, 0, 0)
        used = _text(painter, text, badge.text, font, colour)
        if badge.speed:
            rest = text.adjusted(used, 0, 0, 0)
            _text(painter, rest, f" · {badge.speed}", font, palette.color(Role.PlaceholderText))


def _text(painter: QPainter, place: QRect, text: str, font: QFont, colour: QColor, *, right: bool = False) -> int:
    """Draw one line, elided where it has no room; the width it took."""
    if not text or place.width() <= 0:
        return 0
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.setFont(font)
    painter.setPen(colour)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(place, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
    return metrics.horizontalAdvance(shown)


def _skeleton(painter: QPainter, inside: QRect, palette: QPalette, metrics: QFontMetrics) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(Role.Midlight))
    line = metrics.height()
    for number, share in enumerate((0.5, 0.34, 0.72)):
        top = inside.top() + number * (line + GAP) + line * 0.2
        painter.drawRoundedRect(QRectF(inside.left(), top, inside.width() * share, line * 0.6), 4, 4)
