"""The shortcuts, listed (Ctrl+/)."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from gui.shortcuts import groups
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain, toned


class ShortcutList(QDialog):
    """Deletes itself when closed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcutList")
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        inside = QWidget()
        body = column(inside, spacing=STEP)
        body.setContentsMargins(0, 0, 2 * STEP, 0)
        for title, lines in groups():
            body.addWidget(heading(title))
            grid = QGridLayout()
            grid.setHorizontalSpacing(3 * STEP)
            grid.setVerticalSpacing(STEP // 2)
            grid.setColumnStretch(0, 1)
            for place, (words, keys) in enumerate(lines):
                label, key = plain(words), toned("chip", keys, wrap=False)
                key.setAccessibleName(f"{words}: {keys}")
                grid.addWidget(label, place, 0)
                grid.addWidget(key, place, 1, Qt.AlignmentFlag.AlignRight)
            body.addLayout(grid)
            body.addSpacing(STEP)
        close = button(self.tr("Close"), "shortcutListClose", kind="primary")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        layout = column(self, spacing=2 * STEP, margin=3 * STEP)
        area = scrolled(inside)
        # Reached by Tab, so that the arrow keys scroll it.
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.tr("Keyboard shortcuts"))
        layout.addWidget(area, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(60 * STEP, 66 * STEP)
