"""The live plan: the choices, the model's files and each sample of the computer go in; the card, what stands beside the
options, the verdict and the ghosts on the bars come out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from core.checkpoint.architecture import Checkpoint
from core.computer import PROBE_JOB
from core.engine.command import shown_command
from core.engine.options import LaunchRequest
from core.engine.recipes import Recipe
from core.engine_options import Form, notes_of, written_as
from core.events import (
    EngineInfo,
    EnginesChanged,
    EngineState,
    ErrorInfo,
    JobDone,
    MachineChanged,
    ModelInfo,
    ModelsChanged,
    ServerState,
    ServerStatus,
)
from core.machine.probe.result import Probe
from core.planner.levers import Lever
from core.planner.options import NO_LESSONS, Engine, Lessons
from core.planner.plan import Plan
from core.planning.choices import engine_of, pulled
from core.planning.hardware import drives_a_screen, planned_gpu
from core.planning.launch_plan import Basis, NoPlan, levers_of, plan_launch
from core.planning.table_facts import table_facts
from gui.bridge import Call
from gui.budget.ghost import GhostPlan
from gui.budget.terms import BudgetTerms
from gui.budget.views import BudgetViews
from gui.desk import Desk
from gui.pages.launch.launch_spelling import LaunchSpelling
from gui.pages.launch.options import Choice
from gui.pages.launch.page import LaunchPage
from gui.pages.launch.plan_ghost import budgets_of, ghost_of
from gui.pages.launch.plan_view import Consequences
from gui.pages.launch.plan_words import PlanWords

SKELETON_MS = 90
"""A model that is read faster than this is shown without a skeleton in between."""
LEVERS_MS = 120
"""Levers are about ten plans: made when the hand rests."""
GIB = 1 << 30
DESKTOP_GIB, HEADLESS_GIB = 1.0, 0.3


class PlanPresenter(QObject):
    """`plan_changed` with the plan of other choices, or None. `ghost_changed` with a `GhostPlan`, or None when nothing
    is to lie over the bars: another page, a server that runs, no plan. A plan is made on the GUI thread, in about a
    millisecond; reading files is the services' work."""

    plan_changed = Signal(object)
    ghost_changed = Signal(object)

    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._words = PlanWords(desk.speech.language, self)
        self._bars = BudgetViews(BudgetTerms(desk.speech.language, self), self)
        self._models: dict[str, ModelInfo] = {}
        self._status = ServerStatus()
        self._sample: MachineChanged | None = None
        self._probe: Probe | None = None
        self._recipe: Recipe | None = None
        self._read_of = ""
        self._checkpoint: Checkpoint | None = None
        self._failure: ErrorInfo | None = None
        self._reading: Call | None = None
        self._in_sight = False
        self._card = ""
        self._ghost: GhostPlan | None = None
        self._levers: tuple[Lever, ...] = ()
        self._lever_key: object = None
        self._lessons = NO_LESSONS
        self._lessons_of: tuple[str, str] | None = None
        self.plan: Plan | None = None
        self._skeleton = self._timer(SKELETON_MS, page.plan.show_loading)
        self._rest = self._timer(LEVERS_MS, self._show_levers)
        self.spelling = LaunchSpelling(desk, self)
        self.spelling.changed.connect(self._look)
        self._request: LaunchRequest | None = None
        page.options.changed.connect(self._look)
        page.plan.lever_pulled.connect(self._pull)
        page.plan.copy_wanted.connect(self._copy)
        bridge = desk.bridge
        bridge.on(ModelsChanged, self._models_changed, owner=self)
        bridge.on(EnginesChanged, self._engines_changed, owner=self)
        bridge.on(MachineChanged, self._machine_changed, owner=self)
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(JobDone, self._job_done, owner=self)
        page.plan.show_loading()

    def _timer(self, milliseconds: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    # ---- what it hears ---------------------------------------------------------------------------------------------

    def page_shown(self, page: str) -> None:
        self._in_sight = page == "launch"
        if self._in_sight:
            # Files may have changed meanwhile; the services look at their times only.
            self._read_of = ""
        self._look()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._models = {model.id: model for model in event.models}
        self._read_of = ""
        self._look()

    def _engines_changed(self, event: EnginesChanged) -> None:
        if not event.engines and self._recipe is None:
            self._desk.bridge.call(self._desk.services.recommended, owner=self, done=self._recommended)
        self._look()

    def _recommended(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._look()

    def _machine_changed(self, sample: MachineChanged) -> None:
        first, self._sample = self._sample is None, sample
        if first:
            self._fetch_probe()
        gpu = planned_gpu(sample.machine)
        if first or (gpu is not None and gpu.id != self._card):
            self._card = gpu.id if gpu is not None else ""
            self._reach()
            if gpu is not None:
                self._page.options.suggest_free(DESKTOP_GIB if drives_a_screen(sample.machine) else HEADLESS_GIB)
        self._look()

    def _server_changed(self, status: ServerStatus) -> None:
        self._status = status
        self._lessons_of = None  # a launch may have taught something
        self._look()

    def _job_done(self, event: JobDone) -> None:
        if event.job == PROBE_JOB and event.error is None:
            self._fetch_probe()

    def _fetch_probe(self) -> None:
        self._desk.bridge.call(self._desk.services.computer.remembered_probe, owner=self, done=self._probed)

    def _probed(self, probe: Probe | None) -> None:
        self._probe = probe
        self._look()

    # ---- reading the model -----------------------------------------------------------------------------------------

    def _read(self, model_id: str) -> None:
        """The latest wins: what is being read for an earlier choice is dropped."""
        if self._reading is not None:
            self._reading.cancel()
        if self._checkpoint is None or model_id != self._shown_model:
            self._skeleton.start()
        self._read_of, self._failure = model_id, None
        self._reading = self._desk.bridge.call(
            self._desk.services.read_checkpoint, model_id, owner=self, done=self._have_read, failed=self._not_read
        )

    _shown_model = ""

    def _have_read(self, checkpoint: Checkpoint) -> None:
        self._reading, self._failure = None, None
        if checkpoint is not self._checkpoint:
            self._checkpoint = checkpoint
            self._reach()
        self._shown_model = self._read_of
        self._look()

    def _not_read(self, error: ErrorInfo) -> None:
        self._reading, self._checkpoint, self._failure = None, None, error
        self._look()

    def _learn(self, choice: Choice) -> None:
        """What earlier launches of this model on this engine have taught; the plan stands without it until then."""
        engine = self._page.options.engine
        if engine is None or self._sample is None or self._lessons_of == (choice.model_id, engine.id):
            return
        self._lessons_of = choice.model_id, engine.id
        self._desk.bridge.call(
            self._desk.services.launches.lessons, choice.model_id, engine, owner=self, done=self._taught,
            failed=self._not_taught,
        )  # fmt: skip

    def _taught(self, lessons: Lessons) -> None:
        if lessons != self._lessons:
            self._lessons = lessons
            self._look()

    def _not_taught(self, _error: ErrorInfo) -> None:
        self._lessons = NO_LESSONS  # why the model cannot be read is told by its own question

    # ---- the plan --------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        idle = self._status.state in (ServerState.IDLE, ServerState.FAILED)
        if not self._in_sight or not idle or not self._models:
            self._tell_ghost(None)
            return
        choice = self._page.options.choice()
        self._learn(choice)
        if choice.model_id != self._read_of:
            self._read(choice.model_id)
        basis = self._basis()
        if isinstance(basis, Basis):
            self._show_plan(basis, choice)
        else:
            self._show_none(basis)

    def _basis(self) -> Basis | NoPlan:
        """What a plan can rest on now, or why it cannot be made."""
        if self._failure is not None:
            return NoPlan.MODEL
        engine = self._engine()
        # While the same model is looked at again, what is known of it holds: an edit never waits for the disk.
        other = self._reading is not None and self._read_of != self._shown_model
        if self._checkpoint is None or self._sample is None or other or engine is None:
            return NoPlan.READING
        model = self._models.get(self._read_of)
        basis = Basis(
            self._checkpoint,
            engine,
            self._sample.machine,
            self._probe,
            engine_needed=self._page.options.engine is None,
            here=model is not None and model.path is not None,
            lessons=self._lessons,
            disk=self.spelling.known.disk,
        )
        return basis.obstacle() or basis

    def _engine(self) -> Engine | None:
        chosen = self._page.options.engine
        if chosen is not None:
            return engine_of(chosen.version, chosen.platform)
        return engine_of(self._recipe.version, self._recipe.platform) if self._recipe is not None else None

    def _reach(self) -> None:
        """How far the sliders go for this model on this computer."""
        checkpoint, sample = self._checkpoint, self._sample
        if checkpoint is None or sample is None:
            return
        gpu = planned_gpu(sample.machine)
        vram = sample.machine.gpu_budget(gpu)[0].or_none() if gpu is not None else None
        ram = sample.machine.ram.total_bytes.or_none()
        disk = checkpoint.disk
        self._page.options.set_limits(
            context=checkpoint.context.tokens if checkpoint.context.key else 0,
            ram_gib=(ram or 16 * GIB) / GIB,
            vram_gib=(vram or 12 * GIB) / GIB,
            weights_gib=(disk.total_bytes if disk is not None else 8 * GIB) / GIB,
        )

    def _show_plan(self, basis: Basis, choice: Choice) -> None:
        assert self._sample is not None
        self._skeleton.stop()
        plan = self.plan = plan_launch(basis, choice.choices)
        model = self._models.get(choice.model_id)
        name = model.name if model is not None else choice.model_id
        budgets = budgets_of(plan, basis.machine)
        ghost = ghost_of(plan, budgets, name, self._words.parts, about=not basis.checkpoint.known).judged(
            self._sample.ledger
        )
        limit = basis.checkpoint.context
        request = self._request = self._asked(choice, plan, model)
        view = self._words.view(
            plan,
            budgets,
            shown_command(request),
            limit.tokens if limit.key else 0,
            known=basis.checkpoint.known,
        )
        view = replace(view, notes=(*view.notes, *self._notes(request)))
        bars = {bar.id: bar for bar in self._bars.all(self._sample, ghost) if bar.id in budgets.values()}
        self._page.plan.show_plan(view, bars)
        self._page.verdict.show_verdict(view.verdict, view.headline, view.detail)
        self._say(view.consequences)
        self._page.options.tables.show_table(table_facts(plan, basis.disk or basis.machine.disk("models")))
        self._tell_ghost(ghost)
        key = (choice, plan.verdict, basis.checkpoint, self._probe)
        if key != self._lever_key:
            self._lever_key = key
            self._rest.start()
            self.plan_changed.emit(plan)

    def _asked(self, choice: Choice, plan: Plan, model: ModelInfo | None) -> LaunchRequest:
        path = model.path if model is not None and model.path is not None else None
        if path is None:
            name = model.name if model is not None else choice.model_id
            path = str(Path(self._desk.services.paths.models) / name)
        engine = self._page.options.engine or _coming(plan)
        spelling = self.spelling.of(choice.model_id, engine)
        return spelling.request(choice.model_id, path, engine, choice.choices, plan)

    def _notes(self, request: LaunchRequest) -> tuple[str, ...]:
        """Wishes that this build fulfils otherwise or not at all."""
        return tuple(self._desk.speech.explain(note).sentence for note in notes_of(request))

    def _copy(self, form: str) -> None:
        if self._request is not None:
            QGuiApplication.clipboard().setText(written_as(self._request, cast("Form", form)))

    def _say(self, says: Consequences) -> None:
        options = self._page.options
        for row, told in (
            (options.context, says.context),
            (options.requests, says.requests),
            (options.kv, says.kv),
            (options.free, says.free),
            (options.offload, says.offload),
            (options.step, says.step),
        ):
            row.say(told.text, told.meaning)
        options.dtype_says.set_full_text(says.dtype.text)
        options.eager_says.set_full_text(says.eager.text)

    def _show_none(self, why: NoPlan) -> None:
        self.plan = None
        self._tell_ghost(None)
        if why is NoPlan.READING:
            if self._page.verdict.sign.verdict is None:
                self._page.verdict.show_verdict(None, self.tr("Looking at the model and this computer…"))
            return
        self._skeleton.stop()
        self._lever_key = None
        self.plan_changed.emit(None)
        self._page.plan.show_message(self._reason(why))
        self._page.verdict.show_verdict(None, self.tr("No plan for this launch"))
        self._say(Consequences())

    def _reason(self, why: NoPlan) -> str:
        if why is NoPlan.MODEL and self._failure is not None:
            words = self._desk.speech.explain(self._failure)
            return f"{words.sentence} {words.next_step}".strip()
        if why is NoPlan.NO_CARD:
            return self.tr(
                "This engine computes on an NVIDIA graphics card, and none is seen here. Choose a CPU engine, or look "
                "at the notes of this computer in the details of its memory."
            )
        return self.tr("Stowage can plan for CUDA and CPU engines only. You can launch all the same.")

    def _tell_ghost(self, ghost: GhostPlan | None) -> None:
        if ghost != self._ghost:
            self._ghost = ghost
            self.ghost_changed.emit(ghost)

    # ---- levers ----------------------------------------------------------------------------------------------------

    def _show_levers(self) -> None:
        basis = self._basis()
        if not isinstance(basis, Basis) or self.plan is None:
            self._lever_key = None  # the model is being read again: the plan that follows brings them
            return
        self._levers = levers_of(basis, self.plan)
        self._page.plan.show_levers(tuple(self._words.lever(lever, self.plan) for lever in self._levers))

    def _pull(self, place: int) -> None:
        if place < len(self._levers):
            options = self._page.options
            options.take(pulled(options.choice().choices, self._levers[place]))


def _coming(plan: Plan) -> EngineInfo:
    """The engine that would be installed first, for its command line."""
    engine = plan.request.engine
    return EngineInfo("", EngineState.READY, engine.text, engine.platform, "python", "", ours=True)
