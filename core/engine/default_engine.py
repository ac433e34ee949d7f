"""Which engine a launch takes: the settings `engine` and `previous_engine`, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.settings import SettingsStore

_USABLE = (EngineState.READY, EngineState.UNVERIFIED)


class DefaultEngine:
    """The only writer of the two settings."""

    def __init__(self, settings: SettingsStore) -> None:
        self._settings = settings

    @property
    def selected(self) -> str | None:
        return self._settings.current.engine

    @property
    def previous(self) -> str | None:
        return self._settings.current.previous_engine

    def of(self, engines: Sequence[EngineInfo]) -> EngineInfo:
        """The selected engine, else the newest usable release that failed no trial. `engines` newest first.

        Raises:
            AppError: `engine.none`; `engine.broken` when the selected one is.
        """
        selected = next((engine for engine in engines if engine.id == self.selected), None)
        if selected is not None and selected.state is EngineState.BROKEN:
            facts = selected.error.facts if selected.error else {}
            raise AppError("engine.broken", engine=selected.id, reason=facts.get("reason"))
        if selected is not None and selected.state is not EngineState.INSTALLING:
            return selected
        for engine in engines:
            if engine.state in _USABLE and engine.trusted:
                return engine
        raise AppError("engine.none")

    def choose(self, engine_id: str, engines: Sequence[EngineInfo]) -> None:
        """Make it the default, and remember the one before it. Raises: AppError: `settings.*`."""
        before = self._now(engines)
        if before != engine_id:
            self._settings.change(engine=engine_id, previous_engine=before)
        elif self.selected != engine_id:
            self._settings.change(engine=engine_id)

    def hold(self, engines: Sequence[EngineInfo]) -> None:
        """Say out loud which engine is the default, before a newer one appears that nobody chose."""
        before = self._now(engines)
        if self.selected is None and before is not None:
            self._settings.change(engine=before)

    def roll_back(self, engines: Sequence[EngineInfo]) -> str:
        """Back to the engine before; again, and it is forward. Costs one write of a small file.

        Raises:
            AppError: `engine.no_previous` when there is none or it is gone or broken.
        """
        previous = next((engine for engine in engines if engine.id == self.previous), None)
        if previous is None or previous.state not in _USABLE:
            raise AppError("engine.no_previous")
        self.choose(previous.id, engines)
        return previous.id

    def forget(self, engine_id: str) -> None:
        """An engine is gone."""
        if self.selected == engine_id:
            self._settings.change(engine=None)
        if self.previous == engine_id:
            self._settings.change(previous_engine=None)

    def _now(self, engines: Sequence[EngineInfo]) -> str | None:
        try:
            return self.of(engines).id
        except AppError:
            return self.selected
