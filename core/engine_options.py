"""What an engine accepts, and a launch in its words: the verbs behind the options of the Launch page, the table on the
Engines page and `stowage command`."""

from __future__ import annotations

import asyncio
import logging
import platform
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal

from core.engine.build import Build, guessed, of_capabilities
from core.engine.capabilities.difference import Difference, difference
from core.engine.capabilities.model import Capabilities
from core.engine.capabilities.store import CapabilityStore
from core.engine.command import sheet_of
from core.engine.extra_args import MAY_BE_WRONG, check_extra
from core.engine.found.translate import Found, translate
from core.engine.option_values import check_values
from core.engine.options import LaunchRequest, Traits, Tuning
from core.engine.ple_plugin import plugin_folder
from core.engine.written_command import as_shell, as_unit, as_yaml
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo
from core.machine.host import wsl_version
from core.paths import Paths
from core.planning.choices import Choices
from core.planning.option_facts import refused_tables
from core.planning.plans import Plans
from core.planning.spelling import Spelling
from core.planning.traits import traits_of

log = logging.getLogger(__name__)

Form = Literal["shell", "yaml", "unit"]
FindEngine = Callable[[str | None], Awaitable[EngineInfo]]


@dataclass(frozen=True, slots=True)
class Written:
    """A launch as text. `notes`: wishes that this build fulfils otherwise or not at all, options that it ignores."""

    text: str
    notes: tuple[ErrorInfo, ...]


class EngineOptions:
    """Lives on the loop's thread. `find` turns an engine's id, or None for the default, into the engine; `own_cache`
    tells where the settings say that the Hub's models lie, "" for the usual place."""

    def __init__(self, paths: Paths, plans: Plans, find: FindEngine, own_cache: Callable[[], str]) -> None:
        self._store = CapabilityStore(paths)
        self.cache = paths.cache
        self._plans = plans
        self._find = find
        self._own_cache = own_cache

    async def capabilities(self, engine_id: str | None = None) -> Capabilities:
        """Everything that the engine's source says; the first time half a second, then at once.

        Raises:
            AppError: `engine.none`, `engine.unknown`, `engine.no_vllm`, `engine.unreadable`.
        """
        return await self._store.of(await self._find(engine_id))

    async def architectures(self, engine: EngineInfo) -> frozenset[str] | None:
        """The architectures that the engine's registry knows; None where its source cannot be read."""
        known = await self.known(engine)
        return frozenset(found.name for found in known.architectures) if known is not None else None

    async def known(self, engine: EngineInfo) -> Capabilities | None:
        """As `capabilities`, None where the source cannot be read: then the version decides, and a launch goes on."""
        try:
            return await self._store.of(engine)
        except AppError as error:
            log.info("the options of %s are taken from its version: %s", engine.id, error)
            return None

    async def compare(self, old_id: str, new_id: str) -> Difference:
        """What changes for a person who goes from one engine to another. Raises as `capabilities`."""
        return difference(await self.capabilities(old_id), await self.capabilities(new_id))

    async def read_flags(self, text: str, engine_id: str | None = None) -> Found:
        """A command line or YAML that somebody found, in the terms of the engine.

        Raises:
            AppError: `option.unreadable_text`, and as `capabilities`.
        """
        # A long paste of what is no option costs seconds of likening names.
        return await asyncio.to_thread(translate, text, await self.capabilities(engine_id))

    async def spelling(self, model_id: str, engine_id: str | None = None) -> Spelling:
        """What besides the choices decides how a launch is written.

        Raises:
            AppError: `engine.none`, `engine.unknown`.
        """
        return await self._spelling(model_id, await self._find(engine_id))

    async def check_tables(self, model_id: str, engine_id: str | None, choices: Choices) -> None:
        """Before a person waits for a launch whose tables cannot lie where they were asked to by name.

        Raises:
            AppError: `engine.*`, `option.*`.
        """
        engine = await self._find(engine_id)
        known = await self._spelling(model_id, engine)
        build = known.build or guessed(engine.version, engine.platform)
        error = refused_tables(build, known.traits, choices.more)
        if error is not None:
            raise error

    async def request(
        self,
        model_id: str,
        path: str,
        engine: EngineInfo,
        choices: Choices,
        tuning: Tuning | None = None,
        *,
        anyway: bool = False,
    ) -> LaunchRequest:
        """The launch of `choices`. Without a `tuning` it is planned with the memory that is free now; `anyway` leaves
        the last word on values and extra arguments to vLLM where that may know better.

        Raises:
            AppError: `option.*` for a value or an extra argument that the build would refuse.
        """
        known = await self._spelling(model_id, engine)
        if tuning is None:
            tuning = (await self._plans.prepare(model_id, engine, choices)).tuning
        if engine.platform == "cpu":
            # It does nothing there; kept so that the person is told.
            tuning = replace(tuning, cpu_offload_gib=choices.offload_gib)
        request = known.request(model_id, path, engine, choices)
        request = replace(request, tuning=tuning)
        if known.build is not None and known.build.capabilities is not None:
            try:
                request = checked(request, known.build.capabilities)
            except AppError as error:
                if not (anyway and error.code in MAY_BE_WRONG):
                    raise
        return request

    async def _spelling(self, model_id: str, engine: EngineInfo) -> Spelling:
        traits = await self._traits(model_id)
        wsl = wsl_version(platform.release()) == 2
        build = await self._build(engine)
        known = Spelling(traits, build, wsl, hub_cache=self._own_cache())
        if traits.tables != "per_layer":
            return known
        return replace(known, plugins=await self._plugins(), disk=await self._plans.disk_of(model_id))

    async def _plugins(self) -> str:
        """Where the plugin lies that moves a model's table."""
        try:
            return str(await asyncio.to_thread(plugin_folder, self.cache))
        except OSError as error:
            log.warning("the plugin for per-layer tables cannot be written: %s", error)
            return ""

    async def _traits(self, model_id: str) -> Traits:
        """None known where the checkpoint cannot be read: vLLM has the last word on it."""
        try:
            checkpoint = await self._plans.read(model_id)
            folder = await self._plans.path_of(model_id)
        except AppError as error:
            log.info("the traits of %s are not known: %s", model_id, error)
            return Traits()
        return await asyncio.to_thread(traits_of, checkpoint, folder)

    async def written(
        self, model: str, engine_id: str | None = None, choices: Choices | None = None, form: Form = "shell"
    ) -> Written:
        """The launch as a shell line, as YAML for `--config` or as a systemd user unit; nothing is started.

        Raises:
            AppError: as `capabilities` and `request`.
        """
        engine = await self._find(engine_id)
        model_id, path = await self._plans.served(model)
        chosen = choices or Choices()
        prepared = await self._plans.prepare(model_id, engine, chosen)
        request = await self.request(model_id, path, engine, chosen, prepared.tuning)
        notes = notes_of(request)
        if prepared.plan is not None and prepared.plan.refused:
            notes += (ErrorInfo.of(AppError("preflight.refused", reason=prepared.plan.refused)),)
        return Written(written_as(request, form), notes)

    async def _build(self, engine: EngineInfo) -> Build | None:
        known = await self.known(engine)
        return of_capabilities(known) if known is not None else None


