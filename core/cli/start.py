"""What `ask` and `serve` share: from a model's name to a ready server, telling what is done on the way."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Final

from core import words
from core.cli.console import Console
from core.cli.get import get_if_missing
from core.engine.endpoint import Endpoint
from core.engine.options import Place
from core.errors import AppError
from core.events import ErrorInfo
from core.planning.choices import Choices, of_settings
from core.planning.found_choices import explained
from core.preflight.finding import Consent
from core.profiles.profiles import Recalled
from core.services import Services

LAST: Final = "last"


@dataclass(frozen=True, slots=True)
class Start:
    """How a command starts a model; None: as the settings say. `force`: in spite of what the look before finds; `get`:
    download a model of the Hub that is not here without asking; `profile` a preset's name, "last" for the last good
    launch where no preset is called so; `ple`: where the embedding tables of the model are to lie."""

    engine: str | None = None
    context: int | None = None
    port: int | None = None
    share: bool | None = None
    force: bool = False
    get: bool = False
    profile: str | None = None
    ple: Place | None = None


async def start_model(services: Services, console: Console, model: str, start: Start) -> Endpoint:
    """Get the model if it is one of the Hub that is not here, install the engine if there is none, make or check the
    model, start the server.

    Raises:
        AppError: whatever stopped it; the state is then as it was.
    """
    await get_if_missing(services, console, model, agreed=start.get)
    engine_id = start.engine or await _engine(services, console)
    console.say("starting", model=model, engine=engine_id)
    try:
        return await services.launch(
            model,
            engine_id,
            max_model_len=start.context,
            choices=await _choices(services, console, model, engine_id, start),
            port=start.port,
            share=start.share,
            consent=Consent(everything=start.force),
        )
    except AppError:
        await _tell_what_changed(services, console)
        raise


async def _choices(services: Services, console: Console, model: str, engine_id: str, start: Start) -> Choices | None:
    """Of the preset, told where the engine changed them. None: as the settings say.

    Raises:
        AppError: `profiles.unknown`, `profiles.no_name`, `option.*` for tables that cannot lie where they are to.
    """
    if start.profile is None and start.ple is None:
        return None
    model_id = (await services.find_model(model)).id
    chosen = of_settings(services.settings.current, start.context)
    if start.profile is not None:
        chosen = await _of_profile(services, console, model_id, engine_id, start)
    if start.ple is None:
        return chosen
    chosen = replace(chosen, more=replace(chosen.more, ple=start.ple))
    await services.options.check_tables(model_id, engine_id, chosen)
    return chosen


async def _of_profile(services: Services, console: Console, model_id: str, engine_id: str, start: Start) -> Choices:
    assert start.profile is not None
    for problem in services.profiles.problems:
        console.warn(ErrorInfo.of(problem))
    recalled = await _recalled(services, start.profile, model_id, engine_id)
    for remark in recalled.remarks:
        print(f"{remark.flag}: {explained(remark, console.language)}", file=sys.stderr)
    for note in recalled.notes:
        print(words.explain(note, console.language).as_text(), file=sys.stderr)
    return replace(recalled.choices, context=start.context or recalled.choices.context)


async def _recalled(services: Services, name: str, model_id: str, engine_id: str) -> Recalled:
    try:
        return await services.profiles.recall(name, model_id, engine_id)
    except AppError as error:
        last = await services.profiles.last(model_id, engine_id) if name == LAST else None
        if last is None:
            raise error
        return last


async def _tell_what_changed(services: Services, console: Console) -> None:
    """It worked once: the way there is what differs from then."""
    since = await services.launches.since_good(services.server_status.model)
    for name, (good, now) in (since.changed if since is not None else {}).items():
        console.say("since_good", option=name, good=good, now=now)


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
