"""What the Models page does: no layout here, no services there. Each concern has a presenter of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.engine.recipes import Recipe
from core.events import EnginesChanged, ErrorInfo, ModelInfo, ModelsChanged
from core.hub.events import CacheChanged
from gui import figures
from gui.desk import Desk
from gui.pages.models.cache_presenter import CachePresenter
from gui.pages.models.details_presenter import DetailsPresenter
from gui.pages.models.get_presenter import GetPresenter
from gui.pages.models.page import ModelsPage
from gui.pages.models.search_presenter import Looking, SearchPresenter


class ModelsPresenter(QObject):
    """Signals: `launch_wanted` with a model's id and whether to install the engine first; `talk_wanted` with the id of
    one to launch and then to talk to."""

    launch_wanted = Signal(str, bool)
    talk_wanted = Signal(str)

    def __init__(self, page: ModelsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._models: tuple[ModelInfo, ...] = ()
        self._cached: frozenset[str] = frozenset()
        self._search = SearchPresenter(page, desk)
        self._details = DetailsPresenter(page, desk)
        self._gets = GetPresenter(page, self._details, desk)
        self._cache = CachePresenter(page, desk)
        self._search.repo_chosen.connect(self._details.show)
        self._search.nothing_chosen.connect(self._details.clear)
        self._details.came.connect(self._search.found)
        self._details.not_found.connect(self._search.not_found)
        self._cache.get_wanted.connect(self._gets.get)
        for part in (self._gets, self._cache):
            part.launch_wanted.connect(self._launch)
        self._gets.talk_wanted.connect(self.talk_wanted)
        page.local.launch_wanted.connect(self._launch)
        page.local.guide_wanted.connect(self._guide)
        page.local.folder_given.connect(self._add)
        page.local.forget_wanted.connect(self._forget)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)
        desk.bridge.on(CacheChanged, self._cache_changed, owner=self)
        desk.bridge.on(EnginesChanged, self._engines_changed, owner=self)

    def begin(self) -> None:
        """The services are open: look what lies in the cache."""
        self._cache.look()

    def end(self) -> None:
        """Nothing more is asked of the services."""
        self._cache.end()

    @property
    def looking(self) -> Looking:
        return self._search.looking

    def bring_back(self, looking: Looking) -> None:
        """What the person looked for in a window of another language."""
        self._search.bring_back(looking)

    def restyle(self) -> None:
        """The theme changed."""
        self._page.hub.details.restyle()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._models = event.models
        self._show_models()

    def _cache_changed(self, event: CacheChanged) -> None:
        cached = frozenset(repo.repo_id for repo in event.cache.repos)
        if cached != self._cached:
            self._cached = cached
            self._show_models()

    def _show_models(self) -> None:
        """What lies in the cache is shown there."""
        if self._models:
            self._page.local.show_models(
                tuple(model for model in self._models if model.id.partition("@")[0] not in self._cached)
            )

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
        self._page.local.show_guide(sizes)
        self._show_models()

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
        self._page.local.show_added()

    def _forget(self, model_id: str) -> None:
        self._desk.bridge.call(self._desk.services.forget_model, model_id, owner=self, failed=self._failed)

    def _failed(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
