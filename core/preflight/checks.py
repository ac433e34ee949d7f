"""The rules of a preflight. Pure: what was seen goes in, findings come out.

Sources: facts of vLLM 0.8.5 to 0.33 as read in their sources: FlexibleArgumentParser and `set_ulimit` (it raises the
soft limit of open files to 65,535 by itself), Triton's and torch's need
of a compiler and of Python.h, shared memory of the message queues between processes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.engine.capabilities.model import Capabilities
from core.engine.change import without
from core.engine.command import HOST
from core.engine.extra_args import MAY_BE_WRONG, check_extra
from core.errors import AppError
from core.events import EngineInfo
from core.machine.model import Machine
from core.planner.amounts import Verdict
from core.planner.levers import Lever
from core.planner.options import GIB, MIB, Engine
from core.planner.plan import Plan
from core.planning.choices import Choices, pulled
from core.planning.hardware import planned_gpu
from core.preflight.finding import Finding, Findings, Remedy, Severity
from core.preflight.surroundings import Surroundings

LEAST_DISK: Final = 100 * MIB
CALM_DISK: Final = GIB
LEAST_SHM: Final = 128 * MIB
LEAST_FILES: Final = 256
CALM_FILES: Final = 1024
# CUDA wheels: compute capability 7.5 since about 0.21, 7.0 before.
OLDEST_GPU: Final = {(0, 21): (7, 5), (0, 0): (7, 0)}
# Names in checkpoints for methods that vLLM calls otherwise (`override_quantization_method`, 0.33).
OTHER_NAMES: Final = {"auto-round": "inc", "intel/auto-round": "inc"}
# What the CPU build has kernels for; its list of methods is that of every build.
CPU_METHODS: Final = ("", "awq", "gptq", "auto_awq", "auto_gptq", "awq_marlin", "gptq_marlin", "compressed-tensors")
NO_PIN_BEFORE: Final = (0, 17)


@dataclass(frozen=True, slots=True)
class Question:
    """All that the rules look at. `checkpoint` and `plan` None where there is none; `levers` best first;
    `capabilities` None where the engine's source cannot be read: then nothing is guessed."""

    engine_info: EngineInfo
    engine: Engine
    choices: Choices
    machine: Machine
    seen: Surroundings
    checkpoint: Checkpoint | None = None
    plan: Plan | None = None
    levers: tuple[Lever, ...] = ()
    port: int | None = None
    capabilities: Capabilities | None = None

    @property
    def cpu(self) -> bool:
        return self.engine.platform == "cpu"


def judge(question: Question) -> tuple[Finding, ...]:
    """The findings, the worst first."""
    findings = Findings()
    for rule in RULES:
        rule(question, findings)
    return findings.sorted()


def _files(q: Question, out: Findings) -> None:
    if (problem := q.seen.files) is not None:
        out.add(Severity.BLOCK, AppError(problem.code, problem.detail, **problem.facts), anyway=False)
    elif q.seen.template is False:
        out.add(Severity.WARN, AppError("preflight.no_template"))


def _words(q: Question, out: Findings) -> None:
    words = q.choices.more.extra
    if q.capabilities is None or not words:
        return
    try:
        check_extra(words, q.capabilities)
    except AppError as error:
        flag = str(error.facts.get("flag") or "").partition(".")[0]
        remedy, left = None, without(words, (flag,))
        if flag and left != words:
            choices = replace(q.choices, more=replace(q.choices.more, extra=left))
            remedy = Remedy("drop_flag", flag, choices)
        out.add(Severity.BLOCK, error, remedy, anyway=error.code in MAY_BE_WRONG)


def _port(q: Question, out: Findings) -> None:
    holder = q.seen.port_holder
    if holder is not None:
        error = AppError("preflight.port_taken", HOST, port=q.port, holder=holder.name or None, pid=holder.pid or None)
        out.add(Severity.BLOCK, error, Remedy("any_port", any_port=True), anyway=False)


