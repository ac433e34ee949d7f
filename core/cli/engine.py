"""`stowage engine`: what is there, installing, updating behind a trial, rolling back, tidying up."""

from __future__ import annotations

from typing import Any

from core import words
from core.cli.console import Console
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.services import Services


async def list_engines(services: Services, console: Console) -> None:
    engines, halves = await services.list_engines(), await services.engines.halves()
    selected = await _default(services)
    if console.as_json:
        half = [{"id": half.id, "step": half.step, "size_bytes": half.size_bytes} for half in halves]
        console.object({"engines": [as_object(engine, selected) for engine in engines], "half_installed": half})
        return
    if not engines and not halves:
        console.out(console.text("no_engines"))
    for engine in engines:
        console.out(_line(engine, selected, console))
    for half in halves:
        step = words.term("step", half.step, console.language)
        size = words.show_bytes(half.size_bytes, console.language)
        console.out(console.text("half", engine=half.id, step=step, size=size))


async def install(services: Services, console: Console, recipe: str | None) -> None:
    engine = await services.install_engine(recipe)
    _tell(console, "installed", engine)


async def add(services: Services, console: Console, path: str) -> None:
    _tell(console, "verified", await services.add_engine(path))


async def verify(services: Services, console: Console, engine_id: str | None) -> None:
    """Really import vLLM in the engine. Raises what is wrong with it."""
    name = engine_id or (await services.default_engine()).id
    engine = await services.verify_engine(name)
    if engine.error is not None:
        raise AppError(engine.error.code, engine.error.detail, **engine.error.facts)
    _tell(console, "verified", engine)


async def repair(services: Services, console: Console, engine_id: str) -> None:
    _tell(console, "verified", await services.repair_engine(engine_id))


async def remove(services: Services, console: Console, engine_id: str) -> None:
    ours = {engine.id: engine.ours for engine in await services.list_engines()}.get(engine_id, True)
    freed = await services.remove_engine(engine_id)
    if console.as_json:
        console.object({"removed": engine_id, "freed_bytes": freed})
        return
    text = console.text("removed" if ours else "forgotten", engine=engine_id)
    console.out(f"{text} {console.text('freed', size=words.show_bytes(freed, console.language))}" if freed else text)


async def use(services: Services, console: Console, engine_id: str) -> None:
    await services.select_engine(engine_id)
    _say_default(console, "chosen", engine_id)


async def roll_back(services: Services, console: Console) -> None:
    _say_default(console, "rolled_back", (await services.engines.roll_back()).id)


async def check(services: Services, console: Console, engine_id: str | None) -> None:
    """Ask for a newer version; that there is none is an answer, too."""
    try:
        offer = await services.engines.check_update(engine_id)
    except AppError as error:
        if error.code != "engine.up_to_date":
            raise
        if console.as_json:
            console.object({"engine": error.facts["engine"], "newer": None})
        else:
            console.out(words.explain(error, console.language).sentence)
        return
    if console.as_json:
        console.object({"engine": offer.engine.id, "newer": offer.recipe.version})
    else:
        facts = {"version": offer.recipe.version, "engine": offer.engine.id, "now": offer.engine.version}
        console.out(console.text("update_exists", **facts))


async def update(services: Services, console: Console, engine_id: str | None, version: str | None) -> None:
    engine = await services.engines.update(engine_id, version)
    if console.as_json:
        console.object(as_object(engine, engine.id))
        return
    canary = engine.canary
    rates = (canary.rate, canary.before_rate) if canary is not None else (None, None)
    rate, before = (console.text("not_measured") if figure is None else f"{figure:.1f}" for figure in rates)
    console.out(console.text("updated", engine=engine.id, version=engine.version, rate=rate, before=before))


async def resume(services: Services, console: Console, engine_id: str) -> None:
    _tell(console, "installed", await services.engines.resume(engine_id))


async def clean(services: Services, console: Console, engine_id: str) -> None:
    freed = await services.engines.clean_up(engine_id)
    if console.as_json:
        console.object({"cleaned": engine_id, "freed_bytes": freed})
    else:
        console.out(console.text("cleaned", engine=engine_id, size=words.show_bytes(freed, console.language)))


async def _default(services: Services) -> str | None:
    """The engine that a launch would take."""
    try:
        return (await services.default_engine()).id
    except AppError:
        return services.settings.current.engine


def _say_default(console: Console, name: str, engine_id: str) -> None:
    if console.as_json:
        console.object({"default": engine_id})
    else:
        console.out(console.text(name, engine=engine_id))


def _tell(console: Console, name: str, engine: EngineInfo) -> None:
    if console.as_json:
        console.object(as_object(engine, None))
        return
    values = {"version": engine.version, "platform": engine.platform, "python": engine.python_version}
    console.out(console.text(name, engine=engine.id, **values))


def _line(engine: EngineInfo, selected: str | None, console: Console) -> str:
    mark = "*" if engine.id == selected else " "
    state = words.term("engine_state", str(engine.state), console.language)
    size = words.show_bytes(engine.size_bytes, console.language) if engine.size_bytes else ""
    line = f"{mark} {engine.id:<16} vLLM {engine.version:<10} {engine.platform:<5} {state:<12} {size}".rstrip()
    marks = [
        console.text(name)
        for name, holds in (
            ("third_party", engine.third_party),
            ("nightly_kind", not engine.steady),
            ("failed_trial", engine.canary is not None and not engine.canary.passed),
        )
        if holds
    ]
    line += f"  ({', '.join(marks)})" if marks else ""
    if engine.error is not None and engine.state is EngineState.BROKEN:
        line += f"\n    {words.explain(engine.error, console.language).sentence}"
    return line


def as_object(engine: EngineInfo, selected: str | None) -> dict[str, Any]:
    return {
        "id": engine.id,
        "state": str(engine.state),
        "version": engine.version,
        "platform": engine.platform,
        "python": engine.python,
        "python_version": engine.python_version,
        "ours": engine.ours,
        "size_bytes": engine.size_bytes,
        "selected": engine.id == selected,
        "error": engine.error.code if engine.error else None,
        "kind": engine.kind,
        "torch": engine.torch,
        "third_party": engine.third_party,
        "installed_at": engine.installed_at,
        "checked_at": engine.checked_at,
        "canary": None if engine.canary is None else engine.canary.passed,
    }
