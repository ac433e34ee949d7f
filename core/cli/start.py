"""What `ask` and `serve` share: from a model's name to a ready server, telling what is done on the way."""

from __future__ import annotations

from core import words
from core.cli.console import Console
from core.cli.get import get_if_missing
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.services import Services


async def start_model(
    services: Services,
    console: Console,
    model: str,
    *,
    engine: str | None,
    context: int | None,
    port: int | None = None,
    get: bool = False,
) -> Endpoint:
    """Get the model if it is one of the Hub that is not here (`get`: without asking), install the engine if there is
    none, make or check the model, start the server.

    Raises:
        AppError: whatever stopped it; the state is then as it was.
    """
    await get_if_missing(services, console, model, agreed=get)
    engine_id = engine or await _engine(services, console)
    console.say("starting", model=model, engine=engine_id)
    return await services.launch(model, engine_id, max_model_len=context, port=port)


async def _engine(services: Services, console: Console) -> str:
    try:
        return (await services.default_engine()).id
    except AppError as error:
        if error.code != "engine.none":
            raise
    recipe = await services.recommended()
    download, disk = (words.show_bytes(n, console.language) for n in (recipe.download_bytes, recipe.disk_bytes))
    console.say("install_first", title=recipe.title, download=download, disk=disk, path=services.paths.engines)
    engine = await services.install_engine(recipe.id)
    console.say("engine_ready", engine=engine.id)
    return engine.id