def _plan(q: Question, out: Findings) -> None:
    plan = q.plan
    if plan is None or plan.verdict is Verdict.FITS:
        return
    remedy = None
    if q.levers:
        lever = q.levers[0]
        remedy = Remedy(f"lever_{lever.id}", lever.value, pulled(q.choices, lever))
    if plan.refused:
        limit = q.checkpoint.context.tokens if q.checkpoint is not None else 0
        if plan.resolved.context_too_long and limit:
            remedy = Remedy("lever_context", str(limit), replace(q.choices, context=limit))
        out.add(Severity.BLOCK, AppError("preflight.refused", plan.refused, reason=plan.refused), remedy)
    elif plan.verdict is Verdict.NO:
        out.add(Severity.BLOCK, _too_large(plan), remedy)
    elif plan.verdict is Verdict.TIGHT:
        out.add(Severity.WARN, AppError("preflight.tight"), remedy)


def _too_large(plan: Plan) -> AppError:
    short = [
        (tier.low_bytes - tier.limit_bytes, tier)
        for tier in plan.tiers
        if tier.limit_bytes is not None and tier.low_bytes > tier.limit_bytes
    ]
    if short:
        lacking, tier = max(short, key=lambda item: item[0])
        return AppError(
            f"preflight.no_{tier.id}", needed_bytes=tier.low_bytes, free_bytes=tier.limit_bytes, lacking_bytes=lacking
        )
    return AppError("preflight.kv_too_small", context=plan.resolved.context, longest=plan.longest_context)


def _gpu(q: Question, out: Findings) -> None:
    if q.cpu or q.engine.platform != "cuda":
        return
    gpu = planned_gpu(q.machine)
    if gpu is None:
        out.add(Severity.BLOCK, AppError("preflight.no_gpu", engine=q.engine_info.id))
        return
    if q.plan is None:
        return
    capability = q.plan.request.hardware.gpus[0].capability
    oldest = next(cc for version, cc in OLDEST_GPU.items() if q.engine.at_least(*version))
    if capability < oldest:
        shown = {"found": _dotted(capability), "needed": _dotted(oldest)}
        out.add(Severity.BLOCK, AppError("preflight.gpu_old", gpu=gpu.name, **shown))


def _quantization(q: Question, out: Findings) -> None:
    method = q.checkpoint.quantization.method if q.checkpoint is not None else ""
    if not method or method == "?":
        return
    known = {found.name: found for found in q.capabilities.quantizations} if q.capabilities is not None else {}
    listed = known.get(OTHER_NAMES.get(method, method))
    if known and listed is None:
        out.add(Severity.WARN, AppError("preflight.method_gone", method=method, version=q.engine.text))
    if q.cpu:
        if method not in CPU_METHODS:
            out.add(Severity.WARN, AppError("preflight.method_cpu", method=method))
        return
    gpus = q.plan.request.hardware.gpus if q.plan is not None else ()
    if not gpus or listed is None or listed.min_capability is None:
        return
    needed = divmod(listed.min_capability, 10)
    if gpus[0].capability < needed:
        shown = {"found": _dotted(gpus[0].capability), "needed": _dotted(needed)}
        out.add(Severity.BLOCK, AppError("preflight.method_gpu", method=method, **shown))


def _architecture(q: Question, out: Findings) -> None:
    name = q.checkpoint.config.architecture if q.checkpoint is not None else ""
    known = {found.name for found in q.capabilities.architectures} if q.capabilities is not None else set[str]()
    if not name or q.capabilities is None or not known or name in known:
        return
    facts = {"architecture": name, "engine": q.engine_info.id, "version": q.engine.text}
    if name in q.capabilities.removed_architectures:
        out.add(Severity.BLOCK, AppError("preflight.architecture_gone", **facts))
    else:
        # vLLM may still run it with the model's own code or through Transformers.
        out.add(Severity.WARN, AppError("preflight.architecture_unknown", **facts))


