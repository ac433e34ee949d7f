"""From what was typed to what the planner is asked: the model, the options, the engine, the computer."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.files import weight_files
from core.checkpoint.folder import inspect_folder
from core.checkpoint.load import load_checkpoint
from core.cli.frame import Frame
from core.engine.environments import Environments
from core.engine.recipes import CPU, CUDA
from core.engine.starter import StarterRecipe
from core.errors import AppError
from core.events import EngineInfo
from core.hub.cache.launchable import snapshot_path
from core.hub.places import cache_folder
from core.ledger.identity import identity_of
from core.ledger.launches import LaunchLedger
from core.machine.model import Machine
from core.machine.monitor import take
from core.machine.probe.result import ProbeStore, machine_key
from core.machine.reader import Sources
from core.models import hub_reference
from core.planner.hardware import described, hardware_of
from core.planner.options import GIB, Engine, Hardware, Options, Request
from core.planner.written import AUTO, read_capability, read_card, read_context, read_kv_dtype, read_size, read_version
from core.planning.checkpoints import STARTER_CONFIG

STARTER: Final = "starter"
_LEAST_CARD: Final = GIB // 8


@dataclass(frozen=True, slots=True)
class Asked:
    """The command's options as they were typed."""

    model: str
    gpu: str | None = None
    vram: str | None = None
    cc: str | None = None
    ram: str | None = None
    cpu: bool = False
    context: str | None = None
    max_seqs: int | None = None
    max_batched_tokens: int | None = None
    kv_dtype: str = "auto"
    kv_budget_gib: str | None = None
    offload: str | None = None
    offload_params: tuple[str, ...] = ()
    kv_offload: str | None = None
    ple_in_vram: bool = False
    ple: str = "gpu"
    tp: int = 1
    eager: bool = False
    text_only: bool = False
    leave: str | None = None
    engine_version: str | None = None
    solve: bool = False
    full_kv_precision: bool = False
    precise: bool = False

    @property
    def elsewhere(self) -> bool:
        """Whether it is about a computer that is only described."""
        return self.gpu is not None or self.vram is not None


@dataclass(frozen=True, slots=True)
class Subject:
    """A model as it was found: `path` of its folder or config; `present_bytes` of weight files that are here."""

    name: str
    path: Path
    checkpoint: Checkpoint
    present_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """All that a plan depends on. `longest`: the context is to be as long as memory allows. `installed`: the engine
    that is here, None without one. `assumed`: ids of what nobody stated (terms of group "plan"); `machine`: this
    computer, where the plan is for it and for the engine that is here."""

    request: Request
    longest: bool = False
    installed: EngineInfo | None = None
    engine_needed: bool = False
    assumed: tuple[str, ...] = ()
    machine: Machine | None = None


# ---- the model -----------------------------------------------------------------------------------------------------


def find_subject(frame: Frame, model: str) -> Subject:
    """Raises: AppError: `model.*`."""
    if model == STARTER:
        return _starter(frame.paths.models / StarterRecipe().name, model)
    ref = None if Path(model).exists() or model.endswith(".json") else hub_reference(model)
    if ref is not None:
        path = snapshot_path(cache_folder(frame.settings.current), ref)
        return Subject(str(ref), path, _loaded(path), _present_bytes(path))
    known = [folder for folder in frame.settings.current.model_folders if Path(folder).name == model]
    path = Path(known[0] if len(known) == 1 and not Path(model).exists() else model).expanduser().absolute()
    if not path.exists() and os.sep not in model and not model.endswith(".json"):
        raise AppError("model.unknown", model=model)
    if path.is_dir() and not (path / "config.json").is_file():
        inspect_folder(path)
    name = (
        path.stem if path.is_file() and path.name != "config.json" else (path.parent if path.is_file() else path).name
    )
    return Subject(name, path, _loaded(path), _present_bytes(path))


def _loaded(path: Path) -> Checkpoint:
    try:
        return load_checkpoint(path)
    except AppError as error:
        if error.code != "model.not_a_checkpoint" or error.facts["path"] is not None:
            raise
        raise AppError(error.code, error.detail, path=str(path), missing=error.facts["missing"]) from error


def _starter(folder: Path, name: str) -> Subject:
    """Its own config, before it is made too."""
    path = folder if (folder / "config.json").is_file() else STARTER_CONFIG
    return Subject(name, path, load_checkpoint(path), _present_bytes(path))


def _present_bytes(path: Path) -> int:
    if not path.is_dir():
        return 0
    found = weight_files(entry.name for entry in path.iterdir() if entry.is_file())
    return sum((path / name).stat().st_size for name in found.present) if found is not None else 0


# ---- the rest ------------------------------------------------------------------------------------------------------


