"""What is asked beside the messages: system prompt, sampling, form of the answer, thinking, adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from core.chat.params import DEFAULTS, Params
from core.chat.records import Abilities, Preset
from gui.pages.chat.output_form import OutputForm
from gui.pages.chat.sampling import Sampling
from gui.pages.chat.system_prompt import SystemPrompt
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain

WIDTH = 344


class Controls(QFrame):
    """`params_changed` with the new parameters, `system_changed` with the new prompt; both on every edit."""

    params_changed = Signal(object)
    system_changed = Signal(str)
    save_preset_wanted = Signal(str)
    delete_preset_wanted = Signal(str)

    def __init__(self, language: str) -> None:
        super().__init__()
        self.setObjectName("chatControls")
        self.setProperty("strip", "controls")
        self.setFixedWidth(WIDTH)
        self._params = DEFAULTS
        self._abilities: Abilities | None = None
        self._quiet = False
        self.prompt = SystemPrompt()
        self._sampling = Sampling(language)
        self._output = OutputForm()
        self._reset = button(self.tr("Reset"), "resetParamsButton", kind="small")
        self._reset.setToolTip(self.tr("Back to the model's own values"))
        self._thinking = CalmComboBox(shrinks=True)
        self._effort = CalmComboBox(shrinks=True)
        self._adapter = CalmComboBox(shrinks=True)
        self._build()
        self._connect()

    def _build(self) -> None:
        inside = QWidget()
        body = column(inside, spacing=STEP)
        body.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        body.addWidget(heading(self.tr("System prompt")))
        body.addWidget(self.prompt)
        self._thinking_part = self._choice(self._thinking, "thinkingChoice", self.tr("Thinking before the answer"))
        for value, words in (
            (None, self.tr("As the model likes")),
            (True, self.tr("Think first")),
            (False, self.tr("Answer at once")),
        ):
            self._thinking.addItem(words, value)
        self._effort_part = self._choice(self._effort, "effortChoice", self.tr("Thinking effort"))
        self._adapter_part = self._choice(self._adapter, "adapterChoice", self.tr("LoRA adapter"))
        for part in (self._thinking_part, self._effort_part, self._adapter_part):
            body.addWidget(part)
            part.hide()
        body.addSpacing(STEP)
        body.addWidget(heading(self.tr("Sampling")))
        body.addWidget(self._sampling)
        body.addWidget(self._reset)
        body.addSpacing(STEP)
        body.addWidget(heading(self.tr("Form of the answer")))
        body.addWidget(self._output)
        body.addStretch(1)
        column(self).addWidget(scrolled(inside))

    def _choice(self, box: CalmComboBox, name: str, words: str) -> QWidget:
        box.setObjectName(name)
        box.setFixedHeight(FIELD_HEIGHT)
        box.setAccessibleName(words)
        part = QWidget()
        inside = column(part, spacing=STEP // 2)
        inside.addWidget(plain(words))
        inside.addWidget(box)
        return part

    def _connect(self) -> None:
        self.prompt.edited.connect(self._system_edited)
        self.prompt.preset_chosen.connect(self._preset_chosen)
        self.prompt.save_wanted.connect(self.save_preset_wanted)
        self.prompt.delete_wanted.connect(self.delete_preset_wanted)
        self._sampling.edited.connect(self._edited)
        self._output.edited.connect(self._edited)
        for box in (self._thinking, self._effort, self._adapter):
            box.activated.connect(self._edited)
        self._reset.clicked.connect(self._reset_clicked)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    @property
    def params(self) -> Params:
        return self._params

    def show_conversation(self, system: str, params: Params) -> None:
        self._params = params
        self.prompt.show_text(system)
        self._show_params()

    def show_abilities(self, abilities: Abilities | None) -> None:
        """What the running server takes; None without one."""
        self._abilities = abilities
        self._thinking_part.setVisible(abilities is not None and abilities.thinking)
        self._effort_part.setVisible(abilities is not None and bool(abilities.efforts))
        self._adapter_part.setVisible(abilities is not None and bool(abilities.adapters))
        if abilities is not None:
            self._fill(self._effort, self.tr("As the model likes"), abilities.efforts)
            self._fill(self._adapter, self.tr("None: the model itself"), abilities.adapters)
        self._show_params()

    def show_presets(self, presets: Sequence[Preset], chosen: str = "") -> None:
        self.prompt.show_presets(presets, chosen)

    def _show_params(self) -> None:
        defaults: dict[str, Any] = self._abilities.defaults if self._abilities is not None else {}
        self._sampling.show_params(self._params, defaults)
        self._output.show_params(self._params)
        for box, value in (
            (self._thinking, self._params.thinking),
            (self._effort, self._params.effort),
            (self._adapter, self._params.adapter),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))

    def _fill(self, box: CalmComboBox, none: str, values: tuple[str, ...]) -> None:
        box.clear()
        box.addItem(none, None)
        for value in values:
            box.addItem(value, value)

    # ---- hands -----------------------------------------------------------------------------------------------------

    def _edited(self) -> None:
        params = self._output.apply_to(self._sampling.apply_to(self._params))
        # What the running server does not offer stays as it was chosen for another one.
        if not self._thinking_part.isHidden():
            params = replace(params, thinking=self._thinking.currentData())
        if not self._effort_part.isHidden():
            params = replace(params, effort=self._effort.currentData())
        if not self._adapter_part.isHidden():
            params = replace(params, adapter=self._adapter.currentData())
        if params != self._params:
            self._params = params
            self.params_changed.emit(params)

    def _reset_clicked(self) -> None:
        self._params = replace(DEFAULTS, at_limit=self._params.at_limit, adapter=self._params.adapter)
        self._show_params()
        self.params_changed.emit(self._params)

    def _system_edited(self) -> None:
        self.system_changed.emit(self.prompt.text)

    def _preset_chosen(self, preset: Preset) -> None:
        self.prompt.take_text(preset.system)
        self._params = preset.params
        self._show_params()
        self.params_changed.emit(self._params)
