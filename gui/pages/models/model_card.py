"""A model that lies in a folder of its own: the starter, or one that the user added."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from core.events import ModelInfo
from core.words import Words
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet, toned


class ModelCard(QFrame):
    """One model. `launch` and `forget` carry its id."""

    launch = Signal(str)
    forget = Signal(str)

    def __init__(self, model: ModelInfo, about: str, problem: Words | None, *, primary: bool) -> None:
        super().__init__()
        self.setObjectName(f"model-{model.id}")
        self.setProperty("card", "true")
        self._id = model.id
        outer = row(self, spacing=2 * STEP)
        outer.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        texts = column(spacing=STEP // 2)
        texts.addWidget(heading(model.name))
        texts.addWidget(quiet(about))
        if model.path and model.id != "starter":
            texts.addWidget(quiet(model.path))
        if problem is not None:
            texts.addWidget(toned("bad", f"{problem.title}. {problem.sentence}"))
            texts.addWidget(plain(problem.next_step))
        outer.addLayout(texts, 1)
        if model.id != "starter":
            name = self.tr("Take {model} off the list (its files stay)").format(model=model.name)
            forget = icon_button("close", f"forget-{model.id}", name)
            forget.clicked.connect(self._forget)
            outer.addWidget(forget)
        start = button(self.tr("Launch"), f"launch-{model.id}", kind="primary" if primary else "", icon="")
        start.setAccessibleName(self.tr("Launch {model}").format(model=model.name))
        start.setEnabled(problem is None)
        start.clicked.connect(self._launch)
        outer.addWidget(start)

    def _launch(self) -> None:
        self.launch.emit(self._id)

    def _forget(self) -> None:
        self.forget.emit(self._id)