async def make_question(frame: Frame, asked: Asked) -> Question:
    """Raises: AppError: `plan.*`, `engine.broken`."""
    options, longest = _options(asked)
    version = read_version(asked.engine_version) if asked.engine_version else None
    installed = await _installed(frame)
    if asked.elsewhere:
        hardware, assumed = _described(asked)
        request = Request(options, Engine(version or newest("cuda")), hardware)
        return Question(request, longest, installed, True, assumed)
    machine, hardware = await _here(frame, asked)
    platform = "cpu" if asked.cpu or not _runs_on_cuda(installed, hardware) else "cuda"
    fits = installed is not None and installed.platform == platform
    if version is None:
        version = read_version(installed.version) if installed is not None and fits else newest(platform)
    if platform == "cuda" and asked.tp > max(1, len(hardware.gpus)):
        raise AppError("plan.too_few_gpus", wanted=asked.tp, found=len(hardware.gpus))
    request = Request(options, Engine(version, platform), hardware)
    own = fits and installed is not None and version == read_version(installed.version)
    assumed = () if asked.cpu or fits else ("assumed_engine",)
    return Question(request, longest, installed, not fits, assumed, machine if own else None)


def _options(asked: Asked) -> tuple[Options, bool]:
    context = read_context(asked.context) if asked.context is not None else None
    size = {
        name: read_size(f"--{name.replace('_', '-')}", text) if text is not None else None
        for name, text in (
            ("kv_budget_gib", asked.kv_budget_gib),
            ("offload", asked.offload),
            ("kv_offload", asked.kv_offload),
            ("leave", asked.leave),
        )
    }
    options = Options(
        context=context if isinstance(context, int) else None,
        max_num_seqs=asked.max_seqs,
        max_num_batched_tokens=asked.max_batched_tokens,
        kv_cache_dtype=read_kv_dtype(asked.kv_dtype),
        kv_cache_bytes=size["kv_budget_gib"],
        offload_gib=(size["offload"] or 0) / GIB,
        offload_params=asked.offload_params,
        kv_offload_gib=(size["kv_offload"] or 0) / GIB,
        ple_in_ram=not asked.ple_in_vram,
        ple_placement=asked.ple,
        tensor_parallel=asked.tp,
        enforce_eager=asked.eager,
        language_model_only=asked.text_only,
        reserve_bytes=size["leave"],
    )
    return options, context == AUTO


def _described(asked: Asked) -> tuple[Hardware, tuple[str, ...]]:
    card = read_card(asked.gpu) if asked.gpu is not None else None
    vram = read_size("--vram", asked.vram, least=_LEAST_CARD) if asked.vram is not None else None
    capability = read_capability(asked.cc) if asked.cc is not None else None
    ram = read_size("--ram", asked.ram, least=_LEAST_CARD) if asked.ram is not None else None
    hardware = described(card, vram_bytes=vram, capability=capability, ram_bytes=ram, cards=asked.tp)
    missing = (("assumed_capability", card is None and capability is None), ("unknown_ram", ram is None))
    return hardware, tuple(name for name, absent in missing if absent)


async def with_lessons(frame: Frame, question: Question, checkpoint: Checkpoint) -> Question:
    """With what launches of this kind of model on this computer have taught."""
    if question.machine is None or question.installed is None or not frame.paths.launch_history.exists():
        return question
    eager = question.request.options.enforce_eager
    identity = identity_of(question.machine, question.installed, checkpoint, eager=eager)
    ledger = LaunchLedger(frame.paths.launch_history)
    frame.closers.append(ledger.close)
    learned = (await ledger.lessons(identity)).of(eager)
    return replace(question, request=replace(question.request, learned=learned))


async def _here(frame: Frame, asked: Asked) -> tuple[Machine, Hardware]:
    """This computer, with another amount of RAM where one was given."""
    machine, _ledger = await take(Sources.of_user(frame.paths, lambda: cache_folder(frame.settings.current)))
    probe = await asyncio.to_thread(ProbeStore(frame.paths.state / "probe.json").find, machine_key(machine))
    hardware = hardware_of(machine, probe)
    if asked.ram is None:
        return machine, hardware
    given = described(None, ram_bytes=read_size("--ram", asked.ram, least=_LEAST_CARD))
    return machine, Hardware(
        hardware.gpus, given.ram_total_bytes, given.ram_available_bytes, hardware.ram_bandwidth,
        hardware.disk_free_bytes, hardware.shm_free_bytes, hardware.memlock_bytes, hardware.cpu_cores, hardware.wsl,
    )  # fmt: skip


async def _installed(frame: Frame) -> EngineInfo | None:
    try:
        return await Environments(frame.paths, frame.settings, frame.bus).default()
    except AppError as error:
        if error.code not in ("engine.none", "engine.broken"):
            raise
        return None


def _runs_on_cuda(installed: EngineInfo | None, hardware: Hardware) -> bool:
    return installed.platform == "cuda" if installed is not None else bool(hardware.gpus)


def newest(platform: str) -> tuple[int, ...]:
    """The newest vLLM that Stowage knows for this platform."""
    return read_version((CUDA if platform == "cuda" else CPU).version)
