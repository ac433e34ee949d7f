"""What the panel beside the chat does: keeps prompt and parameters with the conversation, and presets of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from core.chat.params import DEFAULTS, AtLimit, Params
from core.chat.records import Abilities, ConversationPage, Preset
from core.events import ServerState, ServerStatus
from gui.desk import Desk
from gui.pages.chat.controls import Controls
from gui.pages.chat.current import Current

SAVE_DELAY_MS: Final = 500


class ControlsPresenter(QObject):
    """`abilities_changed` with what the running server takes, None without one; `params_changed` after every change."""

    abilities_changed = Signal(object)
    params_changed = Signal(object)

    def __init__(self, view: Controls, current: Current, desk: Desk) -> None:
        super().__init__(view)
        self._view = view
        self._current = current
        self._desk = desk
        self._conversation = ""
        self._system = ""
        self._params = DEFAULTS
        self._unsaved: set[str] = set()
        self._presets: tuple[Preset, ...] = ()
        self._launch = ""
        self._save_later = QTimer(self)
        self._save_later.setSingleShot(True)
        self._save_later.setInterval(SAVE_DELAY_MS)
        self._save_later.timeout.connect(self._save)
        view.params_changed.connect(self._params_edited)
        view.system_changed.connect(self._system_edited)
        view.save_preset_wanted.connect(self._save_preset)
        view.delete_preset_wanted.connect(self._delete_preset)
        current.opened.connect(self._opened)
        current.refreshed.connect(self._refreshed)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)

    @property
    def params(self) -> Params:
        return self._params

    def load(self) -> None:
        self._desk.bridge.call(self._desk.services.conversations.presets, owner=self, done=self._presets_came)

    def choose_at_limit(self, at_limit: AtLimit) -> None:
        self._params_edited(replace(self._params, at_limit=at_limit))
        self._view.show_conversation(self._system, self._params)

    def end(self) -> None:
        """The services are about to close: keep what was changed."""
        self._save_later.stop()
        self._save()

    def save_then(self, action: Callable[[], None]) -> None:
        """Do `action` once everything here is stored: a question is asked with what stands in the panel."""
        self._save_later.stop()
        self._save(action)

    # ---- the conversation ------------------------------------------------------------------------------------------

    def _opened(self, page: ConversationPage) -> None:
        if self._unsaved:
            self._save_later.stop()
            self._save()
        self._conversation = page.info.id
        self._show(page)

    def _refreshed(self, page: ConversationPage) -> None:
        if not self._unsaved:
            self._show(page)

    def _show(self, page: ConversationPage) -> None:
        self._system, self._params = page.system, page.params
        self._view.show_conversation(page.system, page.params)
        self.params_changed.emit(self._params)

    def _params_edited(self, params: Params) -> None:
        self._params = params
        self._unsaved.add("params")
        self._save_later.start()
        self.params_changed.emit(params)

    def _system_edited(self, text: str) -> None:
        self._system = text
        self._unsaved.add("system")
        self._save_later.start()

    def _save(self, then: Callable[[], None] | None = None) -> None:
        conversations, unsaved = self._desk.services.conversations, sorted(self._unsaved)
        self._unsaved.clear()
        waiting = len(unsaved)
        if not waiting and then is not None:
            then()

        def saved(_nothing: Any) -> None:
            nonlocal waiting
            waiting -= 1
            if not waiting and then is not None:
                then()

        for part in unsaved:
            if part == "params":
                self._current.do(conversations.set_params, self._conversation, self._params, done=saved)
            else:
                self._current.do(conversations.set_system, self._conversation, self._system, done=saved)

    # ---- presets ---------------------------------------------------------------------------------------------------

    def _presets_came(self, presets: tuple[Preset, ...], chosen: str = "") -> None:
        self._presets = presets
        self._view.show_presets(presets, chosen)

    def _save_preset(self, name: str) -> None:
        known = next((preset.id for preset in self._presets if preset.name == name), "")
        preset = Preset(name, self._system, self._params, known)
        self._desk.bridge.call(
            self._desk.services.conversations.save_preset, preset, owner=self, done=self._preset_saved
        )

    def _preset_saved(self, saved: Preset) -> None:
        others = [preset for preset in self._presets if preset.id != saved.id]
        presets = tuple(sorted([*others, saved], key=lambda preset: preset.name.casefold()))
        self._presets_came(presets, saved.id)

    def _delete_preset(self, preset_id: str) -> None:
        def done(_nothing: object) -> None:
            self._presets_came(tuple(preset for preset in self._presets if preset.id != preset_id))

        self._desk.bridge.call(self._desk.services.conversations.delete_preset, preset_id, owner=self, done=done)

    # ---- the server ------------------------------------------------------------------------------------------------

    def _server_changed(self, status: ServerStatus) -> None:
        if status.state is not ServerState.READY:
            self._launch = ""
            self._abilities_came(None)
        elif status.launch_id != self._launch:
            self._launch = status.launch_id
            self._desk.bridge.call(self._desk.services.conversations.abilities, owner=self, done=self._abilities_came)

    def _abilities_came(self, abilities: Abilities | None) -> None:
        self._view.show_abilities(abilities)
        self.abilities_changed.emit(abilities)
