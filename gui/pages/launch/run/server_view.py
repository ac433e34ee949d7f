"""The running server: its card, what was promised and kept, how to use it, how it is kept, its log."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from gui.pages.frame import WIDEST
from gui.pages.launch.run.connect_card import ConnectCard
from gui.pages.launch.run.figure_table import FigureTable
from gui.pages.launch.run.proof_panel import NoEffectNote, ProofList
from gui.pages.launch.run.serving_card import ServingCard
from gui.pages.launch.running import ReadyCard
from gui.theme import STEP
from gui.widgets.cards import column
from gui.widgets.scroll import scrolled
from gui.widgets.tabs import Tabs

PROOF, MEMORY, CONNECT, SERVING, LOG = "proof", "memory", "connect", "serving", "log"


class ServerView(QWidget):
    """`seen`: whether somebody looks at it. `log_place` takes the page's log while the server runs."""

    seen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.ready, self.note = ReadyCard(), NoEffectNote()
        self.proof, self.figures, self.connect_card, self.serving = (
            ProofList(),
            FigureTable(),
            ConnectCard(),
            ServingCard(),
        )
        self.tabs = Tabs("readyTab")
        log = QWidget()
        self.log_place = column(log)
        for name, text, page in (
            (PROOF, self.tr("Options"), self.proof),
            (MEMORY, self.tr("Planned and taken"), self.figures),
            (CONNECT, self.tr("Connect"), self.connect_card),
            (SERVING, self.tr("While it runs"), self.serving),
            (LOG, self.tr("Log"), log),
        ):
            self.tabs.add(name, text, page)
        self.tabs.show_page(LOG)
        for part in (self.ready, self.note):
            part.setMaximumWidth(WIDEST)
        self.ready.chips.chosen.connect(self._to_proof)
        inside = QWidget()
        layout = column(inside, spacing=STEP)
        for part in (self.ready, self.note):
            layout.addWidget(part)
        layout.addWidget(self.tabs, 1)
        # In the smallest window with much to tell it scrolls: nothing is cut.
        column(self).addWidget(scrolled(inside))

    def _to_proof(self, _option: str) -> None:
        self.tabs.show_page(PROOF)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen.emit(False)
