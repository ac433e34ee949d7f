"""What the trial of an engine uses of the rest of the product."""

from __future__ import annotations

from core.engine.options import LaunchRequest
from core.engine.supervisor import Supervisor
from core.engines import Helpers
from core.events import EngineInfo, ModelInfo
from core.models import STARTER, Models
from core.planning.choices import of_settings
from core.planning.plans import Plans
from core.settings import SettingsStore


def trial_helpers(models: Models, plans: Plans, settings: SettingsStore, supervisor: Supervisor) -> Helpers:
    """The starter, and the model used last where it fits."""

    async def starter(engine: EngineInfo) -> ModelInfo:
        return await models.prepare(await models.resolve(STARTER), engine)

    async def own(engine: EngineInfo) -> LaunchRequest | None:
        now = settings.current
        return await plans.fitting_request(now.last_model, engine, of_settings(now))

    return Helpers(starter, own, lambda: supervisor.status.model if supervisor.running else None)
