"""The whole cache as a value: repositories, commits, what is missing, what a deletion frees, what belongs to nobody."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.events import ErrorInfo
from core.hub.cache import sizes
from core.hub.cache.layout import SHARED, SHARED_MARK, is_commit, is_model
from core.hub.cache.locks import is_held, is_held_by_hub
from core.hub.cache.on_disk import Partial, RepoOnDisk, read_repo
from core.hub.cache.records import Hashed, Hashes, Uses, looked_up
from core.hub.cache.space import free_bytes
from core.hub.cache.whole import Wholeness, wholeness
from core.hub.model import CachedRepo, CachedRevision, CacheState

log = logging.getLogger(__name__)

ORPHAN_AGE_S: Final = 3600.0
"""An unfinished file that nobody wrote to for so long belongs to nobody, if nobody holds it either."""


@dataclass(frozen=True, slots=True)
class InUse:
    """Repositories that somebody of ours works with: `busy` must not be deleted, `claimed` have unfinished files that a
    download wants to go on with."""

    busy: frozenset[str] = frozenset()
    claimed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scan:
    """What was read, and the value made of it. `loadable`: "repo@commit" of what is a checkpoint of its own."""

    state: CacheState
    repos: Mapping[str, RepoOnDisk] = field(default_factory=dict[str, RepoOnDisk])
    loadable: frozenset[str] = frozenset()


def scan(folder: Path, in_use: InUse, uses: Uses, hashes: Hashes) -> Scan:
    """Blocking; a cache that is not there is an empty one."""
    folder = folder.resolve()
    repos, warnings = _read(folder)
    used, hashed, twice = uses.all(), hashes.all(), sizes.duplicates(repos)
    loadable: set[str] = set()
    cached: list[CachedRepo] = []
    for repo in repos:
        last_used = max(used.get(repo.repo_id, 0.0), _last_read(repo))
        cached.append(
            CachedRepo(
                repo_id=repo.repo_id,
                path=repo.path,
                size_bytes=sizes.size_of(repo),
                last_used=last_used,
                revisions=_revisions(repo, repos, hashed, loadable),
                partial_bytes=sum(file.size for file in repo.partial),
                freed_bytes=sizes.freed_by_repo(repo, repos),
                duplicate_bytes=twice[repo.repo_id],
                in_use=repo.repo_id in in_use.busy,
            )
        )
    orphans = find_orphans(repos, in_use)
    state = CacheState(
        folder=str(folder),
        repos=tuple(sorted(cached, key=lambda repo: repo.repo_id.lower())),
        size_bytes=_total(folder, repos),
        free_bytes=free_bytes(folder),
        orphans=tuple(file.path for file in orphans),
        orphan_bytes=sum(file.size for file in orphans),
        warnings=warnings,
    )
    return Scan(state, {repo.repo_id: repo for repo in repos}, frozenset(loadable))


def _revisions(
    repo: RepoOnDisk, repos: tuple[RepoOnDisk, ...], hashed: dict[str, Hashed], loadable: set[str]
) -> tuple[CachedRevision, ...]:
    found: list[CachedRevision] = []
    for commit in sorted(repo.snapshots, key=lambda commit: order(repo, commit)):
        seen = wholeness(repo, commit) if is_model(repo.repo_id) else Wholeness((), {}, loadable=False)
        at, damaged = looked_up(hashed, repo.repo_id, commit, repo.snapshots[commit])
        if seen.loadable:
            loadable.add(f"{repo.repo_id}@{commit}")
        found.append(
            CachedRevision(
                commit=commit,
                refs=repo.refs.get(commit, ()),
                path=repo.snapshot_path(commit),
                size_bytes=sizes.size_of_commit(repo, commit),
                freed_bytes=sizes.freed_by_commit(repo, commit, repos),
                missing=seen.missing,
                damaged=tuple(dict.fromkeys((*seen.damaged, *damaged))),
                verified=at,
            )
        )
    return tuple(found)


def find_orphans(repos: tuple[RepoOnDisk, ...], in_use: InUse) -> tuple[Partial, ...]:
    """Unfinished files that no download of ours wants and nobody works on."""
    return tuple(
        file
        for repo in repos
        if repo.repo_id not in in_use.claimed | in_use.busy and not repo.linked
        for file in old_partials(repo.partial)
        if not is_held_by_hub(repo.path, file.path)
    )


def old_partials(partial: Iterable[Partial]) -> tuple[Partial, ...]:
    """Those that nobody holds and nobody wrote to for `ORPHAN_AGE_S`."""
    old = time.time() - ORPHAN_AGE_S
    return tuple(file for file in partial if file.modified < old and not is_held(file.path))


def _read(folder: Path) -> tuple[tuple[RepoOnDisk, ...], tuple[ErrorInfo, ...]]:
    repos: list[RepoOnDisk] = []
    warnings: list[ErrorInfo] = []
    try:
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return (), ()
    except OSError as error:
        return (), (_unreadable(folder, error),)
    for entry in entries:
        try:
            repo = read_repo(entry)
        except OSError as error:
            warnings.append(_unreadable(entry, error))
            continue
        if repo is not None:
            repos.append(repo)
    return tuple(repos), tuple(warnings)


def _unreadable(path: Path, error: OSError) -> ErrorInfo:
    log.warning("%s is left out: %s", path, error)
    reason = error.strerror or str(error)
    return ErrorInfo("hub.cache_unreadable", str(error), {"path": str(path), "reason": reason})


def order(repo: RepoOnDisk, commit: str) -> tuple[bool, float, str]:
    """The main branch's commit first, then the newest."""
    try:
        modified = os.stat(repo.snapshot_path(commit)).st_mtime
    except OSError:
        modified = 0.0
    return "main" not in repo.refs.get(commit, ()), -modified, commit


