"""The product without a window: every verb that the window and the command line offer.

Lives on one asyncio loop. Verbs raise `AppError`; state changes are heard as events on `bus`.
"""

from __future__ import annotations

import logging
from typing import Any

from core.care import Care
from core.chat.conversation import Conversation
from core.chat.params import Params
from core.checkpoint.architecture import Checkpoint
from core.computer import Computer, ComputerOptions
from core.computer_verbs import ComputerVerbs
from core.engine.endpoint import Endpoint
from core.engine.environments import Environments
from core.engine.precise import Precise, PreciseMode
from core.engine.recipes import Recipe
from core.engine.supervisor import Supervisor
from core.engine_options import EngineOptions
from core.engine_records import HalfInstall
from core.engines import Engines
from core.errors import AppError
from core.events import (
    EngineInfo,
    ErrorInfo,
    EventBus,
    ModelInfo,
    Notice,
    ServerStatus,
)
from core.experiment.run import Experiments
from core.fetching import Fetching
from core.hub.cache.service import Cache
from core.hub.ground import Grounds
from core.hub.hub import Hub
from core.hub.in_use import models_in_use
from core.hub.places import own_cache
from core.instance import Instance
from core.jobs import LAUNCH_JOB, PRECISE_JOB, Jobs
from core.launches import Launches
from core.launching import EngineVerbs, Launching, where_of
from core.ledger.launches import LaunchLedger
from core.models import Models
from core.paths import Paths
from core.planner.plan import Plan
from core.planning.choices import Choices, of_settings
from core.planning.plans import Plans
from core.preflight.finding import NO_CONSENT, Consent
from core.profiles.profiles import Profiles
from core.settings import Settings, SettingsStore
from core.talk import chat_service, conversations
from core.trial_helpers import trial_helpers

log = logging.getLogger(__name__)


