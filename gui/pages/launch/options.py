"""The choices of a launch: model, engine, and the options that decide memory and speed, each with its consequence."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QGridLayout, QLabel, QWidget

from core.engine.build import Build
from core.engine.options import LaunchOptions as More
from core.engine.options import Traits
from core.events import EngineInfo, ModelInfo
from core.planning.choices import Choices
from core.planning.option_facts import FLAGS, VARIABLES, option_facts
from core.settings import Settings
from gui import figures
from gui.pages.launch import scales
from gui.pages.launch.more.fields import PickField
from gui.pages.launch.more.form import MoreForm
from gui.pages.launch.profile_bar import ProfileBar
from gui.pages.launch.prompt_cache_row import PromptCacheRow
from gui.pages.launch.tables_row import TablesRow
from gui.pages.launch.tuning_row import FIELD_WIDTH
from gui.pages.launch.tuning_rows import TuningRows
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column, row
from gui.widgets.fold import Fold
from gui.widgets.one_line import TwoLines
from gui.widgets.texts import plain
from gui.words import Speech

_OF_THE_COMPUTER = ("cpu_threads", "cpu_reserved", "log_level", "log_requests", "env")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the form says. `engine_id` None: none is installed yet."""

    model_id: str
    engine_id: str | None
    choices: Choices = field(default_factory=Choices)


