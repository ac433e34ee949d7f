"""Engines: what is installed, what is left of a cut-off installation, what could be installed, adding one's own."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from core.engine_records import HalfInstall
from core.engines import Choice
from core.events import EngineInfo, Progress
from gui.pages.engines.adder import AddEngine
from gui.pages.engines.engine_card import EngineCard, HalfCard
from gui.pages.engines.install import ChoiceList, InstallCard
from gui.pages.frame import PageFrame
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.fold import Fold
from gui.widgets.progress_row import ProgressRow
from gui.widgets.texts import quiet
from gui.words import Speech


class EnginesPage(QWidget):
    """`engine_wanted` with a verb of `EngineCard` or `HalfCard` and an id; `recipe_wanted` with a name."""

    engine_wanted = Signal(str, str)
    install_wanted = Signal()
    recipe_wanted = Signal(str)
    back_wanted = Signal()
    path_given = Signal(str)
    cancel_wanted = Signal(str)

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self._speech = speech
        frame = PageFrame(
            self.tr("Engines"), self.tr("Installed vLLM builds. Models run on the default one."), scrolls=True
        )
        self.banner = frame.banner
        self.install = InstallCard()
        self.install.wanted.connect(self.install_wanted)
        self.choices = ChoiceList(speech)
        self.choices.wanted.connect(self.recipe_wanted)
        self.adder = AddEngine()
        self.adder.given.connect(self.path_given)
        self._progress_card = QFrame()
        self._progress_card.setProperty("card", "chosen")
        self._progress = ProgressRow(speech, "engineProgress")
        self._progress.cancelled.connect(self.cancel_wanted)
        column(self._progress_card, margin=2 * STEP).addWidget(self._progress)
        self._progress_card.hide()
        self._back = button(self.tr("Go back"), "rollBackButton", kind="quiet")
        self._back.setToolTip(self.tr("Make the engine that was the default before it again; takes no time"))
        self._back.clicked.connect(self.back_wanted)
        self._back.hide()
        self._rows = column(spacing=STEP + 4)
        self._build(frame)

    def _build(self, frame: PageFrame) -> None:
        frame.body.addWidget(self._progress_card)
        back = row()
        back.addWidget(self._back)
        back.addStretch(1)
        self._rows.addWidget(quiet(self.tr("Looking for engines…")))
        rows = column(spacing=STEP)
        rows.addLayout(self._rows)
        rows.addLayout(back)
        frame.body.addLayout(rows)
        frame.body.addWidget(self.install)
        frame.body.addWidget(Fold(self.tr("Other builds"), self.choices, "otherBuilds"))
        frame.body.addWidget(self.adder)
        frame.body.addStretch(1)
        column(self).addWidget(frame)

    def show_engines(
        self, engines: tuple[EngineInfo, ...], selected: str | None, halves: tuple[HalfInstall, ...] = ()
    ) -> None:
        _empty(self._rows)
        if not engines and not halves:
            self._rows.addWidget(quiet(self.tr("No engine yet. Install the recommended one, or add your own.")))
        for engine in engines:
            self._add(EngineCard(engine, self._speech, selected=engine.id == selected))
        for half in halves:
            self._add(HalfCard(half, self._speech))

    def show_way_back(self, engine: EngineInfo | None) -> None:
        """Which engine was the default before; None where there is no way back."""
        if engine is not None:
            retext(self._back, self.tr("Go back to {engine}").format(engine=self._speech.engine(engine)))
        self._back.setVisible(engine is not None)

    def show_choices(self, choices: tuple[Choice, ...]) -> None:
        self.choices.show_choices(choices)

    def show_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            self._progress.show_progress(progress)
        self._progress_card.setVisible(progress is not None)
        self.install.show_busy(progress is not None)
        self.choices.show_busy(progress is not None)

    def _add(self, card: EngineCard | HalfCard) -> None:
        card.wanted.connect(self.engine_wanted)
        self._rows.addWidget(card)


def _empty(rows: QVBoxLayout) -> None:
    while (item := rows.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
