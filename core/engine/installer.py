"""Builds one engine folder, step by step.

A virtual environment cannot be moved (its scripts name their interpreter by full path), so it is made where it will
stay: `<engines>/<id>`. What keeps a half-made one from being taken for whole is the order of writing: `engine.json`
comes last, after a real import. Whoever holds the engine's lock and finds a folder without `engine.json` deletes it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
import uv

from core.engine import interpreters, manifest
from core.engine.child_env import installer_env
from core.engine.inspection import inspect, venv_python
from core.engine.install_progress import FolderSize, Meter, folder_bytes
from core.engine.interpreters import Interpreter
from core.engine.manifest import Manifest
from core.engine.pip_output import ByteCounter, available_versions, connection_trouble, failure, is_conflict, note_of
from core.engine.recipes import Recipe
from core.engine.tool import ToolResult, run_tool, to_the_end
from core.errors import AppError

log = logging.getLogger(__name__)

_RAW_PROGRESS_SINCE: Final = (24, 1)
_MARGIN_BYTES: Final = 200_000_000
# An index that is only an alternative is not waited for long.
_UPSTREAM_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a silent package index is waited for: `timeout_s` per answer, asked 1 + `retries` times."""

    timeout_s: float = 30.0
    retries: int = 2


def steps_of(recipe: Recipe) -> tuple[str, ...]:
    """Ids of the steps, in order; the words for them are the interface's."""
    steps = ["python", "space", "venv"]
    if recipe.tool == "pip":
        steps += ["pip"] if recipe.pip else []
        steps += ["torch"] if recipe.torch else []
    steps += ["vllm"]
    steps += ["repair"] if recipe.unwanted else []
    return (*steps, "verify")


def uv_indexes(recipe: Recipe) -> tuple[str, ...]:
    """uv's options for where a recipe's packages lie: what is in `index` comes from there and from nowhere else (uv's
    default strategy)."""
    backend = (f"--torch-backend={recipe.torch_backend}",) if recipe.torch_backend else ()
    index = ("--extra-index-url", recipe.index) if recipe.index else ()
    return (*backend, *index, *(() if recipe.steady else ("--prerelease=allow",)))


