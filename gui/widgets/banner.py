"""News in place: a title, one sentence, the next step, details folded away. Never a box that stops the work."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QPushButton, QToolButton, QWidget

from core.words import Words
from gui.icons import set_icon
from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet, selectable, set_property


class Banner(QFrame):
    """Hidden until `show_words`. `error=False` makes it plain news. `dismissed` when it is closed."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None, *, name: str = "errorBanner") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("card", "error")
        self._sign = QLabel()
        self._sign.setFixedWidth(3 * STEP)
        self._title = selectable(heading())
        self._sentence = selectable(plain())
        self._next = selectable(quiet())
        self._fold = QToolButton(self)
        self._details = QPlainTextEdit(self)
        self._copy = button(self.tr("Copy details"), f"{name}Copy", kind="quiet", icon="copy", parent=self)
        self._close: QPushButton = icon_button("close", f"{name}Close", self.tr("Close this message"), self)
        self._build(name)
        self.hide()

    def _build(self, name: str) -> None:
        self._fold.setObjectName(f"{name}Details")
        self._fold.setProperty("kind", "fold")
        self._fold.setText(self.tr("Details"))
        self._fold.setAccessibleName(self.tr("Details"))
        self._fold.setCheckable(True)
        self._fold.setArrowType(Qt.ArrowType.RightArrow)
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.toggled.connect(self._show_details)
        self._details.setReadOnly(True)
        self._details.setFont(fixed_font())
        self._details.setAccessibleName(self.tr("Details"))
        self._details.setTabChangesFocus(True)
        self._details.setFixedHeight(18 * STEP)
        self._copy.clicked.connect(self._copy_details)
        self._close.clicked.connect(self.dismiss)
        outer = row(self, spacing=STEP)
        outer.setContentsMargins(2 * STEP, STEP + 4, STEP, STEP + 4)
        outer.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        texts = column(spacing=STEP // 2)
        texts.addWidget(self._title)
        texts.addWidget(self._sentence)
        texts.addWidget(self._next)
        buttons = row()
        for part in (self._fold, self._copy):
            buttons.addWidget(part)
        buttons.addStretch(1)
        self._texts = texts
        texts.addLayout(buttons)
        texts.addWidget(self._details)
        outer.addLayout(texts, 1)
        outer.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)

    def show_words(self, words: Words, *, error: bool = True) -> None:
        set_icon(self._sign, "warning" if error else "info", _ink(error))
        set_property(self, "card", "error" if error else "true")
        for label, text in (
            (self._title, words.title),
            (self._sentence, words.sentence),
            (self._next, words.next_step),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        self._details.setPlainText(words.details)
        self._fold.setChecked(False)
        self._fold.setVisible(bool(words.details))
        self._show_details(False)
        self.setAccessibleName(words.title)
        self.setAccessibleDescription(f"{words.sentence} {words.next_step}".strip())
        self.show()

    def extend(self, part: QWidget) -> None:
        """A part of the page's own, between the words and the details: what can be done about it."""
        self._texts.insertWidget(3, part)

    def dismiss(self) -> None:
        if not self.isHidden():
            self.hide()
            self.dismissed.emit()

    def text(self) -> str:
        """What a person reads, for tests and screen readers."""
        return "\n".join(part.text() for part in (self._title, self._sentence, self._next) if part.text())

    def _show_details(self, shown: bool) -> None:
        self._fold.setArrowType(Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow)
        self._details.setVisible(shown)
        self._copy.setVisible(shown)

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.text()}\n\n{self._details.toPlainText()}")


def _ink(error: bool) -> QPalette.ColorRole:
    return QPalette.ColorRole.BrightText if error else QPalette.ColorRole.Accent
