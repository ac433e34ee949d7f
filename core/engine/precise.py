"""Precise mode: vLLM's own planner, run in an installed engine's Python without weights or a card (about 7 s).

What it answered is remembered under the cache folder by config, options and engine, so that it runs once for each.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from core.engine.child_env import inspection_env
from core.engine.tool import ToolResult, run_tool
from core.errors import AppError
from core.events import EngineInfo
from core.files import write_whole
from core.paths import Paths

log = logging.getLogger(__name__)

PROGRAMS: Final = Path(__file__).with_name("in_engine")
SCRIPT: Final = PROGRAMS / "precise_plan.py"
# A cold disk takes a minute for the imports; a model of a thousand layers some seconds.
TIMEOUT_S: Final = 180.0
_KEPT: Final = 200
_MARK: Final = "STOWAGE "


@dataclass(frozen=True, slots=True)
class PreciseTask:
    """What vLLM is asked.

    Attributes:
        files: texts of `config.json` and of what describes its quantization, by name.
        platform: "cuda" is pretended, on any engine; "cpu" needs the CPU build.
        capability, vram_bytes: of the pretended card.
        kv_bytes: what is left for the KV cache, None when that is not known.
        arguments: for vLLM's `EngineArgs`, by its names; a version leaves out those that it does not know.
    """

    files: Mapping[str, str]
    platform: Literal["cuda", "cpu"]
    capability: tuple[int, int] = (8, 9)
    vram_bytes: int = 0
    kv_bytes: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


class PreciseKv(msgspec.Struct, frozen=True):
    """As `core.planner.kv_cache.KvCache`; `refused` are vLLM's words."""

    bytes_per_block: int
    blocks_per_request: int
    bytes_one_request: int
    num_blocks: int | None
    capacity_tokens: int | None
    refused: str | None


class PreciseOffload(msgspec.Struct, frozen=True):
    offloaded_bytes: int
    pinned_bytes: int


class PreciseFigures(msgspec.Struct, frozen=True):
    """vLLM's figures in bytes and tokens. `offload` None for a way of offloading that is not followed."""

    weight_bytes: int
    context: int
    max_num_seqs: int
    max_num_batched_tokens: int
    kv: PreciseKv
    offload: PreciseOffload | None


@dataclass(frozen=True, slots=True)
class Precise:
    """`figures` None when vLLM refuses before it builds anything; `refused` then says why. `seconds` the run took,
    `cached` whether that was an earlier one."""

    engine: str
    version: str
    seconds: float
    cached: bool
    figures: PreciseFigures | None
    refused: str | None = None

    def as_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = msgspec.to_builtins(self.figures) if self.figures is not None else {}
        head = {"engine": self.engine, "version": self.version, "refused": self.refused}
        return head | {"seconds": round(self.seconds, 1), "cached": self.cached} | figures


class _Told(msgspec.Struct, frozen=True):
    """What the program in the engine says, beside the figures."""

    outcome: Literal["planned", "refused", "unsupported"]
    reason: str = ""
    trace: str = ""


class _Stored(msgspec.Struct, frozen=True):
    seconds: float
    figures: PreciseFigures | None
    refused: str | None


class PreciseMode:
    """Runs vLLM's planner. Cancelling `run` ends the run; nothing of it stays."""

    def __init__(self, paths: Paths, *, timeout_s: float = TIMEOUT_S) -> None:
        self._folder = paths.cache / "precise"
        self._timeout_s = timeout_s

    async def run(self, engine: EngineInfo, task: PreciseTask, on_start: Callable[[], None] = lambda: None) -> Precise:
        """What `engine`'s own planner says, remembered or asked now; `on_start` is called before the latter.

        Raises:
            AppError: `precise.unsupported` when this vLLM cannot build the model here, `precise.timeout`,
                `precise.failed` when it ended without an answer.
        """
        path = self._folder / f"{_key(engine, task)}.json"
        known = await asyncio.to_thread(_read, path)
        if known is not None:
            return Precise(engine.id, engine.version, known.seconds, True, known.figures, known.refused)
        _check(engine, task)
        on_start()
        began = time.monotonic()
        told = await self._ask(engine, task)
        stored = _Stored(round(time.monotonic() - began, 1), *told)
        await asyncio.to_thread(self._remember, path, stored)
        return Precise(engine.id, engine.version, stored.seconds, False, stored.figures, stored.refused)

    async def _ask(self, engine: EngineInfo, task: PreciseTask) -> tuple[PreciseFigures | None, str | None]:
        with tempfile.TemporaryDirectory(prefix="stowage-precise-") as name:
            folder = Path(name)
            await asyncio.to_thread(_lay_out, folder, task)
            # Its temporary files and caches go with the folder; a pretended card must not wake a real one.
            env = inspection_env() | {"TMPDIR": name, "VLLM_CACHE_ROOT": name, "CUDA_VISIBLE_DEVICES": ""}
            command = [engine.python, "-I", str(SCRIPT), str(folder / "task.json")]
            try:
                async with asyncio.timeout(self._timeout_s):
                    result = await run_tool(command, python=engine.python, env=env, cwd=folder)
            except TimeoutError as error:
                raise AppError("precise.timeout", seconds=round(self._timeout_s)) from error
            except OSError as error:
                raise AppError("precise.failed", repr(error), reason=str(error)) from error
        return _understood(result)

    def _remember(self, path: Path, stored: _Stored) -> None:
        """A disk that is full costs the next run seven seconds, nothing else."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(stored))
            files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
            for old in files[_KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("the answer of precise mode is not kept: %s", error)


def _check(engine: EngineInfo, task: PreciseTask) -> None:
    if task.platform == "cpu" and engine.platform != "cpu":
        raise AppError("precise.unsupported", reason=f"{engine.id} is no CPU build")
    if task.arguments.get("tensor_parallel_size", 1) != 1:
        raise AppError("precise.unsupported", reason="several cards cannot be pretended")


def _key(engine: EngineInfo, task: PreciseTask) -> str:
    """Of all that decides the answer, the program itself included."""
    programs = {file.name: file.read_text(encoding="utf-8") for file in sorted(PROGRAMS.glob("*.py"))}
    parts = [engine.id, engine.version, engine.python, asdict(task), programs]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _read(path: Path) -> _Stored | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Stored)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("%s is not read: %s", path, error)
        return None


def _lay_out(folder: Path, task: PreciseTask) -> None:
    model = folder / "model"
    model.mkdir()
    for name, text in task.files.items():
        (model / Path(name).name).write_text(text, encoding="utf-8")
    asked = asdict(task) | {"model": str(model)}
    del asked["files"]
    (folder / "task.json").write_text(json.dumps(asked), encoding="utf-8")


def _understood(result: ToolResult) -> tuple[PreciseFigures | None, str | None]:
    line = next((line for line in reversed(result.lines) if line.startswith(_MARK)), None)
    if line is None:
        last = result.lines[-1] if result.lines else f"exit code {result.exit_code}"
        raise AppError("precise.failed", result.tail, reason=last)
    try:
        told = msgspec.json.decode(line[len(_MARK) :], type=_Told)
        if told.outcome == "planned":
            return msgspec.json.decode(line[len(_MARK) :], type=PreciseFigures), None
    except msgspec.MsgspecError as error:
        raise AppError("precise.failed", line[:2000], reason=str(error)) from error
    if told.outcome == "refused":
        return None, told.reason
    raise AppError("precise.unsupported", told.trace, reason=told.reason)
