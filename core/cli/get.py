"""`stowage get`: what vLLM needs of a model of the Hub, resumable. Ctrl-C pauses it: what is there stays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from core import words
from core.cli.answers import agrees, can_ask
from core.cli.console import Console
from core.errors import AppError
from core.events import Event
from core.hub.cache.service import find_repo
from core.hub.events import DownloadsChanged
from core.hub.model import DownloadInfo, DownloadState, RepoRef
from core.models import hub_reference
from core.services import Services

# A download makes these good: what is not here, here in part, or damaged.
_MENDED: Final = ("model.not_here", "model.incomplete", "hub.verify_damaged")


async def get(services: Services, console: Console, model: str, *, pause_after_min: float | None) -> None:
    """Fetch the model and say where it lies.

    Raises:
        AppError: `hub.bad_reference` when `model` names none, `download.paused` after `pause_after_min` minutes, or why
            it cannot be fetched.
    """
    ref = hub_reference(model)
    if ref is None:
        raise AppError("hub.bad_reference", text=model)
    done = await fetch(services, console, ref, model, pause_after_min=pause_after_min)
    path = (await services.find_model(done.key)).path
    if console.as_json:
        found = {"id": done.repo_id, "commit": done.commit, "path": path, "size_bytes": done.total_bytes}
        console.object(found | {"files": list(done.present_files)})
    else:
        size = words.show_bytes(done.total_bytes, console.language)
        console.out(console.text("get_done", model=done.repo_id, size=size, path=Path(path or "")))


async def fetch(
    services: Services, console: Console, ref: RepoRef, named: str, *, pause_after_min: float | None = None
) -> DownloadInfo:
    """Get `ref` with a progress line. A cancellation pauses the download; `named` is how it goes on."""
    await _mend(services, console, ref)
    download = await services.hub.get(ref)

    def heard(event: Event) -> None:
        if isinstance(event, DownloadsChanged):
            for present in event.downloads:
                if present.key == download.key:
                    _show(present, console)

    unsubscribe = services.bus.subscribe(heard)
    try:
        async with asyncio.timeout(None if pause_after_min is None else pause_after_min * 60):
            ended = download if download.state is DownloadState.DONE else await services.hub.wait(download.key)
    except TimeoutError:
        await services.hub.pause(download.key)
        raise AppError("download.paused", model=named) from None
    except asyncio.CancelledError:
        await services.hub.pause(download.key)
        console.say("get_paused", model=named)
        raise
    finally:
        unsubscribe()
    if ended.error is not None:
        raise AppError(ended.error.code, ended.error.detail, **ended.error.facts)
    if ended.state is not DownloadState.DONE:
        raise AppError("download.paused", model=named)
    return ended


async def get_if_missing(services: Services, console: Console, model: str, *, agreed: bool) -> None:
    """Before a launch: a model of the Hub that is not whole here is fetched, if the person agrees to its size.

    Raises:
        AppError: what is wrong with the model, when nobody agreed; why it cannot be fetched.
    """
    try:
        await services.find_model(model)
        return
    except AppError as error:
        ref = hub_reference(model)
        if error.code not in _MENDED or ref is None or not (agreed or can_ask(console)):
            raise
        if not agreed:
            details = await services.hub.details(ref)
            size = words.show_bytes(details.needed_bytes, console.language)
            if not await agrees(console, "get_question", option="--get", model=ref, size=size):
                raise
    await fetch(services, console, ref, str(ref))


async def _mend(services: Services, console: Console, ref: RepoRef) -> None:
    """Damaged files go first, so that exactly these are fetched."""
    repo = find_repo(await services.hub.cache.look(), ref.repo_id)
    for revision in repo.revisions if repo is not None else ():
        if revision.damaged:
            gone = await services.hub.cache.repair(ref.repo_id, revision.commit)
            console.say("get_mends", model=ref.repo_id, count=len(gone))


def _show(download: DownloadInfo, console: Console) -> None:
    if download.state in (DownloadState.DONE, DownloadState.FAILED, DownloadState.PAUSED):
        return
    head = words.term("download", str(download.state), console.language)
    if download.waits_for:
        head = words.term("waits_for", download.waits_for, console.language)
    console.progress(head, console.amount(download))