class Installer:
    """One installation. The caller holds the engine's lock (`lock` is its descriptor) and deletes the folder when
    `run` raises."""

    def __init__(
        self, recipe: Recipe, folder: Path, meter: Meter, lock: int, patience: Patience, driver: str = ""
    ) -> None:
        self._recipe = recipe
        self._driver = driver
        self._packages = recipe.packages
        self._folder = folder
        self._meter = meter
        self._lock = lock
        self._patience = patience
        self._python = str(venv_python(folder))
        self._temporary = folder / ".tmp"
        self._raw_progress = False
        self._indexes: tuple[str, ...] = ()

    async def run(self) -> Manifest:
        """Build, verify, write `engine.json`.

        Raises:
            AppError: `engine.no_python`, `install.*`, `engine.broken`.
        """
        recipe = self._recipe
        self._meter.begin("python")
        async with aclosing(interpreters.usable(recipe.python_min, recipe.python_below)) as pythons:
            first = await anext(pythons)
            self._meter.begin("space")
            self._check_space()
            await self._make_venv(first)
            if recipe.tool == "pip":
                await self._prepare_pip()
                await self._install_torch(first, pythons)
                await self._choose_source()
        await self._install_packages()
        if recipe.unwanted:
            self._meter.begin("repair")
            await self.remove_unwanted()
        return await self._finish()

    async def remove_unwanted(self) -> None:
        """Uninstall what does not fit this engine's torch; what is not there is no error for pip and uv."""
        if self._recipe.tool == "uv":
            command = [uv.find_uv_bin(), "pip", "uninstall", "--python", self._python]
        else:
            command = self._pip("uninstall", "--yes")
        await self._must("repair", [*command, *self._recipe.unwanted])

    # ---- steps

    def _check_space(self) -> None:
        free = shutil.disk_usage(self._folder.parent).free
        needed = self._recipe.needed_bytes + _MARGIN_BYTES
        if free < needed:
            path = str(self._folder.parent)
            raise AppError("install.disk_full", path=path, needed_bytes=needed, free_bytes=free)

    async def _make_venv(self, interpreter: Interpreter) -> None:
        self._meter.begin("venv", f"Python {interpreter.text}")
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._temporary.mkdir(exist_ok=True)
        command = [interpreter.executable, "-I", "-m", "venv", "--clear", str(self._folder)]
        if self._recipe.tool == "uv":
            command.insert(-1, "--without-pip")
        result = await self._tool(command, python=interpreter.executable, cwd=self._folder.parent)
        self._temporary.mkdir(exist_ok=True)  # --clear emptied the folder
        if result.exit_code:
            raise await self._failure("venv", result)

    async def _prepare_pip(self) -> None:
        """A pip that can print bytes. Without one the growth of the folder has to serve."""
        version = await self._pip_version()
        if version < _RAW_PROGRESS_SINCE and self._recipe.pip:
            self._meter.begin("pip")
            result = await self._tool(self._pip("install", self._recipe.pip))
            if result.exit_code:
                error = await self._failure("pip", result)
                if error.code != "install.not_found":
                    raise error
                log.info("%s: %s is not in the index, staying with pip %s", self._recipe.id, self._recipe.pip, version)
            version = await self._pip_version()
        self._raw_progress = version >= _RAW_PROGRESS_SINCE

    async def _pip_version(self) -> tuple[int, ...]:
        result = await self._must("pip", self._pip("--version"))
        words = result.lines[-1].split()
        return tuple(int(part) for part in words[1].split(".")[:2])

    async def _install_torch(self, first: Interpreter, others: AsyncIterator[Interpreter]) -> None:
        """Torch from an index that pip knows, for whichever Python has it; else from PyTorch's own CPU index."""
        recipe = self._recipe
        if not recipe.torch:
            return
        self._meter.begin("torch")
        chosen = await self._interpreter_with_torch(first, others)
        options: tuple[str, ...] = ()
        if chosen is None:
            log.info("%s: no known index has %s, using %s", recipe.id, recipe.torch, recipe.torch_index)
            options = ("--index-url", recipe.torch_index) if recipe.torch_index else ()
        elif chosen is not first:
            log.info("%s: %s is there for Python %s only", recipe.id, recipe.torch, chosen.minor)
            await self._make_venv(chosen)
            await self._prepare_pip()
            self._meter.begin("torch")
        await self._counted("torch", self._pip_install(*options, "--no-deps", recipe.torch), recipe.torch_bytes)

    async def _interpreter_with_torch(
        self, first: Interpreter, others: AsyncIterator[Interpreter]
    ) -> Interpreter | None:
        if await self._has_torch(first):
            return first
        asked = {first.minor}
        async for interpreter in others:
            if interpreter.minor not in asked and await self._has_torch(interpreter):
                return interpreter
            asked.add(interpreter.minor)
        return None

    async def _has_torch(self, interpreter: Interpreter) -> bool:
        """Whether an index that pip knows has it for that Python. Reads the page only: nothing is downloaded."""
        name, _, version = self._recipe.torch.partition("==")
        result = await self._ask_index(name, "--python-version", interpreter.minor)
        trouble = connection_trouble(result.lines, f"step torch\n{result.tail}", self._patience.timeout_s)
        if result.exit_code and trouble is not None:
            raise trouble
        return version in available_versions(result.lines)

    async def _ask_index(self, name: str, *options: str, patience: Patience | None = None) -> ToolResult:
        """What the indexes have of a package. Only so talkative does pip say why it could not read a page."""
        return await self._tool(self._pip("-vv", "index", "versions", name, *options), patience=patience)

    async def _choose_source(self) -> None:
        """vLLM's own build where its index answers and has it; one that does not answer is nobody's trouble."""
        recipe = self._recipe
        if not recipe.upstream:
            return
        name, _, version = recipe.upstream.partition("==")
        options = ("--index-url", recipe.upstream_index)
        limit_s = min(_UPSTREAM_S, self._patience.timeout_s)
        try:
            async with asyncio.timeout(2 * limit_s):
                asked = await self._ask_index(name, *options, patience=Patience(limit_s, retries=0))
        except TimeoutError:
            return
        if version in available_versions(asked.lines):
            log.info("%s: %s has %s", recipe.id, recipe.upstream_index, recipe.upstream)
            self._packages = (recipe.upstream, *recipe.packages[1:])
            self._indexes = ("--extra-index-url", recipe.upstream_index)

    async def _install_packages(self) -> None:
        recipe = self._recipe
        self._meter.begin("vllm")
        rest = recipe.download_bytes + recipe.disk_bytes - recipe.torch_bytes
        if recipe.tool == "uv":
            options = uv_indexes(recipe)
            command = [uv.find_uv_bin(), "pip", "install", "--python", self._python, *options, *recipe.packages]
            await self._counted("vllm", command, rest)
            return
        known_good = recipe.constraints_path
        wanted = (*self._indexes, *((recipe.torch,) if recipe.torch else ()), *self._packages)
        if known_good is None:
            await self._counted("vllm", self._pip_install(*wanted), rest)
            return
        result = await self._count("vllm", self._pip_install("-c", str(known_good), *wanted), rest)
        if result.exit_code == 0:
            return
        error = await self._failure("vllm", result)
        if error.code != "install.not_found" and not is_conflict(result.lines):
            raise error
        # An index without one of the known-good releases: newer ones may do; the import at the end decides.
        log.warning("%s: the known-good versions cannot be had (%s), trying others", recipe.id, error)
        await self._counted("vllm", self._pip_install(*wanted), rest)

    async def _finish(self) -> Manifest:
        self._meter.begin("verify")
        recipe = self._recipe
        async with self._meter.ticking(lambda: 0):
            found = await inspect(self._python, importing=True, keep_open=(self._lock,))
        record = manifest.of_inspection(found, recipe.id, platform=recipe.platform, key=recipe.key)
        if record.failure is not None:
            raise AppError(record.failure.code, record.failure.detail, **record.failure.facts)
        await to_the_end(asyncio.to_thread(shutil.rmtree, self._temporary, True))
        size = await asyncio.to_thread(folder_bytes, self._folder)
        record = msgspec.structs.replace(
            record, size_bytes=size, installed_at=time.time(), driver=self._driver, **self._about(record.source)
        )
        manifest.write(self._folder / manifest.FILE_NAME, record)
        self._meter.at_least(recipe.download_bytes + recipe.disk_bytes)
        return record

    def _about(self, source: str) -> dict[str, Any]:
        recipe = self._recipe
        return {"recipe": recipe.id, "kind": recipe.kind, "source": source or "upstream", "steady": recipe.steady}

    # ---- running tools

    def _pip(self, *arguments: str) -> list[str]:
        return [self._python, "-I", "-m", "pip", *arguments]

    def _pip_install(self, *arguments: str) -> list[str]:
        bar = "raw" if self._raw_progress else "off"
        return self._pip("install", "--progress-bar", bar, "--no-warn-script-location", *arguments)

    async def _tool(
        self,
        command: list[str],
        *,
        python: str | None = None,
        cwd: Path | None = None,
        on_line: Callable[[str], None] = lambda _line: None,
        measure: Callable[[], int] = lambda: 0,
        patience: Patience | None = None,
    ) -> ToolResult:
        patience = patience or self._patience
        env = installer_env(self._temporary, timeout_s=patience.timeout_s, retries=patience.retries)
        python, cwd = python or self._python, cwd or self._folder
        async with self._meter.ticking(measure):
            return await run_tool(command, python=python, env=env, cwd=cwd, on_line=on_line, keep_open=(self._lock,))

    async def _must(self, step: str, command: list[str]) -> ToolResult:
        result = await self._tool(command)
        if result.exit_code:
            raise await self._failure(step, result)
        return result

    async def _counted(self, step: str, command: list[str], expected_bytes: int) -> None:
        result = await self._count(step, command, expected_bytes)
        if result.exit_code:
            raise await self._failure(step, result)

    async def _count(self, step: str, command: list[str], expected_bytes: int) -> ToolResult:
        """Run a download and show its bytes: what pip counts, or how much the folder (uv: the disk) has grown."""
        before = self._meter.done_bytes
        counter = ByteCounter()
        size = FolderSize(self._folder, whole_disk=self._recipe.tool == "uv")

        def see(line: str) -> None:
            if not counter.feed(line):
                self._meter.note(note_of(line))

        def measure() -> int:
            return before + min(max(counter.done_bytes, size.grown_bytes), expected_bytes)

        async with size.watching():
            result = await self._tool(command, on_line=see, measure=measure)
        if result.exit_code == 0:
            self._meter.at_least(before + expected_bytes)
        return result

    async def _failure(self, step: str, result: ToolResult) -> AppError:
        error = failure(
            result.lines, step, path=str(self._folder.parent),
            needed_bytes=self._recipe.needed_bytes, free_bytes=shutil.disk_usage(self._folder.parent).free,
            timeout_s=self._patience.timeout_s,
        )  # fmt: skip
        if error.code != "install.not_found" or self._recipe.tool != "pip":
            return error
        # pip says "not found" of a package whose page it could not read, too.
        name = re.split(r"[^A-Za-z0-9._-]", str(error.facts["package"]))[0]
        asked = await self._ask_index(name)
        return connection_trouble(asked.lines, f"step {step}\n{asked.tail}", self._patience.timeout_s) or error
