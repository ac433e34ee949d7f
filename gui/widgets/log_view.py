"""The server's log: bounded, follows its end unless the reader scrolled up, searchable, never takes the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QWidget

from core.events import LogLines
from gui import figures
from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, quiet

KEEP_LINES = 5000
SEARCH_DELAY_MS = 150


class LogView(QWidget):
    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._launch = ""
        self._left_out = 0
        self._adding = False
        self._text = QPlainTextEdit()
        self._search = QLineEdit()
        self._matches = quiet(wrap=False)
        self._dropped = quiet(wrap=False)
        self._follow = QCheckBox(self.tr("Follow"))
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(SEARCH_DELAY_MS)
        self._delay.timeout.connect(self._count)
        self._build()

    def _build(self) -> None:
        self._text.setObjectName("logView")
        self._text.setAccessibleName(self.tr("Server log"))
        self._text.setProperty("look", "log")
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setFont(fixed_font())
        self._text.setMaximumBlockCount(KEEP_LINES)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._text.setPlaceholderText(self.tr("What the server says appears here."))
        self._text.verticalScrollBar().valueChanged.connect(self._scrolled)
        self._text.setMinimumHeight(10 * STEP)
        self._search.setObjectName("logSearch")
        self._search.setAccessibleName(self.tr("Search the log"))
        self._search.setPlaceholderText(self.tr("Search the log"))
        self._search.setClearButtonEnabled(True)
        self._search.setMinimumWidth(16 * STEP)
        self._search.setMaximumWidth(32 * STEP)
        self._search.textChanged.connect(self._search_changed)
        self._search.returnPressed.connect(self.find_next)
        self._matches.setObjectName("logMatches")
        self._dropped.setObjectName("logLeftOut")
        self._follow.setObjectName("logFollow")
        self._follow.setAccessibleName(self.tr("Follow the end of the log"))
        self._follow.setToolTip(self.tr("Keep the newest line in sight"))
        self._follow.setChecked(True)
        self._follow.toggled.connect(self._follow_toggled)
        before = icon_button("up", "logPrevious", self.tr("Previous match"))
        after = icon_button("down", "logNext", self.tr("Next match"))
        before.clicked.connect(self.find_previous)
        after.clicked.connect(self.find_next)
        copy = button(self.tr("Copy"), "logCopy", kind="quiet", icon="copy")
        copy.setToolTip(self.tr("Copy the selected lines, or the whole log"))
        copy.clicked.connect(self._copy)
        finder = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        finder.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        finder.activated.connect(self._search.setFocus)
        top = row(spacing=STEP)
        top.addWidget(heading(self.tr("Server log")))
        for part in (self._dropped, self._search, self._matches, before, after, self._follow, copy):
            top.addWidget(part)
        layout = column(self, spacing=STEP)
        layout.addLayout(top)
        layout.addWidget(self._text, 1)

    # ---- lines -----------------------------------------------------------------------------------------------------

    def add(self, event: LogLines) -> None:
        """Append lines of the running launch; another launch begins a new text."""
        if event.launch_id != self._launch:
            self._launch = event.launch_id
            self._left_out = 0
            self._text.clear()
        bar = self._text.verticalScrollBar()
        place = bar.value()
        self._adding = True
        known = self._text.blockCount() if not self._text.document().isEmpty() else 0
        self._left_out += event.dropped + max(0, known + len(event.lines) - KEEP_LINES)
        cursor = QTextCursor(self._text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(("\n" if known else "") + "\n".join(event.lines))
        bar.setValue(bar.maximum() if self._follow.isChecked() else place)
        self._adding = False
        if self._left_out:
            self._dropped.setText(self.tr("%Ln line(s) left out", "", self._left_out))
        else:
            self._dropped.clear()
        if self._search.text():
            self._delay.start()

    def text(self) -> str:
        return self._text.toPlainText()

    def _scrolled(self, value: int) -> None:
        """Who scrolls up wants to read; who scrolls down to the end wants to follow again."""
        if not self._adding:
            self._follow.setChecked(value >= self._text.verticalScrollBar().maximum())

    def _follow_toggled(self, follow: bool) -> None:
        if follow:
            self._text.verticalScrollBar().setValue(self._text.verticalScrollBar().maximum())

    def _copy(self) -> None:
        chosen = self._text.textCursor().selectedText().replace("\u2029", "\n")
        QGuiApplication.clipboard().setText(chosen or self.text())

    # ---- search ----------------------------------------------------------------------------------------------------

    def find_next(self) -> None:
        self._find(QTextDocument.FindFlag(0))

    def find_previous(self) -> None:
        self._find(QTextDocument.FindFlag.FindBackward)

    def _search_changed(self) -> None:
        self._text.moveCursor(QTextCursor.MoveOperation.Start)
        self._delay.start()

    def _find(self, direction: QTextDocument.FindFlag) -> None:
        wanted = self._search.text()
        if not wanted:
            return
        self._follow.setChecked(False)
        if not self._text.find(wanted, direction):
            backward = direction == QTextDocument.FindFlag.FindBackward
            self._text.moveCursor(QTextCursor.MoveOperation.End if backward else QTextCursor.MoveOperation.Start)
            self._text.find(wanted, direction)
        self._count()

    def _count(self) -> None:
        """ "3 of 17": which match is selected, of how many."""
        wanted = self._search.text().casefold()
        if not wanted:
            self._matches.clear()
            return
        text = self.text().casefold()
        total = text.count(wanted)
        cursor = self._text.textCursor()
        chosen = cursor.hasSelection() and cursor.selectedText().casefold() == wanted
        if total and chosen:
            number = text.count(wanted, 0, cursor.selectionEnd())
            self._matches.setText(
                self.tr("{number} of {total}").format(
                    number=figures.count(number, self._language), total=figures.count(total, self._language)
                )
            )
        else:
            self._matches.setText(self.tr("%Ln match(es)", "", total))
