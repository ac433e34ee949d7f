"""What the Models page does: no layout here, no services there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.engine.recipes import Recipe
from core.events import EnginesChanged, ErrorInfo, ModelInfo, ModelsChanged
from gui import figures
from gui.desk import Desk
from gui.pages.models.page import ModelsPage


class ModelsPresenter(QObject):
    """Signals: `launch_wanted` with a model's id and whether to install the engine first."""

    launch_wanted = Signal(str, bool)

    def __init__(self, page: ModelsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._models: tuple[ModelInfo, ...] = ()
        page.launch_wanted.connect(self._launch)
        page.guide_wanted.connect(self._guide)
        page.folder_given.connect(self._add)
        page.forget_wanted.connect(self._forget)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)
        desk.bridge.on(EnginesChanged, self._engines_changed, owner=self)

    def _models_changed(self, event: ModelsChanged) -> None:
        self._models = event.models
        self._page.show_models(event.models)

    def _engines_changed(self, event: EnginesChanged) -> None:
        if event.engines:
            self._offer("")
        else:
            self._desk.bridge.call(self._desk.services.recommended, owner=self, done=self._recommended)

    def _recommended(self, recipe: Recipe) -> None:
        language = self._desk.speech.language
        self._offer(
            self.tr(
                "Stowage installs {engine} (about {download} to download, {disk} on disk), makes the starter model and "
                "starts it. You can cancel at any time."
            ).format(
                engine=recipe.title,
                download=figures.gib(recipe.download_bytes, language),
                disk=figures.gib(recipe.disk_bytes, language),
            )
        )

    def _offer(self, sizes: str) -> None:
        self._page.show_guide(sizes)
        if self._models:
            self._page.show_models(self._models)

    def _launch(self, model_id: str) -> None:
        self.launch_wanted.emit(model_id, False)

    def _guide(self) -> None:
        self.launch_wanted.emit("starter", True)

    def _add(self, path: str) -> None:
        self._page.banner.dismiss()
        self._desk.bridge.call(
            self._desk.services.add_model_folder, path, owner=self, done=self._added, failed=self._failed
        )

    def _added(self, _model: ModelInfo) -> None:
        self._page.show_added()

    def _forget(self, model_id: str) -> None:
        self._desk.bridge.call(self._desk.services.forget_model, model_id, owner=self, failed=self._failed)

    def _failed(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
