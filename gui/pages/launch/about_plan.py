"""What the chosen model would take, from what is known before any plan is calculated: the size of its weights, and
the memory set aside for the KV cache. Shown on the budgets while the choices are in sight."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.events import ModelInfo, ModelsChanged, ServerState, ServerStatus
from gui.budget.ghost import GIB, GhostPart, GhostPlan
from gui.desk import Desk
from gui.pages.launch.options import LaunchOptions


class AboutPlan(QObject):
    """`changed` with a `GhostPlan`, or None when there is nothing to show: another page, a server that runs, a model
    of unknown size, or an engine whose memory is a GPU's (what goes where is then for the planner to say)."""

    changed = Signal(object)

    def __init__(self, options: LaunchOptions, desk: Desk) -> None:
        super().__init__(options)
        self._options = options
        self._models: dict[str, ModelInfo] = {}
        self._status = ServerStatus()
        self._in_sight = False
        self._shown: GhostPlan | None = None
        options.changed.connect(self._look)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)

    def page_shown(self, page: str) -> None:
        self._in_sight = page == "launch"
        self._look()

    def _models_changed(self, event: ModelsChanged) -> None:
        self._models = {model.id: model for model in event.models}
        self._look()

    def _server_changed(self, status: ServerStatus) -> None:
        self._status = status
        self._look()

    def _look(self) -> None:
        plan = self._plan()
        if plan != self._shown:
            self._shown = plan
            self.changed.emit(plan)

    def _plan(self) -> GhostPlan | None:
        choice = self._options.choice()
        model = self._models.get(choice.model_id)
        idle = self._status.state in (ServerState.IDLE, ServerState.FAILED)
        if not self._in_sight or not idle or model is None or not model.size_bytes or not self._options.on_cpu:
            return None
        parts = (
            GhostPart("ram", self.tr("weights"), model.size_bytes),
            GhostPart("ram", self.tr("KV cache"), choice.cpu_kv_cache_gib * GIB),
        )
        return GhostPlan(model.name, parts, about=True)
