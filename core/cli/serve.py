"""`stowage serve`: a server in the terminal until Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Any

from core.cli.console import Console
from core.cli.start import Start, start_model
from core.engine.endpoint import Endpoint
from core.engine.sharing import own_address
from core.engine.snippets import snippets as snippets_of
from core.errors import AppError
from core.events import Event, LogLines, ServerState, ServerStatus
from core.services import Services


async def serve(
    services: Services,
    console: Console,
    model: str,
    *,
    start: Start,
    show_key: bool,
    show_log: bool,
    snippets: bool = False,
) -> None:
    """Serve `model` until interrupted, or until the server dies (then its failure is raised)."""
    ended: asyncio.Future[ServerStatus] = asyncio.get_running_loop().create_future()

    def heard(event: Event) -> None:
        if isinstance(event, LogLines) and show_log:
            print("\n".join(event.lines), file=sys.stderr, flush=True)
        elif isinstance(event, ServerStatus) and event.state is ServerState.FAILED and not ended.done():
            ended.set_result(event)

    unsubscribe = services.bus.subscribe(heard)
    try:
        endpoint = await start_model(services, console, model, start)
        shared = start.share or (start.share is None and services.settings.current.share)
        _tell(console, endpoint, own_address() if shared else None, show_key=show_key, with_snippets=snippets)
        if shared:
            console.say("serve_shared")
        failed = await ended
    finally:
        unsubscribe()
    assert failed.error is not None
    raise AppError(failed.error.code, "\n".join((failed.error.detail, *failed.error.last_words)), **failed.error.facts)


def _tell(console: Console, endpoint: Endpoint, address: str | None, *, show_key: bool, with_snippets: bool) -> None:
    """Args: `address` of this computer in its network, where the server is shared and there is one."""
    url = endpoint.base_url
    shared_url = f"http://{address}:{url.rpartition(':')[2]}" if address else None
    pasted = snippets_of(replace(endpoint, base_url=shared_url or url), show_key=show_key) if with_snippets else ()
    if console.as_json:
        found: dict[str, Any] = {"model": endpoint.model, "base_url": f"{url}/v1"}
        found |= {"api_key": endpoint.api_key} if show_key else {}
        found |= {"shared_url": f"{shared_url}/v1"} if shared_url else {}
        found |= {"snippets": {snippet.language: snippet.text for snippet in pasted}} if pasted else {}
        console.object(found)
        return
    console.out(console.text("serve_ready", model=endpoint.model, url=url))
    if shared_url:
        console.out(console.text("serve_ready", model=endpoint.model, url=shared_url))
    console.out(console.text("serve_key", key=endpoint.api_key) if show_key else console.text("serve_key_hidden"))
    for snippet in pasted:
        console.out(f"\n# {snippet.language}\n{snippet.text}")
    console.out(console.text("serve_stop"))