def _last_read(repo: RepoOnDisk) -> float:
    """By the filesystem; of the largest file, since small ones are read by every look at a model."""
    largest = max(repo.blobs.values(), key=lambda blob: blob.size or 0, default=None)
    return largest.used if largest is not None else repo.modified


def _total(folder: Path, repos: tuple[RepoOnDisk, ...]) -> int:
    """Bytes in the cache; what repositories share counts once, what nobody links to any more counts too."""
    own = sum(sizes.size_of(repo) for repo in repos)
    linked = sum(blob.size or 0 for repo in repos for blob in repo.blobs.values() if blob.store)
    return own - linked + _shared_bytes(folder)


def _shared_bytes(folder: Path) -> int:
    store = folder / SHARED
    if not (store / SHARED_MARK).is_file() or store.is_symlink():
        return 0
    total = 0
    for path, _, names in os.walk(store):
        for name in names:
            if len(name) == 64:
                total += os.lstat(os.path.join(path, name)).st_size
    return total


def model_id(repo: CachedRepo, revision: CachedRevision) -> str:
    """How the list of models calls it: "org/name" is the main branch's commit (else the newest)."""
    if revision == commit_of(repo, ""):
        return repo.repo_id
    return f"{repo.repo_id}@{revision.refs[0] if revision.refs else revision.commit[:8]}"


def commit_of(repo: CachedRepo, revision: str) -> CachedRevision | None:
    """The commit that `revision` (a branch, a tag, the beginning of a commit, "" for the main branch) names here. With
    no main branch it is the newest one."""
    if not revision:
        return next((found for found in repo.revisions if "main" in found.refs), None) or next(
            iter(repo.revisions), None
        )
    for found in repo.revisions:
        if revision in found.refs or revision == found.commit:
            return found
    begins = [found for found in repo.revisions if len(revision) >= 6 and found.commit.startswith(revision)]
    return begins[0] if len(begins) == 1 and is_commit(begins[0].commit) else None
