"""The few choices of a launch: model, engine, context, faster start, memory for the KV cache."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QFrame, QSpinBox

from core.events import EngineInfo, ModelInfo
from core.settings import Settings
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column, row
from gui.widgets.texts import quiet
from gui.words import Speech

CONTEXT_STEP = 256
MOST_CONTEXT = 1_048_576
MOST_KV_GIB = 512


@dataclass(frozen=True, slots=True)
class Choice:
    """What the form says. `max_model_len` None: the model's own context."""

    model_id: str
    engine_id: str | None
    max_model_len: int | None
    enforce_eager: bool
    cpu_kv_cache_gib: int


class LaunchOptions(QFrame):
    """`launch_wanted` with a `Choice`; `model_chosen` with the id the user picked; `changed` when `choice` did."""

    launch_wanted = Signal(object)
    model_chosen = Signal(str)
    changed = Signal()

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._speech = speech
        self._engines: tuple[EngineInfo, ...] = ()
        self._model = QComboBox()
        self._engine = QComboBox()
        self._context = QSpinBox()
        self._eager = QCheckBox(self.tr("Faster start"))
        self._kv = QSpinBox()
        self._kv_label = quiet(self.tr("KV cache"), wrap=False)
        self._note = quiet()
        self._launch = button(self.tr("Launch"), "launchButton", kind="primary")
        self._name_parts()
        self._build()

    def _name_parts(self) -> None:
        parts = (
            (self._model, "modelBox", self.tr("Model"), self.tr("The model to run")),
            (self._engine, "engineBox", self.tr("Engine"), self.tr("The installed vLLM that runs it")),
            (
                self._context,
                "contextBox",
                self.tr("Context, in tokens"),
                self.tr("How many tokens question and answers may have together. More context needs more memory."),
            ),
            (
                self._eager,
                "eagerBox",
                self.tr("Faster start"),
                self.tr("Leaves out compiling: the server is ready sooner and writes somewhat more slowly."),
            ),
            (
                self._kv,
                "kvBox",
                self.tr("KV cache, in GiB"),
                self.tr("Memory (RAM) set aside for the conversation: keys and values of every token in context."),
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
            box.setMinimumContentsLength(24)
        self._context.setRange(0, MOST_CONTEXT)
        self._context.setSingleStep(CONTEXT_STEP)
        self._context.setSpecialValueText(self.tr("the model's own"))
        self._context.setGroupSeparatorShown(True)
        self._context.setSuffix(self.tr(" tokens"))
        self._kv.setRange(1, MOST_KV_GIB)
        self._kv.setSuffix(self.tr(" GiB"))

    def _build(self) -> None:
        self._model.activated.connect(self._model_activated)
        self._model.currentIndexChanged.connect(self.changed)
        self._engine.currentIndexChanged.connect(self._engine_changed)
        self._kv.valueChanged.connect(self.changed)
        self._launch.clicked.connect(self._launch_clicked)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * STEP)
        form.setVerticalSpacing(STEP)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.addRow(quiet(self.tr("Model"), wrap=False), self._model)
        form.addRow(quiet(self.tr("Engine"), wrap=False), self._engine)
        line = row(spacing=2 * STEP)
        line.addWidget(self._context)
        line.addWidget(self._kv_label)
        line.addWidget(self._kv)
        line.addWidget(self._eager)
        line.addStretch(1)
        form.addRow(quiet(self.tr("Context"), wrap=False), line)
        layout = column(self, spacing=2 * STEP, margin=2 * STEP)
        layout.addLayout(form)
        bottom = row(spacing=2 * STEP)
        bottom.addWidget(self._launch)
        bottom.addWidget(self._note, 1)
        layout.addLayout(bottom)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_models(self, models: tuple[ModelInfo, ...], chosen: str) -> None:
        with QSignalBlocker(self._model):
            self._model.clear()
            for model in models:
                if model.error is None:
                    self._model.addItem(model.name, model.id)
            place = self._model.findData(chosen)
            self._model.setCurrentIndex(max(0, place))
        self.changed.emit()

    def show_engines(self, engines: tuple[EngineInfo, ...], selected: str | None) -> None:
        self._engines = engines
        with QSignalBlocker(self._engine):
            self._engine.clear()
            for engine in engines:
                self._engine.addItem(self._speech.engine(engine), engine.id)
            place = self._engine.findData(selected)
            self._engine.setCurrentIndex(max(0, place) if engines else -1)
        self._engine.setEnabled(bool(engines))
        self._engine.setPlaceholderText(self.tr("none installed yet"))
        self._engine_changed()
        installs = not engines
        retext(self._launch, self.tr("Install engine and launch") if installs else self.tr("Launch"))

    def show_settings(self, settings: Settings) -> None:
        self._context.setValue(settings.context_tokens or 0)
        self._eager.setChecked(settings.enforce_eager)
        self._kv.setValue(settings.cpu_kv_cache_gib)

    def show_note(self, text: str) -> None:
        self._note.setText(text)

    def choose_model(self, model_id: str) -> None:
        place = self._model.findData(model_id)
        if place >= 0:
            self._model.setCurrentIndex(place)

    def choice(self) -> Choice:
        return Choice(
            str(self._model.currentData() or "starter"),
            self._engine.currentData(),
            self._context.value() or None,
            self._eager.isChecked(),
            self._kv.value(),
        )

    @property
    def on_cpu(self) -> bool:
        """Whether the chosen engine, or the one that would be installed, computes on the processor."""
        chosen = self._engine.currentData()
        return not self._engines or any(e.id == chosen and e.platform in ("cpu", "") for e in self._engines)

    def _engine_changed(self) -> None:
        self._kv.setVisible(self.on_cpu)
        self._kv_label.setVisible(self.on_cpu)
        self.changed.emit()

    def _model_activated(self) -> None:
        self.model_chosen.emit(str(self._model.currentData()))

    def _launch_clicked(self) -> None:
        self.launch_wanted.emit(self.choice())
