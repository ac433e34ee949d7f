"""`stowage engine`: list, install, add, verify, repair, remove."""

from __future__ import annotations

from typing import Any

from core import words
from core.cli.console import Console
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.services import Services


async def list_engines(services: Services, console: Console) -> None:
    engines = await services.list_engines()
    selected = services.settings.current.engine
    if console.as_json:
        console.object({"engines": [as_object(engine, selected) for engine in engines]})
        return
    if not engines:
        console.out(console.text("no_engines"))
    for engine in engines:
        console.out(_line(engine, selected, console))


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
    await services.remove_engine(engine_id)
    if console.as_json:
        console.object({"removed": engine_id})
    else:
        console.out(console.text("removed" if ours else "forgotten", engine=engine_id))


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
    }
