"""Models of the cache as the list of models has them: "org/name" is the main branch's commit (else the newest), other
commits are "org/name@branch" or "org/name@<8 hex>"."""

from __future__ import annotations

import asyncio
from pathlib import Path

from core.checkpoint.folder import SHOWN_NAMES, inspect_folder
from core.errors import AppError
from core.events import ErrorInfo, ModelInfo
from core.hub.cache.layout import is_model, repo_of
from core.hub.cache.on_disk import read_repo
from core.hub.cache.scan import Scan, commit_of, model_id, order
from core.hub.cache.service import Cache, find_repo
from core.hub.cache.whole import wholeness
from core.hub.model import CachedRepo, CachedRevision, RepoRef

# (size, time of the last change) of everything in a snapshot.
_Stamp = tuple[tuple[str, int | None, int], ...]


class CachedModels:
    """Looks at the cache; a snapshot whose files did not change is not opened again. Lives on the loop's thread."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[str, tuple[_Stamp, ModelInfo]] = {}

    async def list(self) -> tuple[ModelInfo, ...]:
        """All that are checkpoints, whole or not, by name; those that are not whole say so in `error`."""
        found = await self._cache.scan()
        return await asyncio.to_thread(self._list, found)

    async def find(self, ref: RepoRef) -> ModelInfo:
        """Raises: AppError: `model.not_here`, `model.incomplete`, `hub.verify_damaged`, or what is wrong with it."""
        found = await self._cache.scan()
        repo = find_repo(found.state, ref.repo_id)
        revision = commit_of(repo, ref.revision) if repo is not None else None
        if repo is None or revision is None:
            raise AppError("model.not_here", model=str(ref))
        name = f"{repo.repo_id}@{ref.revision}" if ref.revision else repo.repo_id
        model = await asyncio.to_thread(self._model, found, repo, revision, name)
        if model.error is not None:
            raise AppError(model.error.code, model.error.detail, **model.error.facts)
        return model

    async def path_of(self, ref: RepoRef) -> Path:
        """The snapshot's folder, without a look at the rest of the cache. Raises: AppError: as `find`."""
        return await asyncio.to_thread(snapshot_path, self._cache.folder, ref)

    async def mark_used(self, ref: RepoRef) -> None:
        await self._cache.mark_used(ref.repo_id)

    def _list(self, found: Scan) -> tuple[ModelInfo, ...]:
        models: list[ModelInfo] = []
        for repo in found.state.repos:
            main = commit_of(repo, "")
            for revision in repo.revisions if is_model(repo.repo_id) else ():
                if f"{repo.repo_id}@{revision.commit}" in found.loadable and (revision == main or revision.whole):
                    models.append(self._model(found, repo, revision, model_id(repo, revision)))
        return tuple(models)

    def _model(self, found: Scan, repo: CachedRepo, revision: CachedRevision, model_id: str) -> ModelInfo:
        if (error := _problem(revision, model_id)) is not None:
            return ModelInfo(model_id, model_id, revision.path, revision.size_bytes, error=error)
        files = found.repos[repo.repo_id].snapshots[revision.commit]
        stamp = tuple((file.path, file.size, file.modified_ns) for file in files)
        known = self._known.get(model_id)
        if known is None or known[0] != stamp:
            known = self._known[model_id] = stamp, _inspected(revision, model_id)
        return known[1]


def _inspected(revision: CachedRevision, model_id: str) -> ModelInfo:
    try:
        seen = inspect_folder(Path(revision.path))
    except AppError as error:
        return ModelInfo(model_id, model_id, revision.path, revision.size_bytes, error=ErrorInfo.of(error))
    return ModelInfo(model_id, model_id, seen.path, seen.size_bytes, seen.architecture, seen.context_tokens)


def _problem(revision: CachedRevision, model_id: str) -> ErrorInfo | None:
    if revision.missing:
        return ErrorInfo.of(incomplete(model_id, revision.missing))
    if revision.damaged:
        return ErrorInfo.of(damaged(model_id, revision.damaged))
    return None


def incomplete(model_id: str, missing: tuple[str, ...]) -> AppError:
    return AppError("model.incomplete", ", ".join(missing), model=model_id, missing=shown(missing), count=len(missing))


def damaged(model_id: str, files: tuple[str, ...]) -> AppError:
    return AppError("hub.verify_damaged", ", ".join(files), model=model_id, files=shown(files), count=len(files))


def shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")


def snapshot_path(cache: Path, ref: RepoRef) -> Path:
    """Blocking; reads one repository. Raises: AppError: `model.not_here`, `model.incomplete`."""
    folder = _folder(cache.resolve(), ref.repo_id)
    repo = read_repo(folder) if folder is not None else None
    if repo is None:
        raise AppError("model.not_here", model=str(ref))
    commits = sorted(repo.snapshots, key=lambda commit: order(repo, commit))
    revisions = tuple(
        CachedRevision(commit, repo.refs.get(commit, ()), repo.snapshot_path(commit), 0, 0) for commit in commits
    )
    revision = commit_of(CachedRepo(repo.repo_id, repo.path, 0, 0.0, revisions), ref.revision)
    if revision is None:
        raise AppError("model.not_here", model=str(ref))
    if missing := wholeness(repo, revision.commit).missing:
        raise incomplete(str(ref), missing)
    return Path(revision.path)


def _folder(cache: Path, repo_id: str) -> Path | None:
    """By its id, else the only one that differs in case."""
    try:
        names = [entry for entry in cache.iterdir() if (repo_of(entry.name) or "").lower() == repo_id.lower()]
    except OSError:
        return None
    same = [entry for entry in names if repo_of(entry.name) == repo_id]
    return same[0] if same else names[0] if len(names) == 1 else None
