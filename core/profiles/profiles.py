"""The verbs about profiles: what a model was launched with last, presets, files of them. `services.profiles`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.engine.capabilities.model import Capabilities
from core.engine.found.translate import Remark
from core.errors import AppError
from core.events import ErrorInfo
from core.files import write_whole
from core.ledger.record import LaunchRecord
from core.paths import Paths
from core.planning.choices import Choices
from core.profiles.fitting import fitted
from core.profiles.plain import of_plain
from core.profiles.profile import Profile, clean_name, with_profile
from core.profiles.store import LARGEST_FILE, ProfileStore, decoded, encoded

LastGood = Callable[[str], Awaitable[LaunchRecord | None]]
Build = Callable[[str | None], Awaitable[Capabilities]]
# What belongs to one model and means nothing for another; a preset for any model is saved without it.
_OF_ONE_MODEL: Final = ("loras", "speculative", "chat_template", "served_name", "max_lora_rank")


@dataclass(frozen=True, slots=True)
class Recalled:
    """Choices of earlier, as the present engine takes them. `began_at` Unix seconds of the launch, None for a preset;
    `remarks`: what of it changed because of the engine; `notes`: what could not be read."""

    choices: Choices
    began_at: float | None = None
    engine: str = ""
    remarks: tuple[Remark, ...] = ()
    notes: tuple[ErrorInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    names: tuple[str, ...]
    notes: tuple[ErrorInfo, ...]


class Profiles:
    """Lives on the loop's thread. `last_good` the newest launch of a model that became ready; `build` what an engine
    accepts."""

    def __init__(self, paths: Paths, last_good: LastGood, build: Build) -> None:
        self._store = ProfileStore(paths.profiles_file)
        self._last_good = last_good
        self._build = build

    @property
    def problems(self) -> list[AppError]:
        return self._store.problems

    async def last(self, model_id: str, engine_id: str | None = None) -> Recalled | None:
        """What `model_id` was launched with when it last went well; None: never yet."""
        record = await self._last_good(model_id)
        if record is None:
            return None
        read = of_plain(record.choices)
        known = record.identity
        recalled = await self._fitted(read.choices, engine_id)
        return replace(recalled, began_at=record.began_at, engine=known.engine, notes=read.notes)

    async def all(self, model_id: str | None = None) -> tuple[Profile, ...]:
        """Those of a model first, then those for any; None: all of them."""
        found = self._store.current
        if model_id is None:
            return found
        own = [each for each in found if each.model == model_id]
        return (*own, *(each for each in found if not each.model))

    async def find(self, name: str, model_id: str = "") -> Profile:
        """The one of a model goes before the one for any. Raises: AppError: `profiles.unknown`."""
        found = await self.all(model_id)
        wanted = clean_name(name).casefold()
        for each in found:
            if each.name.casefold() == wanted:
                return each
        raise AppError("profiles.unknown", name=name, known=", ".join(each.name for each in found) or None)

    async def recall(self, name: str, model_id: str = "", engine_id: str | None = None) -> Recalled:
        """A preset as the engine takes it. Raises: AppError: `profiles.unknown`."""
        return await self.fit(await self.find(name, model_id), engine_id)

    async def fit(self, profile: Profile, engine_id: str | None = None) -> Recalled:
        """The same for a preset at hand."""
        return replace(await self._fitted(profile.choices, engine_id), engine=profile.engine)

    async def save(self, name: str, choices: Choices, model_id: str = "", engine: str = "") -> Profile:
        """Under a name, over what had it.

        Args:
            model_id: "" for any model: then what belongs to one is left out.

        Raises:
            AppError: `profiles.no_name`, `profiles.newer`, `profiles.not_saved`.
        """
        kept = choices if model_id else _general(choices)
        before = next((p for p in self._store.current if p.key == (model_id, clean_name(name).casefold())), None)
        unknown = before.unknown if before is not None else {}
        profile = Profile(clean_name(name), kept, model_id, engine, unknown)
        self._store.change(with_profile(self._store.current, profile))
        return profile

    async def remove(self, name: str, model_id: str = "") -> None:
        """Raises: AppError: `profiles.unknown`, `profiles.not_saved`."""
        gone = await self.find(name, model_id)
        self._store.change(tuple(each for each in self._store.current if each.key != gone.key))

    async def export(self, path: str, names: tuple[Profile, ...] | None = None) -> None:
        """Write presets into a file to hand on; None: all of them. Raises: AppError: `profiles.not_written`."""
        data = encoded(self._store.current if names is None else names)
        try:
            await asyncio.to_thread(write_whole, Path(path), data)
        except OSError as error:
            reason = error.strerror or str(error)
            raise AppError("profiles.not_written", str(error), path=path, reason=reason) from error

    async def import_file(self, path: str) -> Imported:
        """Take the presets of a file in, over those of the same name.

        Raises:
            AppError: `profiles.unreadable`, `profiles.from_newer`, `profiles.no_name`, `profiles.not_saved`.
        """
        found, notes = decoded(await asyncio.to_thread(_read, Path(path)))
        profiles = self._store.current
        for each in found:
            profiles = with_profile(profiles, each)
        self._store.change(profiles)
        return Imported(tuple(each.name for each in found), notes)

    async def _fitted(self, choices: Choices, engine_id: str | None) -> Recalled:
        """As they are where the engine's source cannot be read: a launch says then what it refuses."""
        try:
            fits = fitted(choices, await self._build(engine_id))
        except AppError:
            return Recalled(choices)
        return Recalled(fits.choices, remarks=fits.remarks)


def _general(choices: Choices) -> Choices:
    own = Choices().more
    return replace(choices, more=replace(choices.more, **{name: getattr(own, name) for name in _OF_ONE_MODEL}))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise AppError("profiles.unreadable", str(error), reason=error.strerror or str(error)) from error
    if len(data) > LARGEST_FILE:
        raise AppError("profiles.unreadable", reason="too large for profiles")
    return data
