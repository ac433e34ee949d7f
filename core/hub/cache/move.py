"""Moving the cache to another disk. The old one stays whole and in use until the new one is whole; then the setting is
switched, and a link is left in the old place, so that every other tool finds the models too.

A journal in Stowage's own folder says what is under way. A move that was cancelled or failed takes back what it copied;
one that was killed goes on when the same move is asked for again.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from core.errors import AppError
from core.files import write_whole
from core.hub.cache.space import free_bytes
from core.hub.cache.stoppable import Stopped
from core.hub.cache.tree_copy import PART, Copier, Differs, Inventory, can_link, take_inventory

log = logging.getLogger(__name__)

_ROUNDS: Final = 3
_OLD: Final = ".stowage-moved"


class Journal(msgspec.Struct, frozen=True):
    """`switched`: the new place is the cache now, and only the old copy is left to be removed; `old` is what the old
    folder is called while that happens."""

    source: str
    target: str
    switched: bool = False
    old: str = ""


class Move:
    """Blocking; one at a time, and its steps in this order: `copy`, `switched`, `tidy`; or `take_back` instead of the
    last, when the setting could not be changed."""

    def __init__(self, state: Path) -> None:
        self._path = state / "cache-move.json"

    def unfinished(self) -> Journal | None:
        """The move that was killed, if one was."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Journal)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, UnicodeError) as error:
            log.warning("%s is not used: %s", self._path, error)
            return None

    def copy(self, source: Path, target: Path, advance: Callable[[int], None], stop: threading.Event) -> Journal:
        """Copy and compare everything. The source stays as it is, and after a failure nothing of the target does.

        Raises:
            AppError: `hub.move_*`; Stopped.
        """
        source, target = source.resolve(), target.expanduser().absolute().resolve()
        journal = self.unfinished()
        if journal is not None and (journal.source, journal.target) != (str(source), str(target)):
            self.take_back(journal)
            journal = None
        now = Journal(str(source), str(target))
        try:
            self._prepare(now, resumed=journal is not None)
            self._copy(source, target, advance, stop)
        except (OSError, Differs) as error:
            self.take_back(now)
            raise _failure(error, target) from error
        except (Stopped, AppError):
            self.take_back(now)
            raise
        return now

    def switched(self, journal: Journal) -> Journal:
        """From now on the new place counts, whatever happens."""
        old = f"{journal.source}{_OLD}-{secrets.token_hex(4)}"
        journal = msgspec.structs.replace(journal, switched=True, old=old)
        self._note(journal)
        return journal

    def tidy(self, journal: Journal) -> None:
        """Leave a link in the old place and remove the old copy. What refuses stays and does no harm."""
        source, target, old = Path(journal.source), Path(journal.target), Path(journal.old)
        try:
            if source.is_dir() and not source.is_symlink():
                source.rename(old)
            if not os.path.lexists(source):
                source.symlink_to(target)
        except OSError as error:
            # A mount point, or a folder above it that is not ours: only the bytes go.
            log.warning("no link is left at %s: %s", source, error)
            if source.is_dir() and not source.is_symlink():
                for entry in source.iterdir():
                    _remove(entry)
        _remove(old)
        self._path.unlink(missing_ok=True)

    def take_back(self, journal: Journal) -> None:
        """Remove what was copied, by the names in the source: nothing that somebody else put there."""
        if self.unfinished() is None:
            return
        source, target = Path(journal.source), Path(journal.target)
        found = take_inventory(source)
        for name in (*found.files, *found.links, *found.twins):
            for path in (target / name, target / f"{name}{PART}"):
                if os.path.lexists(path):
                    _remove(path)
        for name in (*reversed(found.folders), "."):
            with suppress(OSError):
                (target / name).rmdir()
        self._path.unlink(missing_ok=True)

    # ---- the copy --------------------------------------------------------------------------------------------------

    def _prepare(self, journal: Journal, *, resumed: bool) -> None:
        """Check the place and begin the journal."""
        source, target = Path(journal.source), Path(journal.target)
        if source == target or target.is_relative_to(source) or source.is_relative_to(target):
            raise AppError("hub.move_inside", path=str(target))
        if not resumed and target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise AppError("hub.move_not_empty", path=str(target))
        copier = Copier(source, target, lambda _: None, threading.Event())
        sizes = {name: told.st_size for name, told in take_inventory(source).files.items()}
        needed = sum(size for name, size in sizes.items() if not copier.is_there(name, os.lstat(source / name)))
        free = free_bytes(target)
        if free is not None and needed > free:
            raise AppError("hub.move_no_space", path=str(target), needed_bytes=needed, free_bytes=free)
        self._note(journal)
        target.mkdir(parents=True, exist_ok=True)
        if not can_link(target):
            raise AppError("hub.move_no_links", path=str(target))

    def _copy(self, source: Path, target: Path, advance: Callable[[int], None], stop: threading.Event) -> None:
        """Another tool may write meanwhile: copy until nothing is new."""
        found = take_inventory(source)
        for _ in range(_ROUNDS):
            Copier(source, target, advance, stop).run(found)
            again = take_inventory(source)
            if _stamps(found) == _stamps(again):
                return
            found = again
        raise AppError("hub.move_changing", path=str(source))

    def _note(self, journal: Journal) -> None:
        write_whole(self._path, msgspec.json.encode(journal))


def bytes_of(folder: Path) -> int:
    """What a copy of the cache has to carry. Raises: AppError: `hub.move_failed`."""
    try:
        return take_inventory(folder.resolve()).total_bytes
    except OSError as error:
        raise _failure(error, folder) from error


def _stamps(found: Inventory) -> object:
    files = {name: (told.st_size, told.st_mtime_ns) for name, told in found.files.items()}
    return files, found.links, found.folders


def _remove(path: Path) -> None:
    try:
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
    except OSError as error:
        log.warning("%s stays: %s", path, error)


def _failure(error: OSError | Differs, target: Path) -> AppError:
    if isinstance(error, Differs):
        return AppError("hub.move_differs", path=str(target), file=str(error))
    return AppError("hub.move_failed", repr(error), path=str(target), reason=error.strerror or str(error))
