"""The file of presets, and the files in which they are handed on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from core.errors import AppError
from core.events import ErrorInfo
from core.profiles.profile import Profile, as_plain, from_plain
from core.versioned_file import Migration, VersionedFile

VERSION: Final = 1
MIGRATIONS: Final[dict[int, Migration]] = {}
FORMAT: Final = "stowage-profiles"
LARGEST_FILE: Final = 4 << 20


class ProfileStore:
    """Owner of the file. `current` is a frozen snapshot of it; `change` is the only way to a new one."""

    def __init__(self, path: Path) -> None:
        self._file = VersionedFile(path, "profiles", VERSION, MIGRATIONS)
        self._unknown: dict[str, Any] = {}
        self._strange: list[Any] = []
        self._current: tuple[Profile, ...] = self._file.load(self._accept) or ()

    @property
    def current(self) -> tuple[Profile, ...]:
        """Read anew where another Stowage wrote the file: the terminal beside the window."""
        if self._file.changed_by_another:
            found = self._file.load(self._accept)
            self._current = self._current if found is None else found
        return self._current

    @property
    def problems(self) -> list[AppError]:
        return self._file.problems

    def change(self, profiles: tuple[Profile, ...]) -> None:
        """Raises: AppError: `profiles.newer`, `profiles.not_saved`; what was there stays."""
        self._file.save(self._unknown | {"profiles": [*map(as_plain, profiles), *self._strange]})
        self._current = profiles

    def _accept(self, raw: dict[str, Any]) -> tuple[Profile, ...]:
        """What is no preset stays in the file as it is."""
        found, self._strange = list[Profile](), []
        listed = raw.pop("profiles", [])
        if not isinstance(listed, list):
            raise TypeError("profiles is no list")
        self._unknown = raw
        for each in cast("list[Any]", listed):
            try:
                profile, notes = from_plain(each)
            except AppError:
                self._strange.append(each)
                continue
            found.append(profile)
            self._file.problems.extend(AppError(note.code, note.detail, **note.facts) for note in notes)
        return tuple(found)


def encoded(profiles: Iterable[Profile]) -> bytes:
    """A file to hand on."""
    document = {"format": FORMAT, "version": VERSION, "profiles": [as_plain(each) for each in profiles]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def decoded(data: bytes) -> tuple[tuple[Profile, ...], tuple[ErrorInfo, ...]]:
    """The presets of a file, and what of them was left out. One preset alone will do.

    Raises:
        AppError: `profiles.unreadable` when there is none in it, `profiles.from_newer` for a later format.
    """
    try:
        raw = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise AppError("profiles.unreadable", str(error), reason=str(error)) from error
    version = raw.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise AppError("profiles.from_newer", found=str(version), known=VERSION)
    listed = raw.get("profiles", [raw] if "choices" in raw else None)
    if not isinstance(listed, list) or not listed:
        raise AppError("profiles.unreadable", reason="no profiles in it")
    found, notes = list[Profile](), list[ErrorInfo]()
    for each in cast("list[Any]", listed):
        profile, left_out = from_plain(each)
        found.append(profile)
        notes.extend(left_out)
    return tuple(found), tuple(notes)
