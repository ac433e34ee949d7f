"""What the Engines page does."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.engine.recipes import Recipe
from core.events import EngineInfo, EnginesChanged, EngineState, ErrorInfo, JobDone, Progress
from gui import figures
from gui.desk import Desk
from gui.dialogs.question import Question
from gui.pages.engines.page import EnginesPage

JOB = "engine:"


class EnginesPresenter(QObject):
    def __init__(self, page: EnginesPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._engines: tuple[EngineInfo, ...] = ()
        self._recipe: Recipe | None = None
        page.engine_wanted.connect(self._engine_wanted)
        page.install_wanted.connect(self._install)
        page.path_given.connect(self._add)
        page.cancel_wanted.connect(self._cancel)
        desk.bridge.on(EnginesChanged, self._engines_changed, owner=self)
        desk.bridge.on(Progress, self._progress, owner=self)
        desk.bridge.on(JobDone, self._job_done, owner=self)
        desk.bridge.call(desk.services.recommended, owner=self, done=self._recommended)

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _engine_wanted(self, verb: str, engine_id: str) -> None:
        self._page.banner.dismiss()
        services = self._desk.services
        if verb == "remove":
            self._ask_remove(engine_id)
            return
        work = {"select": services.select_engine, "verify": services.verify_engine, "repair": services.repair_engine}
        self._desk.bridge.call(work[verb], engine_id, owner=self, done=self._ended, failed=self._failed)

    def _ask_remove(self, engine_id: str) -> None:
        engine = next((e for e in self._engines if e.id == engine_id), None)
        if engine is None:
            return
        name = self._desk.speech.engine(engine)
        if engine.ours:
            text = self.tr("Its {size} on disk become free. You can install it again later.").format(
                size=figures.gib(engine.size_bytes, self._desk.speech.language)
            )
        else:
            text = self.tr("Stowage forgets it. Its files stay as they are.")
        asking = Question(
            self._page.window(),
            name="removeEngineDialog",
            heading=self.tr("Remove {engine}?").format(engine=name),
            text=text,
            choices=(("remove", self.tr("Remove engine")), ("keep", self.tr("Keep it"))),
        )
        asking.setProperty("engine", engine_id)
        asking.chosen.connect(self._remove_answered)
        asking.open()

    def _remove_answered(self, choice: str) -> None:
        if choice == "remove":
            engine_id = str(self.sender().property("engine"))
            self._desk.bridge.call(self._desk.services.remove_engine, engine_id, owner=self, failed=self._failed)

    def _install(self) -> None:
        self._page.banner.dismiss()
        self._page.install.show_busy(True)
        self._desk.bridge.call(self._desk.services.install_engine, owner=self, done=self._ended, failed=self._failed)

    def _add(self, path: str) -> None:
        self._page.banner.dismiss()
        self._page.adder.show_busy(True)
        self._desk.bridge.call(
            self._desk.services.add_engine, path, owner=self, done=self._added, failed=self._add_failed
        )

    def _added(self, _engine: EngineInfo) -> None:
        self._page.adder.show_busy(False)
        self._page.adder.clear()

    def _add_failed(self, error: ErrorInfo) -> None:
        self._page.adder.show_busy(False)
        self._failed(error)

    def _cancel(self, job: str) -> None:
        self._desk.bridge.call(self._desk.services.cancel_job, job, owner=self)

    def _ended(self, _result: object) -> None:
        self._page.show_progress(None)

    def _failed(self, error: ErrorInfo) -> None:
        self._page.show_progress(None)
        if error.code != "install.cancelled":
            self._page.banner.show_words(self._desk.speech.explain(error))

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def _engines_changed(self, event: EnginesChanged) -> None:
        self._engines = event.engines
        ready = [engine.id for engine in event.engines if engine.state is EngineState.READY]
        self._page.show_engines(event.engines, event.selected or (ready[-1] if len(ready) == 1 else None))
        self._offer()

    def _recommended(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._offer()

    def _offer(self) -> None:
        """The recommended engine is offered until it is there."""
        recipe = self._recipe
        if recipe is None or any(engine.id == recipe.id for engine in self._engines):
            self._page.install.offer("", "")
            return
        language = self._desk.speech.language
        self._page.install.offer(
            self.tr("Recommended: {engine}").format(engine=recipe.title),
            self.tr("About {download} to download, {disk} on disk. At 10 MB/s that takes about {minutes} min.").format(
                download=figures.gib(recipe.download_bytes, language),
                disk=figures.gib(recipe.disk_bytes, language),
                minutes=max(1, round(recipe.download_bytes / 10e6 / 60)),
            ),
        )

    def _progress(self, event: Progress) -> None:
        if event.job.startswith(JOB):
            self._page.show_progress(event)

    def _job_done(self, event: JobDone) -> None:
        if event.job.startswith(JOB):
            self._page.show_progress(None)
