"""The main window: navigation, a stack of pages, the status strip. Knows no services; `gui.app` fills it.

It is made before anything else is imported, so it must stay cheap: pages and icons come after the first paint. PySide6
makes all enums of a class when it is first named, and `Qt`, `QLocale` and `QKeySequence` have hundreds each (27 ms in
all): whatever runs before the first paint does without these names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QMainWindow, QStackedWidget, QToolButton, QWidget

from gui.theme import STEP, scaled_font
from gui.widgets.cards import column, row

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QCloseEvent, QPaintEvent

PAGES = ("models", "launch", "chat", "compare", "engines", "settings")
SMALLEST = (1024, 640)
USUAL = (1180, 760)
SIDE_WIDTH = 176
BUDGET_HEIGHT = 44
STATUS_HEIGHT = 36
TEXT_BESIDE_ICON = 2  # Qt.ToolButtonStyle.ToolButtonTextBesideIcon


class MainWindow(QMainWindow):
    """`painted` once, after the first paint; `close_wanted` when the user closes; `page_shown` with its name."""

    painted = Signal()
    close_wanted = Signal()
    page_shown = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Stowage")
        self.setMinimumSize(*SMALLEST)
        self.resize(*USUAL)
        self._may_close = False
        self._was_painted = False
        self._shown = ""
        self._build()
        self.setCentralWidget(self._centre)

    def _build(self) -> None:
        self._buttons: dict[str, QToolButton] = {}
        self._pages: dict[str, QWidget] = {}
        self._centre = QWidget()
        self._group = QButtonGroup(self._centre)
        self._stack = QStackedWidget()
        self._stack.addWidget(QWidget())  # until the pages come
        outer = column(self._centre, spacing=0)
        middle = row(spacing=0)
        middle.addWidget(self._side())
        middle.addWidget(self._stack, 1)
        outer.addLayout(middle, 1)
        outer.addWidget(self._bottom())

    def _bottom(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("strip", "bottom")
        bottom = column(frame, spacing=0)
        bottom.setContentsMargins(2 * STEP, STEP // 2, 2 * STEP, 0)
        self.budget_row = row(spacing=0)
        self.bottom_row = row(spacing=STEP)
        self.bottom_row.setContentsMargins(STEP // 2, 0, STEP // 2, 0)
        # Room for one row of budgets and the server's line from the first paint on: nothing jumps when they come.
        self.budget_row.addStrut(BUDGET_HEIGHT)
        self.bottom_row.addStrut(STATUS_HEIGHT)
        bottom.addLayout(self.budget_row)
        bottom.addLayout(self.bottom_row, 1)
        return frame

    def begin_anew(self) -> None:
        """Make everything inside once more (the language is another now): pages are added as at the start. What was
        there stays in sight, for looking only, until `show_anew`."""
        self._centre.setEnabled(False)
        self._build()
        self.add_shortcuts()

    def show_anew(self, old_gone: Callable[[], None]) -> None:
        """`old_gone` is called when nothing of what was there is left."""
        old = self.takeCentralWidget()
        assert old is not None
        old.destroyed.connect(old_gone)
        self.setCentralWidget(self._centre)
        old.deleteLater()

    def _side(self) -> QFrame:
        side = QFrame()
        side.setProperty("strip", "side")
        side.setFixedWidth(SIDE_WIDTH)
        layout = column(side, spacing=STEP // 2, margin=STEP)
        name = QLabel("Stowage")
        name.setFont(scaled_font(name.font(), 1.35, strong=True))
        name.setContentsMargins(STEP + 2, STEP, 0, STEP)
        layout.addWidget(name)
        for number, page in enumerate(PAGES, 1):
            layout.addWidget(self._nav_button(page, number))
        layout.addStretch(1)
        return side

    def _nav_button(self, page: str, number: int) -> QToolButton:
        label = {
            "models": self.tr("Models"),
            "launch": self.tr("Launch"),
            "chat": self.tr("Chat"),
            "compare": self.tr("Compare"),
            "engines": self.tr("Engines"),
            "settings": self.tr("Settings"),
        }[page]
        button = QToolButton()
        button.setObjectName(f"nav{page.capitalize()}")
        button.setProperty("kind", "nav")
        button.setText(f"\u2002{label}")  # an en space: room between picture and word
        button.setAccessibleName(label)
        button.setToolTip(self.tr("{page} (Ctrl+{number})").format(page=label, number=number))
        button.setCheckable(True)
        button.setProperty("toolButtonStyle", TEXT_BESIDE_ICON)
        button.setFixedWidth(SIDE_WIDTH - 2 * STEP - 1)
        button.setMinimumHeight(40)
        button.setProperty("page", page)
        button.clicked.connect(self._nav_clicked)
        self._group.addButton(button)
        self._buttons[page] = button
        return button

    def add_shortcuts(self) -> None:
        """Ctrl+1 to Ctrl+6. After the first paint."""
        from PySide6.QtGui import QKeySequence, QShortcut

        for number, page in enumerate(PAGES, 1):
            QShortcut(QKeySequence(f"Ctrl+{number}"), self._centre).activated.connect(self._buttons[page].click)

    # ---- pages -----------------------------------------------------------------------------------------------------

    @property
    def inside(self) -> QWidget:
        """What holds all that the window shows."""
        return self._centre

    @property
    def nav_buttons(self) -> dict[str, QToolButton]:
        return self._buttons

    @property
    def shown_page(self) -> str:
        return self._shown

    def add_page(self, name: str, page: QWidget) -> None:
        self._pages[name] = page
        self._stack.addWidget(page)
        if name == (self._shown or PAGES[0]):
            self.show_page(name)

    def page(self, name: str) -> QWidget:
        return self._pages[name]

    def show_page(self, name: str) -> None:
        """Bring a page to the front. A page that is still being made is shown as soon as it is there."""
        self._shown = name
        self._buttons[name].setChecked(True)
        if name in self._pages:
            self._stack.setCurrentWidget(self._pages[name])
            self.page_shown.emit(name)

    def _nav_clicked(self) -> None:
        self.show_page(str(self.sender().property("page")))

    # ---- life ------------------------------------------------------------------------------------------------------

    def restore(self, geometry: str) -> None:
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii", "ignore")))

    def geometry_text(self) -> str:
        return bytes(self.saveGeometry().toBase64().data()).decode("ascii")

    def to_front(self) -> None:
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def let_use(self, useable: bool) -> None:
        self._centre.setEnabled(useable)

    def allow_close(self) -> None:
        self._may_close = True

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
        else:
            event.ignore()
            self.close_wanted.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.painted.emit()
