"""How the server is used from elsewhere: its address, its key on demand, lines to paste."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from core.engine.endpoint import Endpoint
from core.engine.snippets import snippets
from gui.pages.frame import WIDEST
from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button, icon_button, retext
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import plain, quiet, selectable

SNIPPET_HEIGHT = 17 * STEP
HIDDEN = "••••••••••••"


class ConnectCard(QWidget):
    """The key is shown and copied only when somebody asks for it. `keep_wanted`: whether the key is to stay the same
    from launch to launch."""

    keep_wanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("connectCard")
        self._endpoint: Endpoint | None = None
        self._address, self._elsewhere = selectable(plain(wrap=False)), quiet()
        self._address.setObjectName("endpointAddress")
        self._elsewhere.setObjectName("endpointElsewhere")
        self._key = QLineEdit(HIDDEN)
        self._key.setObjectName("endpointKey")
        self._key.setAccessibleName(self.tr("Key of the server"))
        self._key.setReadOnly(True)
        self._key.setFont(fixed_font())
        self._key.setMaximumWidth(52 * STEP)
        self._show = button(self.tr("Show"), "showKeyButton", kind="small")
        self._show.setCheckable(True)
        self._show.toggled.connect(self._fill)
        self._text = QPlainTextEdit()
        self._languages: list[QPushButton] = []
        self._group = QButtonGroup(self)
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        rows = column(inside, spacing=STEP)
        rows.addLayout(self._address_line())
        rows.addWidget(self._elsewhere)
        rows.addLayout(self._key_line())
        rows.addLayout(self._snippet_line())
        rows.addLayout(self._snippet_box())
        rows.addWidget(quiet(self.tr("Any program that speaks OpenAI's protocol can use this server.")))
        rows.addStretch(1)
        column(self).addWidget(scrolled(inside))

    def _address_line(self):
        copy = icon_button("copy", "copyEndpointButton", self.tr("Copy the address"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._address.text()))
        line = row(spacing=STEP)
        line.addWidget(quiet(self.tr("Address"), wrap=False))
        line.addWidget(self._address)
        line.addWidget(copy)
        line.addStretch(1)
        return line

    def _key_line(self):
        copy = icon_button("copy", "copyKeyButton", self.tr("Copy the key"))
        copy.clicked.connect(self._copy_key)
        line = row(spacing=STEP)
        line.addWidget(quiet(self.tr("Key"), wrap=False))
        line.addWidget(self._key, 1)
        line.addWidget(self._show)
        line.addWidget(copy)
        line.addStretch(1)
        return line

    def _snippet_line(self):
        line = row(spacing=STEP // 2)
        for name in ("curl", "Python", "JavaScript"):
            word = button(name, f"snippet-{name}", kind="tab")
            word.setCheckable(True)
            word.clicked.connect(self._fill)
            self._group.addButton(word)
            self._languages.append(word)
            line.addWidget(word)
        self._languages[0].setChecked(True)
        line.addStretch(1)
        return line

    def _snippet_box(self):
        self._text.setObjectName("snippetText")
        self._text.setAccessibleName(self.tr("Lines to paste"))
        self._text.setProperty("look", "log")
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setFont(fixed_font())
        self._text.setFixedHeight(SNIPPET_HEIGHT)
        copy = icon_button("copy", "copySnippetButton", self.tr("Copy the lines"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text.toPlainText()))
        line = row(spacing=STEP)
        line.addWidget(self._text, 1)
        line.addWidget(copy)
        return line

    def show_endpoint(self, endpoint: Endpoint | None, elsewhere: str) -> None:
        """`elsewhere`: a sentence about other computers."""
        if endpoint != self._endpoint:
            self._show.setChecked(False)
        self._endpoint = endpoint
        self._elsewhere.setText(elsewhere)
        self._elsewhere.setVisible(bool(elsewhere))
        self._fill()

    def _fill(self) -> None:
        endpoint, open_key = self._endpoint, self._show.isChecked()
        retext(self._show, self.tr("Hide") if open_key else self.tr("Show"))
        self._show.setToolTip(self.tr("Whoever has the key can use the server"))
        if endpoint is None:
            return
        self._address.setText(f"{endpoint.base_url}/v1")
        self._key.setText(endpoint.api_key if open_key else HIDDEN)
        chosen = next(word.text() for word in self._languages if word.isChecked())
        text = next(s.text for s in snippets(endpoint, show_key=open_key) if s.language == chosen)
        if text != self._text.toPlainText():
            self._text.setPlainText(text)

    def _copy_key(self) -> None:
        if self._endpoint is not None:
            QGuiApplication.clipboard().setText(self._endpoint.api_key)
