"""On this computer: the starter, the user's folders, and what lies in the Hugging Face cache."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.events import ModelInfo
from gui import figures
from gui.pages.frame import WIDEST
from gui.pages.models.add_folder import AddFolder, GuideCard
from gui.pages.models.cache_list import CacheList
from gui.pages.models.model_card import ModelCard
from gui.theme import STEP
from gui.widgets.cards import column
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet
from gui.words import Speech


class LocalTab(QWidget):
    """Signals carry what the user wants; `show_*` methods take snapshots."""

    launch_wanted = Signal(str)
    forget_wanted = Signal(str)
    folder_given = Signal(str)
    guide_wanted = Signal()

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self.setObjectName("localTab")
        self._speech = speech
        self._guide = GuideCard()
        self._guide.wanted.connect(self.guide_wanted)
        self._list = QWidget()
        self._rows = column(self._list, spacing=STEP + 4)
        self._adder = AddFolder()
        self._adder.given.connect(self.folder_given)
        self.cache = CacheList(speech)
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        body = column(inside, spacing=2 * STEP)
        for part in (self._guide, self._list, self.cache, self._adder):
            body.addWidget(part)
        body.addStretch(1)
        column(self).addWidget(scrolled(inside))
        self._rows.addWidget(quiet(self.tr("Looking at your models…")))

    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Args: `models` those with a folder of their own."""
        _empty(self._rows)
        for place, model in enumerate(models):
            problem = self._speech.explain(model.error) if model.error else None
            made = ModelCard(
                model, self._about(model), problem, primary=place == 0 and not self._guide.isVisibleTo(self)
            )
            made.launch.connect(self.launch_wanted)
            made.forget.connect(self.forget_wanted)
            self._rows.addWidget(made)

    def show_guide(self, sizes: str) -> None:
        """Offer the guided first start; "" takes the offer away."""
        self._guide.offer(sizes)

    def show_added(self) -> None:
        self._adder.clear()

    def _about(self, model: ModelInfo) -> str:
        language = self._speech.language
        if model.id == "starter":
            parts = [self.tr("Starter model"), self._size(model), self.tr("works without an account")]
        else:
            parts = [model.architecture, self._size(model)]
        if model.context_tokens:
            parts.append(
                self.tr("{tokens} tokens of context").format(tokens=figures.count(model.context_tokens, language))
            )
        return " · ".join(part for part in parts if part)

    def _size(self, model: ModelInfo) -> str:
        return figures.gib(model.size_bytes, self._speech.language) if model.size_bytes else ""


def _empty(rows: QVBoxLayout) -> None:
    while (item := rows.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
