"""The guided first start, and the way to add a checkpoint folder."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column
from gui.widgets.path_card import PathCard, PathTexts
from gui.widgets.texts import heading, plain


class GuideCard(QFrame):
    """The first start in one action."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("guideCard")
        self.setProperty("card", "chosen")
        self._about = plain()
        self._start = button(self.tr("Install engine and start the starter model"), "guideButton", kind="primary")
        self._start.clicked.connect(self.wanted)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("Your first answer, in one step")))
        layout.addWidget(self._about)
        layout.addWidget(self._start)
        self.hide()

    def offer(self, sizes: str) -> None:
        self._about.setText(sizes)
        self.setVisible(bool(sizes))


class AddFolder(PathCard):
    """A checkpoint folder by path, by dialog, or dropped on the page."""

    def __init__(self) -> None:
        super().__init__("folder")
        self.say(
            PathTexts(
                self.tr("A model on this computer"),
                self.tr("A folder with config.json, the safetensors files and the tokenizer."),
                self.tr("Path of a checkpoint folder"),
                self.tr("Paste a path, or drop a folder on this page"),
                self.tr("Add"),
                self.tr("Add this folder"),
                self.tr("Browse…"),
                self.tr("Choose a checkpoint folder"),
            )
        )
