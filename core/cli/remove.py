"""`stowage rm`: how much it frees, the question, the deletion."""

from __future__ import annotations

from core import words
from core.cli.answers import agrees
from core.cli.console import Console
from core.errors import AppError
from core.hub.model import RepoRef
from core.models import hub_reference
from core.services import Services


async def remove(services: Services, console: Console, model: str, *, yes: bool) -> None:
    """Raises: AppError: `hub.not_cached`, `hub.cache_in_use`, `app.needs_answer`."""
    ref = _reference(model)
    freed = await services.hub.cache.frees(ref.repo_id, ref.revision)
    size = words.show_bytes(freed, console.language)
    if not yes and not await agrees(console, "rm_question", option="--yes", model=ref, size=size):
        console.say("rm_kept", model=ref)
        return
    freed = await services.hub.cache.delete(ref.repo_id, ref.revision)
    if console.as_json:
        console.object({"deleted": str(ref), "freed_bytes": freed})
    else:
        console.out(console.text("rm_done", model=ref, size=words.show_bytes(freed, console.language)))


def _reference(model: str) -> RepoRef:
    """An id in any spelling; "datasets/org/name" and the like as `stowage models` shows them."""
    if model.startswith(("datasets/", "spaces/", "kernels/")) and model.count("/") > 1:
        repo_id, _, revision = model.partition("@")
        return RepoRef(repo_id, revision)
    ref = hub_reference(model)
    if ref is None:
        raise AppError("hub.not_cached", model=model)
    return ref
