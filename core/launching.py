"""From a click to a ready server: the engine, the model, the look before it, the plan, the start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace

from core.care import Care
from core.engine.command import HOST
from core.engine.endpoint import Endpoint
from core.engine.options import LaunchRequest
from core.engine.sharing import EVERYWHERE, Where
from core.engine.spelling.spell import build_of
from core.engine.spelling.tables import plugin_obstacle, plugin_place
from core.engine.supervisor import Supervisor
from core.engine_options import EngineOptions
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.fetching import Fetching, source_of
from core.hub.hub import Hub
from core.launches import Launches
from core.models import Models
from core.planning.choices import Choices
from core.planning.plans import Plans
from core.preflight.finding import Consent
from core.settings import Settings

Find = Callable[[str | None], Awaitable[EngineInfo]]
Install = Callable[[], Awaitable[EngineInfo]]
Verify = Callable[[str], Awaitable[EngineInfo]]


def where_of(settings: Settings, port: int | None, share: bool | None) -> Where:
    """Where a launch answers: `port` 0 is any free one; None of either is the setting."""
    port = settings.server_port if port is None else port
    shared = settings.share if share is None else share
    return Where(port or None, EVERYWHERE if shared else HOST, settings.api_key)


@dataclass(frozen=True, slots=True)
class EngineVerbs:
    """`find` an engine by id, None for the default; `install` the fitting one; `verify` one that was never tried."""

    find: Find
    install: Install
    verify: Verify


@dataclass(frozen=True, slots=True)
class Launching:
    """Everyone that a launch needs, in the order in which it needs them."""

    supervisor: Supervisor
    models: Models
    engines: EngineVerbs
    launches: Launches
    plans: Plans
    options: EngineOptions
    hub: Hub
    care: Care
    announce_models: Callable[[], Awaitable[None]]
    fetching: Fetching

    async def run(
        self, model_id: str, engine_id: str | None, choices: Choices, where: Where, *, install: bool, consent: Consent
    ) -> Endpoint:
        """Raises: AppError: `server.busy`, `preflight.*`, `option.*`, or what engine, model or server failed with."""
        if self.supervisor.running:
            raise AppError("server.busy", model=self.supervisor.status.model)
        if consent.fetch:
            await self.fetching.get(model_id, await self._engine(engine_id, install=install))
        model = await self.models.resolve(model_id)
        engine = await self._engine(engine_id, install=install)
        prepared = await self.models.prepare(model, engine)
        if prepared != model:
            await self.announce_models()
        assert prepared.path is not None
        await self.launches.clear_for(prepared, engine, choices, where.port, consent)
        plan = await self.plans.prepare(prepared.id, engine, choices)
        request = await self.options.request(
            prepared.id, prepared.path, engine, choices, plan.tuning, anyway=consent.everything
        )
        self._refuse_tables(request)
        extra = (*request.extra_args, *await self.hub.launch_arguments(prepared.path))
        resident = plan.plan.weights.bytes if plan.plan is not None else None
        known = {"expected": plan.expected, "resident_bytes": resident, "source": source_of(prepared.id)}
        request = replace(request, extra_args=extra, **known, **asdict(where))
        self.launches.about_to_start(request, choices, plan)
        return await self.supervisor.start(self.care.prepared(request))

    def _refuse_tables(self, request: LaunchRequest) -> None:
        """A per-layer table that has to stay on the card is why a launch would not fit: say so before it begins.

        Raises:
            AppError: `option.tables_*`, `app.data_not_writable`.
        """
        error = plugin_obstacle(request.traits, build_of(request), request.options)
        if error is not None:
            raise error
        wanted = request.traits.tables == "per_layer" and plugin_place(request.options) != "gpu"
        if wanted and not request.plugins:
            raise AppError("app.data_not_writable", path=str(self.options.cache), reason=None)

    async def _engine(self, engine_id: str | None, *, install: bool) -> EngineInfo:
        try:
            engine = await self.engines.find(engine_id)
        except AppError as error:
            if error.code != "engine.none" or not install:
                raise
            return await self.engines.install()
        if engine.state is EngineState.UNVERIFIED:
            engine = await self.engines.verify(engine.id)
        if engine.state is EngineState.BROKEN and engine.error is not None:
            raise AppError(
                "engine.broken", engine.error.detail, engine=engine.id, reason=engine.error.facts.get("reason")
            )
        return engine
