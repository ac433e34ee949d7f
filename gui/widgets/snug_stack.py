"""A stack as high as its present page. (QStackedWidget is always as high as its highest: its layout says so.)"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.widgets.cards import column


class SnugStack(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = column(self)
        self._current: QWidget | None = None

    def add(self, page: QWidget) -> None:
        """The first page added is shown."""
        self._rows.addWidget(page)
        page.setVisible(self._current is None)
        self._current = self._current or page

    def show_only(self, page: QWidget) -> None:
        if page is not self._current:
            if self._current is not None:
                self._current.hide()
            self._current = page
            page.show()
