"""What the Launch page does: verbs to the services, snapshots to the page."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.engine.eta import eta
from core.engine.fixes import Fix
from core.engine.recipes import Recipe
from core.events import (
    EnginesChanged,
    ErrorInfo,
    JobDone,
    LogLines,
    ModelsChanged,
    Preflighted,
    Progress,
    ServerState,
    ServerStatus,
)
from core.planning.choices import Choices
from core.planning.fixing import fixed_choices
from core.preflight.finding import PLAN_WAS_SHOWN, Consent, Preflight, Severity
from core.profiles.profiles import Recalled
from gui import figures
from gui.bridge import Call
from gui.desk import Desk
from gui.pages.launch.options import Choice
from gui.pages.launch.page import LaunchPage
from gui.pages.launch.run.run_words import RunWords
from gui.pages.launch.steps import steps_of

TICK_MS = 500


class LaunchPresenter(QObject):
    """`chat_wanted`: the user wants to talk to the server. What is known of a launch besides its phases is
    `run.care_presenter`'s."""

    chat_wanted = Signal()

    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._status = ServerStatus()
        self._call: Call | None = None
        self._began = 0.0
        self._model_names: dict[str, str] = {}
        self._chosen = ""
        self._has_engines = True
        self._engines = EnginesChanged((), None)
        self._coming = "cpu"
        self._shown_failure = ""
        self._preflight = Preflight()
        self._words = RunWords(desk.speech, self)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._show_time)
        self._connect_page()
        bridge = desk.bridge
        bridge.on(ModelsChanged, self._models_changed, owner=self)
        bridge.on(EnginesChanged, self._engines_changed, owner=self)
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(Progress, self._progress, owner=self)
        bridge.on(JobDone, self._job_done, owner=self)
        bridge.on(LogLines, self._log_lines, owner=self)
        bridge.on(Preflighted, self._preflighted, owner=self)
        page.options.show_settings(desk.services.settings.current)

    def _connect_page(self) -> None:
        page = self._page
        page.verdict.launch_wanted.connect(self._launch_chosen)
        page.options.model_chosen.connect(self._remember_model)
        page.starting.cancel_wanted.connect(self._cancel)
        page.ready.stop_wanted.connect(self._stop)
        page.ready.chat_wanted.connect(self.chat_wanted)
        page.banner.dismissed.connect(self._failure_read)
        page.checks.anyway_wanted.connect(self._launch_anyway)
        page.checks.remedy_wanted.connect(self._launch_remedied)

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def launch_model(self, model_id: str) -> None:
        """Start a model chosen elsewhere: as it last went well, else with what suits it on this computer."""
        self._page.options.choose_model(model_id)
        self._remember_model(model_id)
        last = self._desk.services.profiles.last
        self._desk.bridge.call(last, model_id, owner=self, done=lambda found: self._launch_as(model_id, found))

    def _launch_as(self, model_id: str, last: Recalled | None) -> None:
        if last is not None:
            self._launch_with(model_id, last.choices)
            return
        self._desk.bridge.call(
            self._desk.services.suggest,
            model_id,
            owner=self,
            done=lambda choices: self._launch_with(model_id, choices),
            failed=lambda _error: self._launch_with(model_id, None),
        )

    def _launch_with(self, model_id: str, choices: Choices | None) -> None:
        if choices is not None:
            self._page.options.take(choices)
        self._launch(replace(self._page.options.choice(), model_id=model_id))

    def _launch_chosen(self) -> None:
        self._launch(self._page.options.choice())

    def _launch_anyway(self) -> None:
        self._launch(self._page.options.choice(), Consent(everything=True))

    def launch_fetching(self) -> None:
        """What is on the form, and its model is got first."""
        self._launch(self._page.options.choice(), replace(PLAN_WAS_SHOWN, fetch=True))

    def _launch_remedied(self, code: str) -> None:
        """The remedy goes onto the form, so that a person sees what is launched."""
        remedy = next((found.remedy for found in self._preflight.findings if found.code == code), None)
        if remedy is not None and remedy.choices is not None:
            self._page.options.take(remedy.choices)
        any_port = remedy is not None and remedy.any_port
        self._launch(self._page.options.choice(), port=0 if any_port else None)

    def relaunch(self, fix: Fix) -> None:
        """The launch before, with `fix`; the form takes it too where it has a place for it."""
        if self._call is not None:
            return
        options = self._page.options
        choices = fixed_choices(fix.change, options.choice().choices)
        if choices is not None:
            options.take(choices)
        self._begin(self._status.model or options.choice().model_id)
        self._call = self._desk.bridge.call(
            self._desk.services.care.relaunch, fix.kind, owner=self, done=self._launched, failed=self._launch_failed
        )

    def _begin(self, model_id: str) -> None:
        self._page.banner.dismiss()
        self._page.news.dismiss()
        self._page.checks.hide()
        self._preflight = Preflight()
        self._began, self._status = time.monotonic(), ServerStatus()
        name = self._model_names.get(model_id, model_id)
        self._page.starting.begin(self.tr("Starting {model}").format(model=name))
        self._page.starting.show_steps(steps_of(ServerStatus(), 0.0, self._desk.speech))
        self._show_time()
        self._tick.start()
        self._page.show_starting()

    def _launch(self, choice: Choice, consent: Consent = PLAN_WAS_SHOWN, port: int | None = None) -> None:
        if self._call is not None:
            return
        self._begin(choice.model_id)
        services, choices = self._desk.services, choice.choices
        wished: dict[str, Any] = {"leave_free_gib": choices.leave_free_gib} if self._page.options.free_wished else {}
        self._desk.bridge.call(
            services.change_settings,
            owner=self,
            last_model=choice.model_id,
            context_tokens=choices.context,
            enforce_eager=choices.enforce_eager,
            cpu_kv_cache_gib=choices.cpu_kv_cache_gib,
            max_num_seqs=choices.max_num_seqs,
            max_num_batched_tokens=choices.max_num_batched_tokens,
            **wished,
        )
        self._call = self._desk.bridge.call(
            services.launch,
            choice.model_id,
            choice.engine_id,
            owner=self,
            done=self._launched,
            failed=self._launch_failed,
            choices=choices,
            install_engine=not self._has_engines,
            consent=consent,
            port=port,
        )

    def _cancel(self) -> None:
        self._desk.bridge.call(self._desk.services.cancel_launch, owner=self)

    def _stop(self) -> None:
        self._page.ready.show_stopping(self.tr("Stopping…"))
        self._desk.bridge.call(self._desk.services.stop_server, owner=self, failed=self._show_failure)

    def _remember_model(self, model_id: str) -> None:
        self._chosen = model_id
        self._desk.bridge.call(self._desk.services.change_settings, owner=self, last_model=model_id)

    def _launched(self, _endpoint: object) -> None:
        self._call = None
        self._arrange()

    def _launch_failed(self, error: ErrorInfo) -> None:
        self._call = None
        blocked = any(found.code == error.code for found in self._preflight.findings)
        if error.code in ("server.cancelled", "install.cancelled"):
            self._page.banner.dismiss()
        elif blocked and self._status.state is not ServerState.FAILED:
            self._show_blocked()
        elif self._status.state is ServerState.FAILED and self._status.error is not None:
            # The status carries the last words too.
            self._show_failure(self._status.error)
        else:
            self._show_failure(error)
        self._arrange()

    def _show_blocked(self) -> None:
        blocks = [found for found in self._preflight.findings if found.severity is Severity.BLOCK]
        stops = [found for found in blocks if not PLAN_WAS_SHOWN.covers(found)]
        lines = tuple(map(self._words.check, self._preflight.findings))
        self._page.show_checks(lines, anyway=all(found.anyway for found in stops))

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def _models_changed(self, event: ModelsChanged) -> None:
        self._model_names = {model.id: model.name for model in event.models}
        # The settings learn a moment later what was chosen here; a list that comes meanwhile must not take it back.
        self._page.options.show_models(event.models, self._chosen or self._desk.services.settings.current.last_model)

    def _engines_changed(self, event: EnginesChanged) -> None:
        self._has_engines = bool(event.engines)
        self._engines = event
        self._show_engines()
        if not self._has_engines:
            self._desk.bridge.call(self._desk.services.recommended, owner=self, done=self._recommended)

    def _show_engines(self) -> None:
        self._page.options.show_engines(self._engines.engines, self._engines.selected, self._coming)
        bar = self._page.verdict
        bar.show_launch(self.tr("Launch") if self._has_engines else self.tr("Install engine and launch"))
        if self._has_engines:
            bar.show_note("")

    def _recommended(self, recipe: Recipe) -> None:
        if recipe.platform != self._coming:
            self._coming = recipe.platform
            self._show_engines()
        language = self._desk.speech.language
        note = self.tr("{engine}: about {download} to download, {disk} on disk.")
        self._page.verdict.show_note(
            note.format(
                engine=recipe.title,
                download=figures.gib(recipe.download_bytes, language),
                disk=figures.gib(recipe.disk_bytes, language),
            )
        )

    def _server_changed(self, status: ServerStatus) -> None:
        self._status = status
        if status.state is ServerState.STARTING:
            self._page.starting.progress.hide()
            if status.started_monotonic:
                self._began = status.started_monotonic
            self._tick.start()
        if status.state is ServerState.FAILED and status.error is not None and status.launch_id != self._shown_failure:
            self._shown_failure = status.launch_id
            if status.error.code != "server.cancelled":
                self._show_failure(status.error)
        self._show_time()
        self._arrange()

    def _log_lines(self, lines: LogLines) -> None:
        self._page.log.add(lines)
        self._page.verdict.offer_log()

    def _preflighted(self, event: Preflighted) -> None:
        self._preflight = event.preflight
        careful = [self._words.check(f) for f in event.preflight.findings if f.severity is not Severity.INFO]
        head = "; ".join(line.title for line in careful)
        text = self.tr("Careful: {findings}").format(findings=head) if careful else ""
        self._page.starting.show_careful(text, "\n".join(f"{line.title}. {line.text}" for line in careful))

    def _progress(self, event: Progress) -> None:
        if self._call is not None:
            self._page.starting.show_progress(event)

    def _job_done(self, _event: JobDone) -> None:
        self._page.starting.progress.hide()

    def _arrange(self) -> None:
        """Which of the three cards is in sight follows from the server and the launch under way."""
        state = self._status.state
        if state is ServerState.READY:
            self._tick.stop()
            self._show_ready()
            self._page.show_ready()
        elif state is ServerState.STOPPING and self._call is None:
            self._page.ready.show_stopping(self.tr("Stopping…"))
        elif self._call is not None or state is ServerState.STARTING:
            self._page.show_starting()
        else:
            self._tick.stop()
            self._page.show_options()

    def _show_ready(self) -> None:
        status = self._status
        name = self._model_names.get(status.model, status.model)
        took = status.phases[-1].began_s if status.phases and not status.reattached else 0.0
        if status.reattached:
            note = self.tr("It was kept running when Stowage was closed last time; Stowage is connected to it again.")
        elif took:
            note = self.tr("Ready after {time}.").format(time=figures.clock(took))
        else:
            note = ""
        self._page.ready.show_ready(
            self.tr("{model} is ready").format(model=name), f"http://127.0.0.1:{status.port}/v1", note
        )

    def _show_time(self) -> None:
        elapsed = time.monotonic() - self._began
        starting, speech = self._page.starting, self._desk.speech
        starting.show_elapsed(self._words.elapsed(elapsed, eta(self._status, elapsed)))
        starting.show_steps(steps_of(self._status, elapsed, speech))
        phase = self._status.phase
        starting.show_waits(speech.phase_meaning(phase) if phase is not None else self.tr("Looking before the start…"))

    def _show_failure(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))
        fetch = self._words.fetch(error, offline=self._desk.services.settings.current.hub_offline)
        if fetch is not None:
            self._page.help.show_fixes((fetch,))
            return
        self._page.help.setVisible(self._status.error is not None and self._status.error.code == error.code)

    def _failure_read(self) -> None:
        self._shown_failure = self._status.launch_id