def _compiler(q: Question, out: Findings) -> None:
    """A CPU build compiles with torch.compile only; a GPU build also without it, for Triton's kernels."""
    eager = q.choices.enforce_eager
    if q.cpu and eager:
        return
    severity = Severity.WARN if eager else Severity.BLOCK
    remedy = None if eager else Remedy("eager", choices=replace(q.choices, enforce_eager=True))
    if q.seen.compiler == "":
        out.add(severity, AppError("preflight.no_compiler", compiler="g++" if q.cpu else "gcc"), remedy)
    elif q.seen.headers is False:
        version = ".".join(q.engine_info.python_version.split(".")[:2])
        out.add(severity, AppError("preflight.no_headers", python=version), remedy)


def _cpu_features(q: Question, out: Findings) -> None:
    cpu = q.machine.cpu
    if not q.cpu or cpu.architecture not in ("x86_64", "AMD64") or not cpu.features:
        return
    if "avx2" not in cpu.features:
        out.add(Severity.BLOCK, AppError("preflight.cpu_old", cpu=cpu.name))
    elif "avx512f" not in cpu.features:
        out.add(Severity.INFO, AppError("preflight.no_avx512", cpu=cpu.name))


def _room(q: Question, out: Findings) -> None:
    state, cache = q.seen.state_free_bytes, q.seen.cache_free_bytes
    if state is not None and state < LEAST_DISK:
        out.add(Severity.BLOCK, AppError("preflight.disk_full", free_bytes=state, needed_bytes=LEAST_DISK))
    elif cache is not None and cache < CALM_DISK and not q.choices.enforce_eager:
        out.add(Severity.WARN, AppError("preflight.cache_full", free_bytes=cache, needed_bytes=CALM_DISK))
    shm = q.machine.ram.shm_free_bytes.or_none()
    if shm is not None and shm < LEAST_SHM:
        out.add(Severity.WARN, AppError("preflight.shm_small", free_bytes=shm, needed_bytes=LEAST_SHM))


def _limits(q: Question, out: Findings) -> None:
    if q.seen.open_files is not None:
        _soft, hard = q.seen.open_files
        if hard < CALM_FILES:
            severity = Severity.BLOCK if hard < LEAST_FILES else Severity.WARN
            out.add(severity, AppError("preflight.open_files", limit=hard, needed=CALM_FILES))
    pinned = q.plan.offload.pinned_bytes if q.plan is not None else 0
    locked = q.machine.ram.memlock_bytes.or_none()
    if pinned and locked is not None and pinned > locked:
        out.add(Severity.WARN, AppError("preflight.memlock", limit_bytes=locked, needed_bytes=pinned))


def _wsl(q: Question, out: Findings) -> None:
    plan = q.plan
    if not q.machine.platform.wsl or plan is None or not plan.offload.pinned_bytes:
        return
    if not q.engine.at_least(*NO_PIN_BEFORE):
        remedy = Remedy("no_offload", choices=replace(q.choices, offload_gib=0.0))
        out.add(Severity.BLOCK, AppError("preflight.wsl_no_offload", version=q.engine.text), remedy)
        return
    total = q.machine.ram.total_bytes.or_none()
    half = total // 2 if total is not None else None
    if half is not None and plan.offload.pinned_bytes > half:
        out.add(
            Severity.WARN, AppError("preflight.wsl_pinning", needed_bytes=plan.offload.pinned_bytes, limit_bytes=half)
        )


def _others(q: Question, out: Findings) -> None:
    for other in q.seen.others:
        out.add(Severity.INFO, AppError("preflight.other_server", model=other.model, port=other.port))


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


Rule = Callable[[Question, Findings], None]
RULES: Final[tuple[Rule, ...]] = (
    _files, _words, _port, _gpu, _architecture, _quantization, _plan, _compiler, _cpu_features, _room, _limits, _wsl,
    _others,
)  # fmt: skip
