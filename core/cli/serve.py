"""`stowage serve`: a server in the terminal until Ctrl-C."""

from __future__ import annotations

import asyncio
import sys

from core.cli.console import Console
from core.cli.start import start_model
from core.errors import AppError
from core.events import Event, LogLines, ServerState, ServerStatus
from core.services import Services


async def serve(
    services: Services,
    console: Console,
    model: str,
    *,
    engine: str | None,
    context: int | None,
    get: bool,
    port: int | None,
    show_key: bool,
    show_log: bool,
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
        endpoint = await start_model(services, console, model, engine=engine, context=context, port=port, get=get)
        if console.as_json:
            key = {"api_key": endpoint.api_key} if show_key else {}
            console.object({"model": endpoint.model, "base_url": f"{endpoint.base_url}/v1"} | key)
        else:
            console.out(console.text("serve_ready", model=endpoint.model, url=endpoint.base_url))
            console.out(
                console.text("serve_key", key=endpoint.api_key) if show_key else console.text("serve_key_hidden")
            )
            console.out(console.text("serve_stop"))
        failed = await ended
    finally:
        unsubscribe()
    assert failed.error is not None
    raise AppError(failed.error.code, "\n".join((failed.error.detail, *failed.error.last_words)), **failed.error.facts)
