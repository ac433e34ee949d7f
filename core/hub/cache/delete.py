"""Deleting from the cache: never outside it, links before bytes, shared bytes only with their last link.

huggingface_hub's own `DeleteCacheStrategy` (2.4, utils/_cache_manager.py) does the work, since it alone knows how to
take a link out of the shared store under its lock. What it is given is worked out here, because its scan gives up on
repositories with a broken link and trusts links that lead out of the cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from core.errors import AppError
from core.hub.cache import sizes
from core.hub.cache.layout import LOCKS
from core.hub.cache.on_disk import RepoOnDisk


def delete_repo(repo: RepoOnDisk, repos: Iterable[RepoOnDisk]) -> int:
    """Blocking. The whole folder of a repository; of a link to elsewhere only the link. Returns the bytes freed.

    Raises:
        AppError: `hub.cache_not_deleted`.
    """
    freed = sizes.freed_by_repo(repo, repos)
    locks = Path(repo.path).parent / LOCKS / Path(repo.path).name
    _execute(repo, repos=[repo.path], left=[repo.path])
    _forget(*locks.glob("*.lock"))
    return freed


def delete_commit(repo: RepoOnDisk, commit: str, repos: Iterable[RepoOnDisk]) -> int:
    """Blocking. One commit; what other commits use stays. Returns the bytes freed.

    Raises:
        AppError: `hub.cache_not_deleted`.
    """
    if set(repo.snapshots) == {commit}:
        return delete_repo(repo, repos)
    freed = sizes.freed_by_commit(repo, commit, repos)
    snapshot = repo.snapshot_path(commit)
    # In a folder that leads elsewhere (`blobs` is a link) nothing but the snapshot's own links is touched.
    blobs = [] if repo.linked else sorted(sizes.only_in(repo, commit))
    refs = [] if repo.linked else [os.path.join(repo.path, "refs", name) for name in repo.refs.get(commit, ())]
    if repo.linked and os.path.islink(os.path.dirname(snapshot)):
        raise AppError("hub.cache_not_deleted", "snapshots is a link", path=snapshot, reason="link")
    _execute(repo, snapshots=[snapshot], refs=refs, blobs=blobs, left=[snapshot, *blobs])
    _forget(Path(repo.path, "trees", f"{commit}.json"))
    return freed


def delete_files(paths: Iterable[str]) -> int:
    """Blocking. Single files; a link is removed itself. Returns the bytes freed.

    Raises:
        AppError: `hub.cache_not_deleted`.
    """
    freed = 0
    for path in paths:
        try:
            stat = os.lstat(path)
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _refused(path, error) from error
        freed += stat.st_size
    return freed


def _execute(
    repo: RepoOnDisk,
    *,
    left: list[str],
    repos: list[str] | None = None,
    snapshots: list[str] | None = None,
    refs: list[str] | None = None,
    blobs: list[str] | None = None,
) -> None:
    from huggingface_hub.utils import DeleteCacheStrategy

    def paths(names: list[str] | None) -> frozenset[Path]:
        return frozenset(Path(name) for name in names or ())

    strategy = DeleteCacheStrategy(
        expected_freed_size=0,
        blobs=paths(blobs),
        refs=paths(refs),
        repos=paths(repos),
        snapshots=paths(snapshots),
        cache_dir=Path(repo.path).parent,
    )
    try:
        strategy.execute()
    except OSError as error:
        raise _refused(error.filename or left[0], error) from error
    # It only warns when the system refuses.
    for path in left:
        if os.path.lexists(path):
            raise AppError("hub.cache_not_deleted", path=path, reason=os.strerror(13))


def _forget(*paths: Path) -> None:
    """Small things that go along; one that stays does no harm."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            continue


def _refused(path: str, error: OSError) -> AppError:
    return AppError("hub.cache_not_deleted", str(error), path=path, reason=error.strerror or str(error))
