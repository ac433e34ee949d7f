"""`stowage cache`: move it to another disk, sweep what broken downloads left."""

from __future__ import annotations

from core import words
from core.cli.answers import agrees
from core.cli.console import Console
from core.services import Services


async def move(services: Services, console: Console, folder: str) -> None:
    """Raises: AppError: `hub.move_*`, `hub.cache_in_use`, `hub.cache_busy`."""
    old = services.hub.cache.folder
    await services.hub.cache.move(folder)
    new = services.hub.cache.folder
    if console.as_json:
        console.object({"moved_from": str(old), "folder": str(new)})
    else:
        console.out(console.text("cache_moved", folder=new))
        if old.is_symlink():
            console.say("cache_link_left", folder=old)


async def sweep(services: Services, console: Console, *, yes: bool) -> None:
    """Raises: AppError: `app.needs_answer`, `hub.cache_busy`, `hub.cache_not_deleted`."""
    found = await services.hub.cache.leftovers()
    size = words.show_bytes(found.bytes, console.language)
    if found.paths and not yes:
        for path in found.paths:
            console.say("sweep_file", path=path)
        if not await agrees(console, "sweep_question", option="--yes", count=len(found.paths), size=size):
            console.say("sweep_kept")
            return
    freed = await services.hub.cache.sweep() if found.paths else 0
    if console.as_json:
        console.object({"freed_bytes": freed, "files": list(found.paths)})
    elif found.paths:
        console.out(console.text("sweep_done", size=words.show_bytes(freed, console.language)))
    else:
        console.out(console.text("sweep_nothing"))
