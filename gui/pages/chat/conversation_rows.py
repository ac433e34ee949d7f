"""The rows of the list of conversations: pinned ones first, then by day; or what a search found."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QPersistentModelIndex, Qt, Signal

from core.chat.records import ConversationInfo, Hit
from gui import figures

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE: Final = Qt.ItemDataRole.UserRole


class Kind(enum.Enum):
    HEAD = "head"
    CONVERSATION = "conversation"
    HIT = "hit"


@dataclass(frozen=True, slots=True)
class Row:
    """`note` and `marks` (begin, end) are a hit's snippet and where its words stand."""

    kind: Kind
    text: str
    id: str = ""
    message: str = ""
    note: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    pinned: bool = False
    tags: tuple[str, ...] = ()


def grouped(infos: Iterable[ConversationInfo], today: date, language: str) -> list[Row]:
    """Rows with a heading before each group; inside a group the newest comes first."""
    rows: list[Row] = []
    last = ""
    for info in sorted(infos, key=lambda info: (not info.pinned, -info.updated)):
        group = _tr("Pinned") if info.pinned else _day(info.updated, today, language)
        if group != last:
            rows.append(Row(Kind.HEAD, group))
            last = group
        rows.append(Row(Kind.CONVERSATION, title_of(info.title), info.id, pinned=info.pinned, tags=info.tags))
    return rows


def found(hits: Iterable[Hit]) -> list[Row]:
    return [
        Row(Kind.HIT, title_of(hit.title), hit.conversation, hit.message, " ".join(hit.snippet.split("\n")), hit.marks)
        for hit in hits
    ]


def title_of(title: str) -> str:
    return title or _tr("New conversation")


def _day(updated: float, today: date, language: str) -> str:
    day = datetime.fromtimestamp(updated).astimezone().date()
    if day >= today:
        return _tr("Today")
    if day == today - timedelta(days=1):
        return _tr("Yesterday")
    if day > today - timedelta(days=7):
        return _tr("Last 7 days")
    if day > today - timedelta(days=30):
        return _tr("Last 30 days")
    month = figures.locale_of(language).standaloneMonthName(day.month)
    return f"{month[:1].upper()}{month[1:]} {day.year}"


def _tr(text: str) -> str:
    return {
        "Pinned": QCoreApplication.translate("ConversationRows", "Pinned"),
        "Today": QCoreApplication.translate("ConversationRows", "Today"),
        "Yesterday": QCoreApplication.translate("ConversationRows", "Yesterday"),
        "Last 7 days": QCoreApplication.translate("ConversationRows", "Last 7 days"),
        "Last 30 days": QCoreApplication.translate("ConversationRows", "Last 30 days"),
        "New conversation": QCoreApplication.translate("ConversationRows", "New conversation"),
    }[text]


class ConversationModel(QAbstractListModel):
    """`renamed` with the id and the new title when a row was edited."""

    renamed = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(self._rows)

    def show_rows(self, rows: Sequence[Row]) -> bool:
        """False when these are shown already."""
        if list(rows) == self._rows:
            return False
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()
        return True

    def index_of(self, conversation: str) -> QModelIndex:
        for place, row in enumerate(self._rows):
            if row.id == conversation:
                return self.index(place)
        return QModelIndex()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.text
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            tags = ", ".join(row.tags)
            return ". ".join(part for part in (row.text, _tr("Pinned") if row.pinned else "", tags, row.note) if part)
        if role == Qt.ItemDataRole.ToolTipRole and row.kind is not Kind.HEAD:
            return "\n".join(part for part in (row.text, ", ".join(row.tags), row.note) if part)
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row, title = self._rows[index.row()], " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not title or title == row.text:
            return False
        self.renamed.emit(row.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        kind = self._rows[index.row()].kind
        if kind is Kind.HEAD:
            return Qt.ItemFlag.NoItemFlags
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return usual | Qt.ItemFlag.ItemIsEditable if kind is Kind.CONVERSATION else usual