class LaunchOptions(QFrame):
    """`model_chosen` with the id the user picked; `changed` when `choice` did; `refitted` before it with the choices
    until now when only what the engine accepts is another. `free_wished`: a person said how much to leave free."""

    model_chosen = Signal(str)
    changed = Signal()
    refitted = Signal(object)

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self.setProperty("card", "true")
        # Figures are typed as they are read: with the language's separators.
        self.setLocale(figures.locale_of(speech.language))
        self._speech = speech
        self._engines: tuple[EngineInfo, ...] = ()
        self.free_wished = False
        self._model, self._engine = CalmComboBox(), CalmComboBox()
        self._dtype_field = PickField(
            "kvDtypeBox", ((self.tr("the model's own"), "auto"), (self.tr("8 bits (FP8)"), "fp8"))
        )
        self._dtype = self._dtype_field.widget
        self._grids: list[QGridLayout] = []
        self.profile = ProfileBar()
        self.prompt_cache, self.tables = PromptCacheRow(self, speech), TablesRow(self, speech)
        self.more = MoreForm(speech, self._grid)
        self._eager = QCheckBox(self.tr("Faster start"))
        self._dtype_label = plain(self.tr("KV cache kept in"), wrap=False)
        self.dtype_says, self.eager_says = TwoLines("quiet"), TwoLines("quiet")
        self._rows = TuningRows(self)
        self.context, self.requests, self.step = self._rows.context, self._rows.requests, self._rows.step
        self.kv, self.free, self.offload = self._rows.kv, self._rows.free, self._rows.offload
        self._name_parts()
        self._build()
        self.set_limits()

    def _name_parts(self) -> None:
        parts: tuple[tuple[QWidget, str, str, str], ...] = (
            (self._model, "modelBox", self.tr("Model"), self.tr("The model to run")),
            (self._engine, "engineBox", self.tr("Engine"), self.tr("The installed vLLM that runs it")),
            (
                self._dtype,
                "kvDtypeBox",
                self.tr("KV cache kept in"),
                self.tr("8 bits take half the memory of 16 and cost a little precision in long conversations."),
            ),
            (
                self._eager,
                "eagerBox",
                self.tr("Faster start"),
                self.tr("Leaves out compiling: the server is ready sooner and writes somewhat more slowly."),
            ),
        )
        for widget, name, meaning, hint in parts:
            widget.setObjectName(name)
            widget.setAccessibleName(meaning)
            widget.setToolTip(hint)
            widget.setMinimumHeight(FIELD_HEIGHT)
        for box in (self._model, self._engine):
            box.view().setAccessibleName(box.accessibleName())
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._model.setMinimumContentsLength(20)
        self._engine.setMinimumContentsLength(14)
        self._dtype_field.describe(self.tr("KV cache kept in"), self._dtype.toolTip())
        self._dtype.setFixedWidth(FIELD_WIDTH)
        self.dtype_says.setObjectName("kvDtypeBoxSays")
        self.eager_says.setObjectName("eagerBoxSays")

    def _build(self) -> None:
        self._model.activated.connect(self._model_activated)
        self._model.currentIndexChanged.connect(self._model_changed)
        self._engine.currentIndexChanged.connect(self._engine_changed)
        self._dtype_field.changed.connect(self.changed)
        for part in (self.prompt_cache, self.tables, self.more):
            part.changed.connect(self.changed)
        self._eager.toggled.connect(self.changed)
        self.free.changed.connect(self._wish_free)
        for tuning in self._rows.all:
            tuning.changed.connect(self.changed)
        what = row(spacing=2 * STEP)
        for text, box, share in ((self.tr("Model"), self._model, 3), (self.tr("Engine"), self._engine, 2)):
            label: QLabel = plain(text, wrap=False)
            label.setBuddy(box)
            what.addWidget(label)
            what.addWidget(box, share)
        grid = self._grid()
        for place, tuning in enumerate((self.context, self.requests, self.kv, self.free, self.offload)):
            tuning.place(grid, place)
        self.prompt_cache.place(grid, 5)
        self.tables.place(grid, 8)
        self.more.add_usual(self._usual(), " ".join(self._usual_words()))
        # The columns of all grids stand below each other.
        for part in self._grids:
            part.setColumnMinimumWidth(0, self._label_width())
        layout = column(self, spacing=2 * STEP, margin=2 * STEP)
        layout.addLayout(what)
        layout.addWidget(self.profile)
        layout.addLayout(grid)
        layout.addWidget(Fold(self.tr("More options"), self.more, "moreOptions"))

    def _usual(self) -> QWidget:
        """The seldom options that the plan has something to say about."""
        usual = QWidget()
        inside = self._grid(usual)
        self.step.place(inside, 0)
        inside.addWidget(self._dtype_label, 1, 0)
        inside.addWidget(self._dtype, 1, 2)
        inside.addWidget(self.dtype_says, 1, 3)
        inside.addWidget(self._eager, 2, 0, 1, 2)
        inside.addWidget(self.eager_says, 2, 3)
        return usual

    def _usual_words(self) -> list[str]:
        flags = [FLAGS[name] for name in ("max_num_batched_tokens", "kv_cache_dtype", "enforce_eager")]
        return [self.step.label.text(), self._dtype_label.text(), self._eager.text(), *flags]

    def _grid(self, parent: QWidget | None = None) -> QGridLayout:
        grid = QGridLayout() if parent is None else QGridLayout(parent)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * STEP)
        grid.setVerticalSpacing(STEP)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(3, 3)
        grid.setColumnMinimumWidth(2, FIELD_WIDTH)
        self._grids.append(grid)
        return grid

    def _label_width(self) -> int:
        labels = [
            *(tuning.label for tuning in self._rows.all),
            *(part.label for part in (self.prompt_cache, self.tables)),
            *self.more.labels,
            self._dtype_label,
        ]
        return max(label.sizeHint().width() for label in labels)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_models(self, models: tuple[ModelInfo, ...], chosen: str) -> None:
        with QSignalBlocker(self._model):
            self._model.clear()
            for model in models:
                if model.error is None:
                    self._model.addItem(model.name, model.id)
            self._model.setCurrentIndex(max(0, self._model.findData(chosen)))
        self.changed.emit()

    def show_engines(self, engines: tuple[EngineInfo, ...], selected: str | None, platform: str) -> None:
        """`platform` of the engine that would be installed where there is none."""
        self._engines = engines
        self._coming = platform
        with QSignalBlocker(self._engine):
            self._engine.clear()
            for engine in engines:
                self._engine.addItem(self._speech.engine(engine), engine.id)
            place = self._engine.findData(selected)
            self._engine.setCurrentIndex(max(0, place) if engines else -1)
        self._engine.setEnabled(bool(engines))
        self._engine.setPlaceholderText(self.tr("none installed yet"))
        self._engine_changed()

    def show_settings(self, settings: Settings) -> None:
        self.context.set_value(settings.context_tokens or 0)
        self._eager.setChecked(settings.enforce_eager)
        self.kv.set_value(settings.cpu_kv_cache_gib)
        self.requests.set_value(settings.max_num_seqs or 0)
        self.step.set_value(settings.max_num_batched_tokens or 0)
        if settings.leave_free_gib is not None:
            self.free.set_value(settings.leave_free_gib)

    def suggest_free(self, gib: float) -> None:
        """What is usually left alone on the card, as long as nobody wished for another figure."""
        if not self.free_wished:
            self.free.set_value(gib)
            self.free_wished = False

    def _wish_free(self) -> None:
        self.free_wished = True

    def set_limits(
        self, context: int = 0, ram_gib: float = 16.0, vram_gib: float = 12.0, weights_gib: float = 8.0
    ) -> None:
        """How far the sliders reach; the fields take more."""
        self.context.set_stops(scales.contexts(context or scales.USUAL_LIMIT))
        self.requests.set_stops(scales.REQUESTS)
        self.step.set_stops(scales.STEP_TOKENS)
        self.kv.set_stops(scales.steps(1, max(4, min(64, int(ram_gib))), 1))
        self.free.set_stops(scales.steps(0, max(1.0, min(8.0, int(vram_gib / 3))), 0.1))
        self.offload.set_stops(scales.steps(0, max(0.25, int(weights_gib * 4) / 4), 0.25))

    def choose_model(self, model_id: str) -> None:
        place = self._model.findData(model_id)
        if place >= 0:
            self._model.setCurrentIndex(place)

    def choose_other_engine(self) -> None:
        """Bring the list of engines to the person's hand."""
        self._engine.setFocus()
        self._engine.showPopup()

    def take(self, choices: Choices) -> None:
        """Set every field at once, also what cannot be had now; `changed` comes once, if anything is different."""
        before = self.choice()
        self.blockSignals(True)
        self.context.set_value(choices.context or 0)
        self.requests.set_value(choices.max_num_seqs or 0)
        self.step.set_value(choices.max_num_batched_tokens or 0)
        self.kv.set_value(choices.cpu_kv_cache_gib)
        self.offload.set_value(choices.offload_gib)
        # A launch on the processor has no wish about the card.
        if choices.leave_free_gib is not None and not self.on_cpu:
            self.free.set_value(choices.leave_free_gib)
        self._dtype_field.set_value(choices.kv_cache_dtype)
        self._eager.setChecked(choices.enforce_eager)
        self.prompt_cache.set_value(choices.more.prompt_cache)
        self.tables.set_value(choices.more.ple)
        self.more.take(choices.more)
        self.blockSignals(False)
        if self.choice() != before:
            self.changed.emit()

    def choice(self) -> Choice:
        return Choice(
            str(self._model.currentData() or "starter"),
            self._engine.currentData(),
            Choices(
                context=int(self.context.value) or None,
                enforce_eager=self._eager.isChecked(),
                cpu_kv_cache_gib=int(self.kv.value),
                max_num_seqs=int(self.requests.value) or None,
                max_num_batched_tokens=int(self.step.value) or None,
                kv_cache_dtype=str(self._dtype_field.value),
                offload_gib=self.offload.value,
                leave_free_gib=self.free.value,
                more=self.more.options(More(prompt_cache=self.prompt_cache.value, ple=self.tables.value)),
            ),
        )

    def show_build(self, build: Build, traits: Traits) -> None:
        """What the engine accepts for this model: values, words, and what cannot be had. `changed` comes once."""
        before = self.choice().choices
        self.blockSignals(True)
        facts = {name: option_facts(name, build, traits) for name in (*FLAGS, *VARIABLES)}
        self._dtype_field.set_values(facts["kv_cache_dtype"].values)
        self.prompt_cache.show_facts(facts["prompt_cache"])
        self.tables.show_build(build, traits, facts["ple"])
        self.more.show_facts(facts)
        self.blockSignals(False)
        self.refitted.emit(before)
        self.changed.emit()

    def name_of(self, option: str) -> str:
        """What the page calls an option, "" where it has none."""
        rows = {
            "context": self.context, "max_num_seqs": self.requests, "max_num_batched_tokens": self.step,
            "offload_gib": self.offload, "prompt_cache": self.prompt_cache, "ple": self.tables,
        }  # fmt: skip
        if option in rows:
            return rows[option].label.text()
        own = {"kv_cache_dtype": self._dtype_label.text(), "enforce_eager": self._eager.text()}
        return own.get(option) or self.more.name_of(option)

    @property
    def engine(self) -> EngineInfo | None:
        """The chosen one; None while none is installed."""
        chosen = self._engine.currentData()
        return next((engine for engine in self._engines if engine.id == chosen), None)

    @property
    def on_cpu(self) -> bool:
        """Whether the chosen engine, or the one that would be installed, computes on the processor."""
        platform = self._coming if self.engine is None else self.engine.platform
        return platform in ("cpu", "")

    _coming = "cpu"

    def _engine_changed(self) -> None:
        cpu = self.on_cpu
        self.kv.set_visible(cpu)
        for tuning in (self.free, self.offload):
            tuning.set_visible(not cpu)
        for widget in (self._dtype_label, self._dtype, self.dtype_says):
            widget.setVisible(not cpu)
        self.changed.emit()

    def _model_changed(self) -> None:
        # How much of one model is kept in RAM says nothing about another, nor does what was chosen seldom.
        # Told at the end only: what the form says in between is nobody's choice.
        self.blockSignals(True)
        self.offload.set_value(0)
        more = self.choice().choices.more
        self.more.take(More(**{name: getattr(more, name) for name in _OF_THE_COMPUTER}))
        self.tables.set_value("auto")
        self.blockSignals(False)
        self.changed.emit()

    def _model_activated(self) -> None:
        self.model_chosen.emit(str(self._model.currentData()))
