"""What the Engines page does."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.engines import CHECK_JOB, Choice, Offer
from core.events import EngineInfo, EnginesChanged, EngineState, ErrorInfo, JobDone, Progress
from core.words import Words
from gui import figures
from gui.desk import Desk
from gui.dialogs.question import Question
from gui.pages.engines.build_presenter import BuildPresenter
from gui.pages.engines.page import EnginesPage

JOB = "engine:"
# Ends that are no news: the person ended it.
QUIET_ENDS = ("install.cancelled",)


class EnginesPresenter(QObject):
    def __init__(self, page: EnginesPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._engines: tuple[EngineInfo, ...] = ()
        self._choices: tuple[Choice, ...] = ()
        self._known: tuple[str, ...] | None = None
        self._build = BuildPresenter(page, desk)
        page.engine_wanted.connect(self._engine_wanted)
        page.install_wanted.connect(self._install_recommended)
        page.recipe_wanted.connect(self._install)
        page.back_wanted.connect(self._go_back)
        page.path_given.connect(self._add)
        page.cancel_wanted.connect(self._cancel)
        desk.bridge.on(EnginesChanged, self._engines_changed, owner=self)
        desk.bridge.on(Progress, self._progress, owner=self)
        desk.bridge.on(JobDone, self._job_done, owner=self)
        self._ask_choices()

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _engine_wanted(self, verb: str, engine_id: str) -> None:
        self._page.banner.dismiss()
        if verb == "remove":
            self._ask_remove(engine_id)
        elif verb == "build":
            self._build.open(engine_id, self._engines)
        elif verb == "update":
            self._look_for_update(engine_id)
        else:
            services = self._desk.services
            work = {
                "select": services.select_engine,
                "verify": services.verify_engine,
                "repair": services.repair_engine,
                "resume": services.engines.resume,
                "clean": services.engines.clean_up,
            }
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

    def _install_recommended(self) -> None:
        recommended = next((choice for choice in self._choices if choice.recommended), None)
        if recommended is not None:
            self._install(recommended.recipe.id)

    def _install(self, name: str) -> None:
        self._page.banner.dismiss()
        self._page.install.show_busy(True)
        self._page.choices.show_busy(True)
        call = self._desk.bridge.call
        call(self._desk.services.install_engine, name, owner=self, done=self._installed, failed=self._failed)

    def _installed(self, _engine: EngineInfo) -> None:
        self._page.choices.clear()
        self._page.show_progress(None)

    def _go_back(self) -> None:
        self._page.banner.dismiss()
        self._desk.bridge.call(self._desk.services.engines.roll_back, owner=self, failed=self._failed)

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
        if error.code not in QUIET_ENDS:
            self._page.banner.show_words(self._spoken(error), error=error.code != "engine.up_to_date")

    def _spoken(self, error: ErrorInfo) -> Words:
        speech = self._desk.speech
        if error.code == "engine.canary_failed":
            # The step's word id is for the log; a person reads the step.
            error = ErrorInfo(error.code, error.detail, error.facts | {"step": speech.step(str(error.facts["step"]))})
        return speech.explain(error)

    # ---- updating --------------------------------------------------------------------------------------------------

    def _look_for_update(self, engine_id: str) -> None:
        check = self._desk.services.engines.check_update
        self._page.show_progress(Progress(CHECK_JOB, "update_check", 0, 1))
        self._desk.bridge.call(check, engine_id, owner=self, done=self._offered, failed=self._failed)

    def _offered(self, offer: Offer) -> None:
        self._page.show_progress(None)
        language = self._desk.speech.language
        asking = Question(
            self._page.window(),
            name="updateEngineDialog",
            heading=self.tr("Install {engine} beside it?").format(engine=offer.recipe.title),
            text=self.tr(
                "About {download} to download, {disk} on disk. Then it is tried: it must serve the starter model, "
                "answer a fixed question, be no more than a fifth slower, and serve your last model. Only then it "
                "becomes the default; {engine} stays and you can go back at any time."
            ).format(
                download=figures.gib(offer.recipe.download_bytes, language),
                disk=figures.gib(offer.recipe.disk_bytes, language),
                engine=self._desk.speech.engine(offer.engine),
            ),
            choices=(("update", self.tr("Install and try it")), ("not", self.tr("Not now"))),
        )
        asking.setProperty("engine", offer.engine.id)
        asking.setProperty("version", offer.recipe.version)
        asking.chosen.connect(self._update_answered)
        asking.open()

    def _update_answered(self, choice: str) -> None:
        if choice == "update":
            engine_id, version = (str(self.sender().property(name)) for name in ("engine", "version"))
            update = self._desk.services.engines.update
            self._desk.bridge.call(update, engine_id, version, owner=self, done=self._ended, failed=self._failed)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def _engines_changed(self, event: EnginesChanged) -> None:
        self._engines = event.engines
        usable = [engine for engine in event.engines if engine.state is EngineState.READY and engine.trusted]
        default = event.selected or (usable[0].id if usable else None)
        self._page.show_engines(event.engines, default, event.halves)
        previous = next((engine for engine in event.engines if engine.id == event.previous), None)
        broken = previous is not None and previous.state is EngineState.BROKEN
        self._page.show_way_back(None if previous is None or broken or previous.id == default else previous)
        known = tuple(sorted(engine.id for engine in event.engines))
        if known != self._known:
            self._known = known
            self._ask_choices()

    def _ask_choices(self) -> None:
        self._desk.bridge.call(self._desk.services.engines.choices, owner=self, done=self._chosen)

    def _chosen(self, choices: tuple[Choice, ...]) -> None:
        self._choices = choices
        self._page.show_choices(tuple(choice for choice in choices if not choice.recommended))
        choice = next((choice for choice in choices if choice.recommended), None)
        if choice is None or choice.there:
            self._page.install.offer("", "")
            return
        recipe, language = choice.recipe, self._desk.speech.language
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