def written_as(request: LaunchRequest, form: Form) -> str:
    """For use without Stowage. Pure."""
    return {"shell": as_shell, "yaml": as_yaml, "unit": as_unit}[form](request)


def notes_of(request: LaunchRequest) -> tuple[ErrorInfo, ...]:
    """What a person should know about this launch before it begins."""
    sheet = sheet_of(request)
    known = request.build.capabilities if request.build is not None else None
    ignored = [
        ErrorInfo.of(AppError("option.ignored", noop.id, flag=argument.flag, version=known.version))
        for argument in sheet.arguments
        if known is not None and (noop := known.ignored(argument.flag)) and noop.id in _WHOLLY_IGNORED
    ]
    return (*sheet.notes, *ignored)


# The other no-ops concern a part of an option, or are mended by the way it is written.
_WHOLLY_IGNORED = frozenset(("offload_cpu_build", "sleep_cpu_build", "swap_space", "says_so"))


def checked(request: LaunchRequest, capabilities: Capabilities) -> LaunchRequest:
    """The request with the extra arguments in full (`-tp 2` is no name that `--config` knows). Pure.

    Raises:
        AppError: `option.*`: a value or an extra argument that the build would refuse.
    """
    plain = replace(request, options=replace(request.options, extra=()))
    ours = sheet_of(plain).arguments
    for argument in ours:
        option = capabilities.option(argument.flag)
        if option is not None:
            check_values(argument, option)
    extra = check_extra(request.options.extra, capabilities, [argument.flag for argument in ours])
    words = tuple(word for argument in extra for word in argument.words)
    return replace(request, options=replace(request.options, extra=words))
