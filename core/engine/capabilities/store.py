"""The capabilities of an installed engine: read once for each state of its files, then kept in the cache folder."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import logging
from pathlib import Path
from typing import Final

import msgspec

from core.engine.capabilities.model import REGISTRY, Capabilities
from core.engine.capabilities.options import ENGINE_ARGS, SERVER_ARGS
from core.engine.capabilities.read import read_capabilities
from core.engine.capabilities.registry import ENVIRONMENT, QUANTIZATION
from core.engine.child_env import clean_env
from core.engine.manifest import gone
from core.engine.tool import run_tool
from core.errors import AppError
from core.events import EngineInfo
from core.files import write_whole
from core.paths import Paths

log = logging.getLogger(__name__)

FIND_S: Final = 30.0
_KEPT: Final = 50
_MARK: Final = "STOWAGE "
# `find_spec` of a top-level name imports nothing.
_FIND: Final = f"import importlib.util as u; s = u.find_spec('vllm'); print({_MARK!r} + (s.origin if s else ''))"


class CapabilityStore:
    """Lives on the loop's thread; the reading itself runs in a thread of its own (most of a second, pure Python)."""

    def __init__(self, paths: Paths) -> None:
        self._folder = paths.cache / "capabilities"
        self._known: dict[str, Capabilities] = {}
        self._reading = asyncio.Lock()

    async def of(self, engine: EngineInfo) -> Capabilities:
        """What `engine` accepts and does.

        Raises:
            AppError: `engine.no_vllm` when its package is not found, `engine.unreadable` when nothing in it is
                understood.
        """
        package = await find_package(engine)
        key = await asyncio.to_thread(_key, engine, package)
        # One at a time: who asks meanwhile gets the answer of the first.
        async with self._reading:
            if key not in self._known:
                self._known[key] = await asyncio.to_thread(self._read, key, engine, package)
        return self._known[key]

    def _read(self, key: str, engine: EngineInfo, package: Path) -> Capabilities:
        path = self._folder / f"{key}.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=Capabilities)
        except FileNotFoundError:
            pass
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("%s is not read: %s", path, error)
        found = read_capabilities(package, engine.version, engine.platform)
        self._remember(path, found)
        return found

    def _remember(self, path: Path, found: Capabilities) -> None:
        """A full disk costs the next look a second, nothing else."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(found))
            files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
            for old in files[_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("capabilities are not kept: %s", error)


async def find_package(engine: EngineInfo) -> Path:
    """The `vllm` folder that the engine's Python would import.

    Raises:
        AppError: `engine.no_vllm`, `engine.broken` when its Python is gone.
    """
    python = Path(engine.python)
    for package in sorted(python.parent.parent.glob("lib*/python3*/site-packages/vllm")):
        if (package / "__init__.py").is_file():
            return package
    # An editable or system-wide install: its Python knows where. Nothing of vLLM is imported.
    try:
        async with asyncio.timeout(FIND_S):
            command = [engine.python, "-I", "-c", _FIND]
            result = await run_tool(command, python=engine.python, env=clean_env(), cwd=python.parent)
    except (TimeoutError, OSError) as error:
        if not python.exists():
            raise gone(engine.id, engine.python) from error
        raise AppError("engine.no_vllm", str(error), path=engine.python) from error
    line = next((line for line in result.lines if line.startswith(_MARK)), "")
    origin = Path(line.removeprefix(_MARK).strip())
    if origin.name != "__init__.py":
        raise AppError("engine.no_vllm", result.tail, path=engine.python)
    return origin.parent


def _key(engine: EngineInfo, package: Path) -> str:
    """Of the engine, the state of the files that say most, and the program that reads them."""
    stamps: list[object] = []
    for file in (ENGINE_ARGS, *SERVER_ARGS, REGISTRY, QUANTIZATION, ENVIRONMENT, "version.py", "_version.py"):
        try:
            stat = (package / file).stat()
            stamps.append((file, stat.st_size, stat.st_mtime_ns))
        except OSError:
            stamps.append((file, None))
    parts = [engine.id, engine.version, engine.platform, str(package), stamps, _reader()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@functools.cache
def _reader() -> str:
    """A digest of this very package: a newer Stowage reads anew."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py*")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