class Services:
    """Owner of every service. `open` before the first verb, `close` at the end; nothing of ours runs after it.

    `computer`, `engines`, `hub`, `profiles` and the others without an underscore have verbs of their own.
    """

    def __init__(
        self,
        paths: Paths,
        settings: SettingsStore,
        bus: EventBus,
        instance: Instance | None = None,
        computer: ComputerOptions | None = None,
    ) -> None:
        self.paths = paths
        self.settings = settings
        self.bus = bus
        self._instance = instance
        self._jobs = Jobs()
        self._supervisor = Supervisor(paths, bus)
        self._engines = Environments(paths, settings, bus, in_use=self._engine_in_use)
        cache = Cache(paths, settings, bus)
        cache.add_user(lambda: models_in_use(paths))
        self._models = Models(paths, settings, bus, cache=cache)
        cache.add_listener(self._models.announce)
        self._chat = chat_service(bus, self._supervisor, lambda: self.care.rouse())
        self.conversations = conversations(paths, settings, bus, self._chat, self._supervisor, self._models)
        self._computer = Computer(paths, bus, self._supervisor, self._engines, computer, models=lambda: cache.folder)
        self.computer = ComputerVerbs(self._computer, self._jobs)
        ledger = LaunchLedger(paths.launch_history)
        self._plans = Plans(self._models, self._computer, PreciseMode(paths), ledger)
        self.experiments = Experiments(self)
        self.options = EngineOptions(paths, self._plans, self._find_engine, lambda: own_cache(settings.current))
        self.launches = Launches(paths, ledger, bus, self._supervisor, self._computer, self._plans, self.options.known)
        self._grounds = Grounds(self._computer, self._engines)
        helpers = trial_helpers(self._models, self._plans, settings, self._supervisor)
        self.engines = Engines(paths, bus, self._engines, self._jobs, helpers)
        self.profiles = Profiles(paths, self.launches.last_good, self.options.capabilities)
        self.hub = Hub(paths, settings, bus, self._grounds, cache, registry=self.options.architectures)
        fetching = Fetching(self.hub, self._models, settings, bus)
        told = self.launches.about_to_start_fixed
        self.care = Care(bus, self._supervisor, self._computer, settings, self._jobs, told, None, fetching)
        self._launching = Launching(
            self._supervisor,
            self._models,
            EngineVerbs(self._find_engine, self.install_engine, self.verify_engine),
            self.launches,
            self._plans,
            self.options,
            self.hub,
            self.care,
            self._models.announce,
            fetching,
        )

    # ---- life ------------------------------------------------------------------------------------------------------

    async def open(self, *, reattach: bool = True) -> None:
        """Say what there is, and take back a server that was kept running.

        Raises:
            AppError: `app.data_not_writable`.
        """
        self.paths.ensure()
        if self._instance is not None:
            await self._instance.listen(self.bus)
        self._computer.open()
        for problem in (*self.settings.problems, *self.profiles.problems):
            self.bus.emit(Notice(ErrorInfo.of(problem)))
        for half in await self._announce_engines():
            self.bus.emit(Notice(ErrorInfo.of(AppError("engine.half_installed", engine=half.title))))
        await self._models.announce()
        await self.hub.open()
        await self.launches.open()
        if reattach:
            try:
                await self._supervisor.reattach()
            except AppError as error:
                self.bus.emit(Notice(ErrorInfo.of(error)))
        self.bus.emit(self._supervisor.status)

    async def clean_up(self) -> None:
        """End what a crashed Stowage left running; kept servers and those of other living copies stay."""
        await self._supervisor.clean_up()

    async def close(self, keep_server: bool = False) -> None:
        """End all work. The server ends too, unless it is to be kept and is ready."""
        await self.experiments.close()
        await self._jobs.close()
        await self.hub.close()
        await self.conversations.close()
        await self._chat.close()
        if keep_server:
            await self._supervisor.keep()
        await self._supervisor.close()
        await self.launches.close()
        await self._computer.close()
        if self._instance is not None:
            await self._instance.close()

    async def cancel_job(self, job: str) -> None:
        await self._jobs.cancel(job)

    async def change_settings(self, **values: Any) -> Settings:
        await self.hub.check_wishes(values)
        settings = self.settings.change(**values)
        await self.hub.wishes_changed(values)
        return settings

    # ---- engines ---------------------------------------------------------------------------------------------------

    async def list_engines(self) -> tuple[EngineInfo, ...]:
        return await self._engines.list()

    async def default_engine(self) -> EngineInfo:
        """The engine a launch would take. Raises `AppError` `engine.none`."""
        return await self._engines.default()

    async def recommended(self) -> Recipe:
        return await self._engines.recommend()

    async def install_engine(self, recipe_id: str | None = None) -> EngineInfo:
        recipe = (await self._engines.resolve(recipe_id)).id
        return await self._engine_job(recipe, self._engines.install(recipe))

    async def repair_engine(self, engine_id: str) -> EngineInfo:
        return await self._engine_job(engine_id, self._engines.repair(engine_id))

    async def verify_engine(self, engine_id: str) -> EngineInfo:
        return await self._engine_job(engine_id, self._engines.verify(engine_id))

    async def add_engine(self, path: str) -> EngineInfo:
        engine = await self._engines.add_own(path)
        await self._announce_engines()
        return engine

    async def remove_engine(self, engine_id: str) -> int:
        """Bytes that became free."""
        return await self._engine_job(engine_id, self._engines.remove(engine_id))

    async def select_engine(self, engine_id: str) -> None:
        await self._engines.select(engine_id)
        await self._announce_engines()

    async def _engine_job(self, engine_id: str, work: Any) -> Any:
        """Engine work, one at a time per engine, after which everyone hears the new list."""
        try:
            return await self._jobs.run(
                f"engine:{engine_id}",
                work,
                busy=AppError("engine.busy", engine=engine_id, pid=None),
                cancelled=AppError("install.cancelled", engine=engine_id),
            )
        finally:
            await self._announce_engines()

    async def _announce_engines(self) -> tuple[HalfInstall, ...]:
        """Tell what there is; gives what is half installed."""
        snapshot = await self._engines.snapshot()
        self.bus.emit(snapshot)
        return snapshot.halves

    def _engine_in_use(self, engine_id: str) -> bool:
        serves = self._supervisor.status.engine == engine_id and self._supervisor.running
        return serves or self.engines.in_trial(engine_id)

    # ---- models ----------------------------------------------------------------------------------------------------

    async def list_models(self) -> tuple[ModelInfo, ...]:
        return await self._models.list()

    async def find_model(self, spec: str) -> ModelInfo:
        """What a person means by `spec`; see `Models.resolve`. Raises `AppError` `model.*`."""
        return await self._models.resolve(spec)

    async def add_model_folder(self, path: str) -> ModelInfo:
        return await self._models.add_folder(path)

    async def model_path(self, model_id: str) -> str:
        """The folder of a model that is here; "" for the starter before it is made.

        Raises:
            AppError: `model.*`.
        """
        return (await self._models.resolve(model_id)).path or ""

    async def forget_model(self, model_id: str) -> None:
        await self._models.forget(model_id)

    async def read_checkpoint(self, model_id: str) -> Checkpoint:
        """What a plan needs of a model: its config and the headers of its files, read again only when they changed.

        Raises:
            AppError: `model.*` when the folder is gone or cannot be read.
        """
        return await self._plans.read(model_id)

    async def check_plan(self, model_id: str, engine_id: str, plan: Plan) -> Precise:
        """vLLM's own answer to the question behind `plan`. Cancelling this ends it, and so does a newer question.

        Raises:
            AppError: `engine.unknown`, `model.*`, `precise.*`.
        """
        await self._jobs.cancel(PRECISE_JOB)
        return await self._jobs.run(
            PRECISE_JOB,
            self._plans.check(model_id, await self._find_engine(engine_id), plan),
            busy=AppError("precise.cancelled"),
            cancelled=AppError("precise.cancelled"),
        )

    async def plan(self, model_id: str, engine_id: str | None = None, choices: Choices | None = None) -> Plan | None:
        """The plan of a launch on this computer as it is now; None where nothing can be planned.

        Raises:
            AppError: `engine.none`, `engine.unknown`, `model.*`.
        """
        return await self._plans.plan(model_id, await self._find_engine(engine_id), choices or Choices())

    async def suggest(self, model_id: str, engine_id: str | None = None) -> Choices | None:
        """What to launch a model with here, on the engine that is or would be installed; None where nothing can be
        planned. Raises `AppError` `engine.unknown`, `model.*`."""
        return await self._plans.suggest(model_id, await self._grounds.now(engine_id), self.settings.current)

    # ---- the server ------------------------------------------------------------------------------------------------

    async def launch(
        self,
        model_id: str,
        engine_id: str | None = None,
        *,
        max_model_len: int | None = None,
        enforce_eager: bool | None = None,
        cpu_kv_cache_gib: int | None = None,
        port: int | None = None,
        share: bool | None = None,
        install_engine: bool = False,
        choices: Choices | None = None,
        consent: Consent = NO_CONSENT,
    ) -> Endpoint:
        """From a click to a ready server: find or install the engine, make or check the model, start.

        `None` means the setting; `choices` are all of them at once. `port` 0 takes a free one; `share`: let other
        computers reach it; `consent`: findings of the look before it that may not stop it.

        Raises:
            AppError: `server.busy` while a launch or a server runs, `server.cancelled` after `cancel_launch`,
                `preflight.*` what would make it fail, or what the engine, the model or the server failed with.
        """
        settings = self.settings.current
        chosen = choices or of_settings(settings, max_model_len, enforce_eager, cpu_kv_cache_gib)
        where = where_of(settings, port, share)
        work = self._launching.run(model_id, engine_id, chosen, where, install=install_engine, consent=consent)
        return await self._jobs.run(
            LAUNCH_JOB,
            work,
            busy=AppError("server.busy", model=self._supervisor.status.model),
            cancelled=AppError("server.cancelled", phase=None),
        )

    async def _find_engine(self, engine_id: str | None) -> EngineInfo:
        if engine_id is None:
            return await self._engines.default()
        engines = await self._engines.list()
        for engine in engines:
            if engine.id == engine_id:
                return engine
        raise AppError("engine.unknown", engine=engine_id, known=", ".join(e.id for e in engines))

    async def cancel_launch(self) -> None:
        await self._jobs.cancel(LAUNCH_JOB)

    async def stop_server(self) -> None:
        await self.conversations.stop()
        await self._chat.stop()
        await self._supervisor.stop()

    def log_tail(self) -> tuple[str, ...]:
        return self._supervisor.log_tail()

    @property
    def server_status(self) -> ServerStatus:
        return self._supervisor.status

    @property
    def endpoint(self) -> Endpoint | None:
        return self._supervisor.endpoint

    # ---- chat ------------------------------------------------------------------------------------------------------

    async def ask(
        self,
        conversation: Conversation,
        answer_id: str,
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> None:
        """Begin an answer; `ChatDelta` and one `ChatDone` with `answer_id` follow.

        Raises:
            AppError: `chat.no_server`, `chat.busy`, `chat.empty`.
        """
        self._chat.start_answer(
            answer_id,
            conversation.to_api(),
            Params(max_tokens=max_tokens or self.settings.current.max_answer_tokens, temperature=temperature),
        )
