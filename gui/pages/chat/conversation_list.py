"""The list of conversations, painted: headings, titles, what a search found. Hundreds of rows cost what is in sight."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPalette, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.pages.chat.conversation_rows import ROW_ROLE, ConversationModel, Kind, Row
from gui.theme import STEP, scaled_font

Index = QModelIndex | QPersistentModelIndex
PIN = "★"
SMALLER = 0.88


class RowPainter(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Row = index.data(ROW_ROLE)
        line = option.fontMetrics.height()
        small = QFontMetrics(scaled_font(option.font, SMALLER)).height()
        high = {Kind.HEAD: small + 2 * STEP, Kind.CONVERSATION: line + 2 * STEP, Kind.HIT: line + small + 2 * STEP}
        return QSize(4 * STEP, high[row.kind])

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW_ROLE)
        place = option.rect.adjusted(STEP, 0, -STEP, 0)
        painter.save()
        if row.kind is Kind.HEAD:
            painter.setFont(scaled_font(option.font, SMALLER))
            painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
            lower = place.adjusted(0, 0, 0, -STEP // 2)
            painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, row.text)
        else:
            self._paint_ground(painter, option)
            self._paint_row(painter, option, place, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        chosen = option.state & QStyle.StateFlag.State_Selected
        under = option.state & QStyle.StateFlag.State_MouseOver
        focused = option.state & QStyle.StateFlag.State_HasFocus
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or under or focused:
            role = QPalette.ColorRole.Midlight if under and not chosen else QPalette.ColorRole.AlternateBase
            painter.setBrush(option.palette.color(role))
            painter.setPen(option.palette.color(QPalette.ColorRole.Accent) if focused else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -2, -2), 6, 6)
        if chosen:
            # Told apart by more than a shade.
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(option.palette.color(QPalette.ColorRole.Accent))
            side = QRect(option.rect.left() + 1, option.rect.top() + 8, 3, option.rect.height() - 16)
            painter.drawRoundedRect(QStyle.visualRect(option.direction, option.rect, side), 1.5, 1.5)

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, place: QRect, row: Row) -> None:
        quiet = option.palette.color(QPalette.ColorRole.PlaceholderText)
        line = QRect(place.left(), place.top() + STEP, place.width(), option.fontMetrics.height())
        painter.setFont(option.font)
        if row.pinned:
            wide = option.fontMetrics.horizontalAdvance(f"{PIN} ")
            sign = QRect(line.right() - wide, line.top(), wide, line.height())
            painter.setPen(option.palette.color(QPalette.ColorRole.Accent))
            painter.drawText(QStyle.visualRect(option.direction, option.rect, sign), Qt.AlignmentFlag.AlignCenter, PIN)
            line.setWidth(line.width() - wide)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        self._line(painter, option, line, row.text)
        if row.note:
            below = QRect(line.left(), line.bottom() + 1, place.width(), place.bottom() - line.bottom() - STEP)
            painter.setFont(scaled_font(option.font, SMALLER))
            painter.setPen(quiet)
            self._marked(painter, option, below, row)

    def _line(self, painter: QPainter, option: QStyleOptionViewItem, place: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        seen = QStyle.visualRect(option.direction, option.rect, place)
        painter.drawText(seen, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)

    def _marked(self, painter: QPainter, option: QStyleOptionViewItem, place: QRect, row: Row) -> None:
        """One line of the snippet, its first hit in sight, the found words in the text's own colour."""
        begin = max(0, row.marks[0][0] - 12) if row.marks else 0
        text = ("…" if begin else "") + row.note[begin:]
        moved = (1 if begin else 0) - begin
        # Bold words are wider than what is measured here.
        wide = round(0.92 * place.width())
        layout = QTextLayout(painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, wide))
        layout.setFont(painter.font())
        formats: list[QTextLayout.FormatRange] = []
        for one, other in row.marks:
            mark = QTextLayout.FormatRange()
            mark.start, mark.length = one + moved, other - one
            form = QTextCharFormat()
            form.setForeground(option.palette.color(QPalette.ColorRole.Text))
            form.setFontWeight(600)
            mark.format = form
            formats.append(mark)
        layout.setFormats(formats)
        layout.beginLayout()
        shown = layout.createLine()
        shown.setLineWidth(10_000)
        layout.endLayout()
        seen = QStyle.visualRect(option.direction, option.rect, place)
        painter.setClipRect(seen)
        if option.direction == Qt.LayoutDirection.RightToLeft:
            seen.setLeft(seen.right() - round(shown.naturalTextWidth()))
        layout.draw(painter, seen.topLeft())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(0, 1, 0, -1))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        editor.setObjectName("renameConversation")
        editor.setAccessibleName(self.tr("Title of the conversation"))
        return editor


class ConversationList(QListView):
    """`opened` when a row is chosen by a click, Enter or the arrow keys; `delete_wanted` with Delete."""

    opened = Signal(str, str)
    delete_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("conversationList")
        self.setProperty("look", "rows")
        self.setAccessibleName(self.tr("Conversations"))
        self.rows = ConversationModel()
        self.rows.setParent(self)
        self.setModel(self.rows)
        self.setItemDelegate(RowPainter(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.viewport().setAutoFillBackground(False)
        self._quiet = False
        self.selectionModel().currentChanged.connect(self._current_changed)

    def choose(self, conversation: str) -> None:
        """Mark a row as the one that is open, without opening it."""
        self._quiet = True
        index = self.rows.index_of(conversation)
        if index.isValid():
            self.setCurrentIndex(index)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        self._quiet = False

    def row_at(self, index: QModelIndex) -> Row | None:
        row = index.data(ROW_ROLE) if index.isValid() else None
        return row if isinstance(row, Row) and row.kind is not Kind.HEAD else None

    def current_row(self) -> Row | None:
        return self.row_at(self.currentIndex())

    def rename_current(self) -> None:
        if (row := self.current_row()) is not None and row.kind is Kind.CONVERSATION:
            self.edit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        editing = self.state() == QAbstractItemView.State.EditingState
        if row is not None and not editing and event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit(row.id)
        elif row is not None and not editing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(row.id, row.message)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        row = self.row_at(self.indexAt(event.position().toPoint()))
        if row is not None and row.kind is Kind.HIT and event.button() == Qt.MouseButton.LeftButton:
            # Also when it is the current one: a second click brings its message back into sight.
            self.opened.emit(row.id, row.message)

    def _current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        row = self.row_at(current)
        if row is not None and not self._quiet:
            self.opened.emit(row.id, row.message)
