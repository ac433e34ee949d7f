"""Bytes: what a deletion frees, and what lies in the cache twice. Worked out from what `on_disk` read; only the small
files beside the bytes are asked for."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable

from core.hub.cache.on_disk import RepoOnDisk


def size_of(repo: RepoOnDisk) -> int:
    """Bytes that belong to a repository, finished and unfinished; shared ones count as its own."""
    blobs = sum(blob.size or 0 for blob in repo.blobs.values())
    return blobs + sum(_copied(repo, commit) for commit in repo.snapshots) + sum(file.size for file in repo.partial)


def size_of_commit(repo: RepoOnDisk, commit: str) -> int:
    linked = {file.blob or file.path: file.size or 0 for file in repo.snapshots[commit]}
    return sum(linked.values())


def freed_by_repo(repo: RepoOnDisk, repos: Iterable[RepoOnDisk]) -> int:
    """What deleting the whole folder frees: every file in it, and shared bytes that nobody else links to."""
    if repo.linked:
        return 0
    return _plain_bytes(repo.path) + sum(_shared(repo, frozenset(repo.blobs), repos).values())


def freed_by_commit(repo: RepoOnDisk, commit: str, repos: Iterable[RepoOnDisk]) -> int:
    """What deleting one commit frees while the others stay."""
    if repo.linked:
        return 0
    if set(repo.snapshots) == {commit}:
        return freed_by_repo(repo, repos)
    gone = only_in(repo, commit)
    blobs = (repo.blobs[path] for path in gone)
    own = sum(blob.size or 0 for blob in blobs if blob.ours and not blob.store)
    small = [os.path.join(repo.path, "trees", f"{commit}.json")]
    small += [os.path.join(repo.path, "refs", name) for name in repo.refs.get(commit, ())]
    return own + _copied(repo, commit) + sum(map(_bytes, small)) + sum(_shared(repo, gone, repos).values())


def only_in(repo: RepoOnDisk, commit: str) -> frozenset[str]:
    """Entries of `blobs/` that no other commit uses."""
    others = frozenset[str]().union(*(repo.blobs_of(other) for other in repo.snapshots if other != commit))
    return repo.blobs_of(commit) - others


def duplicates(repos: Iterable[RepoOnDisk]) -> dict[str, int]:
    """Bytes by repository that another one has a copy of its own of, by the hash that names them."""
    repos = tuple(repos)
    owners = Counter(blob.etag for repo in repos for blob in repo.blobs.values() if not blob.store and blob.size)
    return {
        repo.repo_id: sum(
            blob.size or 0 for blob in repo.blobs.values() if not blob.store and owners[blob.etag] > 1 and blob.ours
        )
        for repo in repos
    }


def _shared(repo: RepoOnDisk, gone: frozenset[str], repos: Iterable[RepoOnDisk]) -> dict[str, int]:
    """Shared payloads that lose their last link. Without a list of its links huggingface_hub never removes one."""
    left = {
        blob.store for other in repos for blob in other.blobs.values() if blob.store and blob.path not in gone
    }  # fmt: skip
    return {
        blob.store: blob.size or 0
        for path in gone
        if (blob := repo.blobs[path]).store and blob.store not in left and os.path.isfile(f"{blob.store}.refs")
    }


def _copied(repo: RepoOnDisk, commit: str) -> int:
    return sum(file.size or 0 for file in repo.snapshots[commit] if file.copy)


def _plain_bytes(folder: str) -> int:
    """Regular files below `folder` with no second name; no link is followed."""
    total = 0
    for path, _, names in os.walk(folder):
        total += sum(_bytes(os.path.join(path, name)) for name in names)
    return total


def _bytes(path: str) -> int:
    try:
        stat = os.lstat(path)
    except OSError:
        return 0
    return stat.st_size if stat.st_nlink == 1 and not os.path.islink(path) else 0
