"""Launch: choose, start, watch, stop. The timeline takes the place of the choices while a launch runs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.pages.frame import PageFrame
from gui.pages.launch.options import LaunchOptions
from gui.pages.launch.running import ReadyCard, StartingCard
from gui.widgets.cards import column
from gui.widgets.log_view import LogView
from gui.widgets.snug_stack import SnugStack
from gui.words import Speech


class LaunchPage(QWidget):
    def __init__(self, speech: Speech) -> None:
        super().__init__()
        frame = PageFrame(
            self.tr("Launch"), self.tr("Start a model on an engine, and watch it come up."), scrolls=False
        )
        self.banner = frame.banner
        self.options = LaunchOptions(speech)
        self.starting = StartingCard(speech)
        self.ready = ReadyCard()
        self.log = LogView(speech.language)
        self._stack = SnugStack()
        for part in (self.options, self.starting, self.ready):
            self._stack.add(part)
        frame.body.addWidget(self._stack)
        frame.body.addWidget(self.log, 1)
        column(self).addWidget(frame)

    def show_options(self) -> None:
        self._stack.show_only(self.options)

    def show_starting(self) -> None:
        self._stack.show_only(self.starting)

    def show_ready(self) -> None:
        self._stack.show_only(self.ready)
