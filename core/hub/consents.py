"""Whose program code may run: by repository and commit, never more, in one file of the user's."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Final

import msgspec

from core.errors import AppError
from core.files import write_whole
from core.hub.cache.layout import is_commit, repo_of

log = logging.getLogger(__name__)

FILE_NAME: Final = "remote_code.json"


class _Consent(msgspec.Struct, frozen=True):
    """`given_at`: Unix time."""

    repo_id: str
    commit: str
    given_at: float = 0.0


class Consents:
    """Owner of the file. A file that cannot be read allows nothing."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    def allows(self, repo_id: str, commit: str) -> bool:
        return any(consent.repo_id == repo_id and consent.commit == commit for consent in self._read())

    def change(self, repo_id: str, commit: str, *, allowed: bool) -> None:
        """Raises: AppError: `settings.not_saved`; `hub.bad_reference` for a revision that is no commit."""
        if allowed and not is_commit(commit):
            # A branch may hold other code tomorrow.
            raise AppError("hub.bad_reference", text=f"{repo_id}@{commit}")
        kept = [consent for consent in self._read() if (consent.repo_id, consent.commit) != (repo_id, commit)]
        if allowed:
            kept.append(_Consent(repo_id, commit, time.time()))
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self._path, msgspec.json.encode(kept))
        except OSError as error:
            reason = error.strerror or str(error)
            raise AppError("settings.not_saved", repr(error), path=str(self._path), reason=reason) from error

    def arguments(self, path: str) -> tuple[str, ...]:
        """What a launch of the snapshot at `path` adds: `--trust-remote-code` where its code was allowed, else nothing.

        A folder outside the cache belongs to no commit, so nothing can have been allowed for it.
        """
        folder = Path(path)
        repo_id = repo_of(folder.parent.parent.name) if folder.parent.name == "snapshots" else None
        if repo_id is None or not self.allows(repo_id, folder.name):
            return ()
        return ("--trust-remote-code",)

    def _read(self) -> list[_Consent]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[_Consent])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.MsgspecError, UnicodeError) as error:
            log.warning("consents cannot be read: %s", error)
            return []
