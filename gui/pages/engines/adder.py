"""A vLLM that the user has already."""

from __future__ import annotations

from gui.widgets.path_card import PathCard, PathTexts


class AddEngine(PathCard):
    def __init__(self) -> None:
        super().__init__("engine")
        self.say(
            PathTexts(
                self.tr("A vLLM you already have"),
                self.tr("Its Python or its environment's folder. Stowage uses it and never changes it."),
                self.tr("Path of a Python or of an environment with vLLM"),
                self.tr("/path/to/venv or /path/to/python"),
                self.tr("Add"),
                self.tr("Add this engine"),
                self.tr("Browse…"),
                self.tr("Choose an environment's folder"),
            )
        )
