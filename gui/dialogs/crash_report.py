"""A bug, told plainly: what happened, and a report that can be read, copied and sent."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from core.version import __version__
from core.words import Words
from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain


class CrashReport(QDialog):
    def __init__(self, parent: QWidget, words: Words, trace: str) -> None:
        super().__init__(parent)
        self.setObjectName("crashReport")
        self.setWindowTitle(words.title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(88 * STEP, 56 * STEP)
        self._text = QPlainTextEdit()
        self._text.setObjectName("crashReportText")
        self._text.setAccessibleName(self.tr("Report"))
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setFont(fixed_font())
        self._text.setPlainText(f"{_about_this_copy()}\n\n{trace}")
        copy = button(self.tr("Copy report"), "copyReportButton", kind="primary", icon="")
        copy.clicked.connect(self._copy)
        close = button(self.tr("Close"), "closeReportButton")
        close.clicked.connect(self.accept)
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addWidget(heading(words.title))
        layout.addWidget(plain(words.sentence))
        layout.addWidget(plain(words.next_step))
        layout.addWidget(self._text, 1)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(copy)
        buttons.addWidget(close)
        layout.addLayout(buttons)

    def report(self) -> str:
        return self._text.toPlainText()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report())


def _about_this_copy() -> str:
    return f"Stowage {__version__}, Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
