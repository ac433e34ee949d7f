"""`stowage models`: what is on this computer and can be launched, or cannot and why; on request every byte checked."""

from __future__ import annotations

import time
from typing import Any, Final

from core import words
from core.cli.console import Console
from core.errors import AppError
from core.events import ModelInfo
from core.hub.cache.launchable import damaged
from core.hub.cache.layout import is_model
from core.hub.cache.scan import commit_of
from core.hub.cache.service import find_repo
from core.hub.model import CachedRepo, CachedRevision, CacheState, Verified
from core.models import hub_reference
from core.services import Services

_DAY_S: Final = 86_400
_NAME: Final = 44


async def show(services: Services, console: Console, model: str | None) -> None:
    """Raises: AppError: `hub.not_cached`, `model.*` for a model that is not there."""
    state = await services.hub.cache.look()
    if model is not None and (ref := hub_reference(model)) is not None:
        repo, listed = _one(state, model, ref.repo_id), ()
        state = CacheState(state.folder, (repo,), repo.size_bytes, state.free_bytes)
    else:
        listed = tuple(one for one in await services.list_models() if hub_reference(one.id) is None)
        if model is not None:
            listed, state = (await services.find_model(model),), CacheState(state.folder, (), 0, state.free_bytes)
    if console.as_json:
        console.object({"models": [model_object(one) for one in listed], "cache": cache_object(state)})
        return
    for one in listed:
        console.out(_listed_line(one, console))
    for repo in state.repos:
        console.out("\n".join(_repo_lines(repo, console)))
    if model is None:
        _foot(state, console)


async def verify(services: Services, console: Console, model: str | None) -> None:
    """Raises: AppError: `hub.verify_damaged` after all were read, when one of them is; `hub.not_cached`."""
    if model is not None:
        ref = hub_reference(model)
        wanted = [(ref.repo_id, ref.revision)] if ref is not None else [(model, "")]
    else:
        state = await services.hub.cache.look()
        wanted = [
            (repo.repo_id, one.commit) for repo in state.repos if is_model(repo.repo_id) for one in repo.revisions
        ]
    found: list[Verified] = []
    for repo_id, revision in wanted:
        found.append(await services.hub.cache.verify(repo_id, revision))
        if not console.as_json:
            _tell(found[-1], console)
    bad = [one for one in found if one.damaged]
    if console.as_json:
        console.object({"verified": [verified_object(one) for one in found]})
    if bad:
        raise damaged(bad[0].repo_id, tuple(name for one in bad for name in one.damaged))


def _one(state: CacheState, model: str, repo_id: str) -> CachedRepo:
    repo = find_repo(state, repo_id)
    if repo is None:
        raise AppError("hub.not_cached", model=model)
    return repo


# ---- lines ---------------------------------------------------------------------------------------------------------


def _listed_line(model: ModelInfo, console: Console) -> str:
    """The starter, or a folder that the user added."""
    if model.error is not None:
        state = words.explain(model.error, console.language).title
    else:
        state = console.text("model_ready_to_use" if model.ready else "model_made_when_used")
    return _line(model.id, model.size_bytes, state, console)


def _repo_lines(repo: CachedRepo, console: Console) -> list[str]:
    main = commit_of(repo, "")
    used = _used(repo.last_used, console)
    if main is None:
        return [_line(repo.repo_id, repo.size_bytes, f"{console.text('model_begun')} {used}", console)]
    lines = [_line(repo.repo_id, repo.size_bytes, f"{_state(main, console)} {used}", console)]
    for revision in repo.revisions if len(repo.revisions) > 1 else ():
        name = f"  @{revision.refs[0] if revision.refs else revision.commit[:8]}"
        lines.append(_line(name, revision.size_bytes, _state(revision, console), console))
    return lines


def _line(name: str, size_bytes: int, state: str, console: Console) -> str:
    size = words.show_bytes(size_bytes, console.language) if size_bytes else ""
    return f"{name:<{_NAME}} {size:>10}  {state}".rstrip()


def _state(revision: CachedRevision, console: Console) -> str:
    if revision.missing:
        return console.text("model_missing", files=_files(revision.missing))
    if revision.damaged:
        return console.text("model_damaged", files=_files(revision.damaged))
    if revision.verified:
        return console.text("model_verified", day=revision.verified[:10])
    return console.text("model_whole")


def _files(names: tuple[str, ...]) -> str:
    return ", ".join(names[:2]) + (f", +{len(names) - 2}" if len(names) > 2 else "")


def _used(when: float, console: Console) -> str:
    if not when:
        return ""
    days = int((time.time() - when) // _DAY_S)
    return console.text("used_today") if days < 1 else console.text("used_days_ago", days=days)


def _foot(state: CacheState, console: Console) -> None:
    size = words.show_bytes(state.size_bytes, console.language)
    free = words.show_fact("free_bytes", state.free_bytes, console.language)
    console.say("cache_total", folder=state.folder, size=size, free=free)
    if state.orphans:
        left = words.show_bytes(state.orphan_bytes, console.language)
        console.say("cache_orphans", count=len(state.orphans), size=left)
    for warning in state.warnings:
        console.warn(warning)


def _tell(found: Verified, console: Console) -> None:
    size = words.show_bytes(found.hashed_bytes, console.language)
    name = f"{found.repo_id}@{found.commit[:8]}" if found.commit else found.repo_id
    if found.damaged:
        console.out(console.text("verify_bad", model=name, files=_files(found.damaged)))
    else:
        console.out(console.text("verify_good", model=name, count=found.files, size=size))
    if found.unknown:
        console.say("verify_unknown_files", count=len(found.unknown), files=_files(found.unknown))


# ---- JSON ----------------------------------------------------------------------------------------------------------


def model_object(model: ModelInfo) -> dict[str, Any]:
    return {
        "id": model.id,
        "path": model.path,
        "size_bytes": model.size_bytes,
        "architecture": model.architecture,
        "context_tokens": model.context_tokens,
        "ready": model.ready,
        "error": model.error.code if model.error else None,
    }


def cache_object(state: CacheState) -> dict[str, Any]:
    return {
        "folder": state.folder,
        "size_bytes": state.size_bytes,
        "free_bytes": state.free_bytes,
        "orphans": list(state.orphans),
        "orphan_bytes": state.orphan_bytes,
        "warnings": [warning.code for warning in state.warnings],
        "repos": [_repo_object(repo) for repo in state.repos],
    }


def _repo_object(repo: CachedRepo) -> dict[str, Any]:
    return {
        "id": repo.repo_id,
        "path": repo.path,
        "size_bytes": repo.size_bytes,
        "freed_bytes": repo.freed_bytes,
        "duplicate_bytes": repo.duplicate_bytes,
        "partial_bytes": repo.partial_bytes,
        "last_used": repo.last_used,
        "in_use": repo.in_use,
        "revisions": [
            {
                "commit": one.commit,
                "refs": list(one.refs),
                "path": one.path,
                "size_bytes": one.size_bytes,
                "freed_bytes": one.freed_bytes,
                "whole": one.whole,
                "missing": list(one.missing),
                "damaged": list(one.damaged),
                "verified": one.verified or None,
            }
            for one in repo.revisions
        ],
    }


def verified_object(found: Verified) -> dict[str, Any]:
    return {
        "id": found.repo_id,
        "commit": found.commit or None,
        "files": found.files,
        "hashed_bytes": found.hashed_bytes,
        "damaged": list(found.damaged),
        "unknown": list(found.unknown),
    }
