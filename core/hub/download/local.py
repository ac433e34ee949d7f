"""A model that is whole on this computer already, for when the Hub cannot be asked."""

from __future__ import annotations

from pathlib import Path

from core.hub.cache.layout import MAIN, folder_of, is_commit
from core.hub.cache.on_disk import RepoOnDisk, read_repo
from core.hub.cache.whole import wholeness
from core.hub.model import DownloadInfo, DownloadState, RepoRef


def find_whole(cache: Path, ref: RepoRef) -> DownloadInfo | None:
    """Blocking. As a download that is done; None when it is not there, or not whole."""
    name = folder_of(ref.repo_id).lower()
    try:
        folder = next((path for path in cache.iterdir() if path.name.lower() == name), None)
        repo = read_repo(folder) if folder is not None else None
    except OSError:
        return None
    commit = _commit(repo, ref) if repo is not None else ""
    if repo is None or commit not in repo.snapshots:
        return None
    found = wholeness(repo, commit)
    if found.missing or found.damaged or not found.loadable:
        return None
    files = repo.snapshots[commit]
    size = sum(file.size or 0 for file in files)
    return DownloadInfo(
        repo.repo_id,
        commit,
        DownloadState.DONE,
        "" if is_commit(ref.revision) else ref.revision or MAIN,
        done_bytes=size,
        total_bytes=size,
        files_done=len(files),
        files_total=len(files),
        present_files=tuple(file.path for file in files),
    )


def _commit(repo: RepoOnDisk, ref: RepoRef) -> str:
    if is_commit(ref.revision):
        return ref.revision
    return next((commit for commit, names in repo.refs.items() if (ref.revision or MAIN) in names), "")
