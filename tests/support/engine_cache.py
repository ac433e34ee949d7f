"""The real engine and the real starter model, made by the product itself and kept in the user's cache.

The engine's folder is keyed by its recipe, so a changed recipe makes a new one. What is found is verified by importing
vLLM before it is used (once for all workers and parts of a run), and made anew after two weeks, so that the installer
itself is exercised against today's package indexes.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import platformdirs

from core.engine import manifest
from core.engine.environments import Environments
from core.engine.recipes import CPU, Recipe
from core.errors import AppError
from core.events import EngineInfo, EngineState, Event, EventBus, ModelInfo, Progress
from core.models import Models
from core.paths import Paths
from core.settings import SettingsStore
from tests.support.held_folder import held
from tests.support.ple_runs import MAKER, make_checkpoint

CLONE_AGE_S = 24 * 3600
MAX_AGE_S = 14 * 24 * 3600
INSTALL_DEADLINE_S = 40 * 60
STARTER_DEADLINE_S = 15 * 60
BUSY_DEADLINE_S = 120
# The parts and workers of one run look at it one after another; each look imports vLLM for six seconds.
VERIFIED_FOR_S = 10 * 60

_ROOT = Path(__file__).parents[2]


def cache() -> Path:
    return platformdirs.user_cache_path("stowage-tests", appauthor=False)


@contextmanager
def engine(paths: Paths, recipe: Recipe = CPU) -> Generator[EngineInfo]:
    """The verified CPU engine. Held while in use, so that another run does not rebuild it underneath."""
    folder = cache() / f"engines-{recipe.key}"
    with held(folder) as lock:
        environments = _environments(paths, folder)
        found = _usable(environments, folder, recipe)
        if found is None:
            with lock.making():
                found = _usable(environments, folder, recipe)
                if found is None:
                    with lock.alone():
                        found = _rebuild(environments, folder, recipe)
        yield found


@contextmanager
def clones(*engines: EngineInfo) -> Generator[Path]:
    """An engines folder with a copy of each, for a test that changes or deletes them. The files are hard links, so a
    copy costs a second and no disk; replace one, never write into it."""
    for left in cache().glob("clones-*"):  # a run that was killed could not tidy up
        if time.time() - left.stat().st_mtime > CLONE_AGE_S:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="clones-", dir=cache()) as name:
        for engine_info in engines:
            original = Path(engine_info.python).parents[1]
            copy = Path(name) / engine_info.id
            shutil.copytree(original, copy, symlinks=True, copy_function=os.link)
            record = copy / manifest.FILE_NAME
            found = manifest.read(record)
            assert found is not None
            record.unlink()
            manifest.write(record, msgspec.structs.replace(found, python=str(copy / "bin" / "python")))
        yield Path(name)


@contextmanager
def starter(paths: Paths, engine_info: EngineInfo) -> Generator[ModelInfo]:
    """The starter checkpoint, made with that engine."""
    folder = cache() / f"models-{_starter_key()}"
    with held(folder) as lock:
        with lock.making():
            if _too_old(folder):
                with lock.alone():
                    shutil.rmtree(folder, ignore_errors=True)
            made = asyncio.run(_prepared(_models(paths, folder), engine_info))
            _stamp(folder)
        yield made


@contextmanager
def checkpoint(engine_info: EngineInfo, starter_folder: Path, name: str) -> Generator[Path]:
    """A small random checkpoint of `tiny_checkpoints.py`, only to be read. Making one costs the engine's Python seven
    seconds of imports, so it is kept under what it is made of."""
    digest = hashlib.sha256(f"{engine_info.id} {_starter_key()}".encode() + MAKER.read_bytes()).hexdigest()[:12]
    folder = cache() / f"checkpoint-{name}-{digest}"
    with held(folder) as lock:
        with lock.making():
            if _too_old(folder):
                with lock.alone():
                    shutil.rmtree(folder, ignore_errors=True)
                    folder.mkdir()
                    make_checkpoint(engine_info, starter_folder, folder, name)
                    _stamp(folder)
        yield folder / name


def _usable(environments: Environments, folder: Path, recipe: Recipe) -> EngineInfo | None:
    return None if _too_old(folder) else asyncio.run(_verified(environments, folder, recipe))


async def _verified(environments: Environments, folder: Path, recipe: Recipe) -> EngineInfo | None:
    verified = folder.with_suffix(".verified")
    end = time.monotonic() + BUSY_DEADLINE_S
    while True:
        known = {info.id: info for info in await environments.list()}
        info = known.get(recipe.id)
        if info is None or (_age_s(verified) < VERIFIED_FOR_S and info.state is EngineState.READY):
            return info
        try:
            info = await environments.verify(recipe.id)
        except AppError as error:
            # Another run or worker may be verifying it at this moment.
            if error.code != "engine.busy" or time.monotonic() > end:
                return None
            await asyncio.sleep(0.5)
        else:
            verified.touch()
            return info if info.state is EngineState.READY else None


def _age_s(stamp: Path) -> float:
    try:
        return time.time() - stamp.stat().st_mtime
    except OSError:
        return float("inf")


def _rebuild(environments: Environments, folder: Path, recipe: Recipe) -> EngineInfo:
    shutil.rmtree(folder, ignore_errors=True)

    async def install() -> EngineInfo:
        async with asyncio.timeout(INSTALL_DEADLINE_S):
            return await environments.install(recipe.id)

    info = asyncio.run(install())
    _stamp(folder)
    _remove_forgotten(folder)
    return info


def _remove_forgotten(present: Path) -> None:
    """Engines and models of older recipes (gigabytes each) that are past their age and that nobody holds."""
    for lock in present.parent.glob("*.lock"):
        folder = lock.with_suffix("")
        if folder == present:
            continue
        with lock.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if _too_old(folder):
                shutil.rmtree(folder, ignore_errors=True)


async def _prepared(models: Models, engine_info: EngineInfo) -> ModelInfo:
    async with asyncio.timeout(STARTER_DEADLINE_S):
        return await models.prepare(await models.resolve("starter"), engine_info)


def _starter_key() -> str:
    digest = hashlib.sha256(CPU.key.encode())
    for source in sorted(_ROOT.glob("core/**/starter*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _environments(paths: Paths, folder: Path) -> Environments:
    apart = replace(paths, engines=folder)
    return Environments(apart, SettingsStore(apart.settings_file), _spoken())


def _models(paths: Paths, folder: Path) -> Models:
    apart = replace(paths, data=folder)
    return Models(apart, SettingsStore(apart.settings_file), _spoken())


def _spoken() -> EventBus:
    """A bus whose progress can be read in the log of a long first run, one line per step."""
    bus = EventBus()
    seen: set[tuple[str, str]] = set()

    def tell(event: Event) -> None:
        if isinstance(event, Progress) and (event.job, event.step) not in seen:
            seen.add((event.job, event.step))
            print(f"  {event.job}: {event.step} {event.note}", file=sys.__stderr__, flush=True)

    bus.subscribe(tell)
    return bus


def _stamp(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder.with_suffix(".made")
    if not made.exists():
        made.write_text(f"{time.time()}\n")


def _too_old(folder: Path) -> bool:
    """True also for one that was never finished."""
    made = folder.with_suffix(".made")
    try:
        age_s = time.time() - float(made.read_text())
    except (OSError, ValueError):
        return True
    if 0 <= age_s <= MAX_AGE_S and folder.is_dir():
        return False
    made.unlink(missing_ok=True)
    return True
