"""What is left of an installation that was cut off. A small file beside the engine's folder says what was being made;
it is written before the first byte of the engine and deleted after `engine.json`, so whatever ends an installation,
either the engine is whole or the next start knows of the half one."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Final

import msgspec

from core.engine.engine_lock import is_locked
from core.engine.install_progress import folder_bytes
from core.engine.manifest import FILE_NAME
from core.engine.recipes import Recipe
from core.engine_records import HalfInstall
from core.files import write_whole

log = logging.getLogger(__name__)

_SUFFIX: Final = ".install.json"


class Begun(msgspec.Struct, frozen=True):
    """`recipe` as in `HalfInstall`."""

    id: str
    recipe: str
    title: str
    step: str
    began_at: float


class Journal:
    """The record of one running installation. `step` may be called from the loop: a small file, once per step."""

    def __init__(self, engines: Path, recipe: Recipe) -> None:
        self._path = _path(engines, recipe.id)
        self._begun = Begun(recipe.id, recipe.id, recipe.title, "", time.time())

    def step(self, step: str) -> None:
        """Raises: OSError."""
        if step != self._begun.step:
            self._begun = msgspec.structs.replace(self._begun, step=step)
            write_whole(self._path, msgspec.json.encode(self._begun))

    def end(self) -> None:
        self._path.unlink(missing_ok=True)


def find(engines: Path) -> tuple[HalfInstall, ...]:
    """Half engines that nobody is working on. A folder that looks like an environment and has no record counts too (an
    older Stowage wrote none)."""
    begun = {path.name.removesuffix(_SUFFIX)[1:]: _read(path) for path in engines.glob(f".*{_SUFFIX}")}
    for config in engines.glob("[!.]*/pyvenv.cfg"):
        begun.setdefault(config.parent.name, None)
    found: list[HalfInstall] = []
    for engine_id, record in sorted(begun.items()):
        folder = engines / engine_id
        if is_locked(engines, engine_id):
            continue
        if (folder / FILE_NAME).exists():
            _path(engines, engine_id).unlink(missing_ok=True)
            continue
        record = record or Begun(engine_id, engine_id, engine_id, "", 0.0)
        found.append(
            HalfInstall(
                engine_id, record.recipe, record.title, record.step, record.began_at, size_bytes=folder_bytes(folder)
            )
        )
    return tuple(found)


def forget(engines: Path, engine_id: str) -> None:
    _path(engines, engine_id).unlink(missing_ok=True)


def _path(engines: Path, engine_id: str) -> Path:
    return engines / f".{engine_id}{_SUFFIX}"


def _read(path: Path) -> Begun | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Begun)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read: %s", path.name, error)
        return None
