"""From a plan to the question that precise mode puts to vLLM itself, and the two answers side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from core.engine.precise import Precise, PreciseTask
from core.errors import AppError
from core.planner.options import Options
from core.planner.plan import Plan

CONFIG: Final = "config.json"
# Descriptions of a quantization that vLLM reads besides the config.
_BESIDE: Final = ("hf_quant_config.json", "quantize_config.json", "quant_config.json")
# A card of unknown size: vLLM's defaults for consumer cards.
_SOME_VRAM_BYTES: Final = 24 << 30


def task_of(path: Path, plan: Plan) -> PreciseTask:
    """Args: `path` of the checkpoint's folder or of its config alone. Reads small files.

    Raises:
        AppError: `model.broken_file` when they cannot be read.
    """
    request = plan.request
    gpus = request.hardware.gpus
    return PreciseTask(
        files=_files(path),
        platform="cpu" if request.engine.platform == "cpu" else "cuda",
        capability=gpus[0].capability if gpus else (8, 9),
        vram_bytes=(gpus[0].total_bytes if gpus else 0) or _SOME_VRAM_BYTES,
        kv_bytes=plan.kv.budget_bytes,
        arguments=_arguments(request.options),
    )


def _files(path: Path) -> dict[str, str]:
    config = path if path.is_file() else path / CONFIG
    try:
        beside = {name: config.with_name(name) for name in _BESIDE if config.with_name(name).is_file()}
        return {CONFIG: _text(config)} | {name: _text(file) for name, file in beside.items()}
    except (OSError, UnicodeError) as error:
        raise AppError(
            "model.broken_file", repr(error), path=str(config.parent), file=config.name, reason=str(error)
        ) from error


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _arguments(options: Options) -> dict[str, Any]:
    """By the names of vLLM's `EngineArgs` (0.32); what is left to vLLM is left out."""
    wanted: dict[str, Any] = {
        "max_model_len": options.context,
        "max_num_seqs": options.max_num_seqs,
        "max_num_batched_tokens": options.max_num_batched_tokens,
        "block_size": options.block_size,
        "dtype": options.dtype,
        "kv_cache_dtype": options.kv_cache_dtype,
        "mamba_ssm_cache_dtype": options.mamba_ssm_cache_dtype,
        "enable_prefix_caching": options.prefix_caching,
        "tensor_parallel_size": options.tensor_parallel if options.tensor_parallel > 1 else None,
        "cpu_offload_gb": options.offload_gib or None,
        "cpu_offload_params": sorted(options.offload_params) or None,
        "offload_group_size": options.group_size or None,
        "offload_num_in_group": options.group_offloaded if options.group_size else None,
        "offload_prefetch_step": options.prefetch_step if options.group_size else None,
        "async_scheduling": None if options.async_scheduling else False,
        "disable_hybrid_kv_cache_manager": None if options.hybrid_kv_cache else True,
        "language_model_only": options.language_model_only or None,
    }
    return {name: value for name, value in wanted.items() if value is not None and value != "auto"}


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure twice: `ours` and vLLM's own. `id` names it as the plan's JSON does."""

    id: str
    ours: int
    theirs: int

    @property
    def equal(self) -> bool:
        return self.ours == self.theirs


def compare(plan: Plan, precise: Precise) -> tuple[Compared, ...]:
    """Figures of plan and precise mode side by side; those that neither has are left out."""
    figures = precise.figures
    if figures is None:
        return ()
    kv, offload = figures.kv, figures.offload
    pairs = [
        ("weight_bytes", plan.weights.bytes, figures.weight_bytes),
        ("kv.bytes_per_block", plan.kv.bytes_per_block, kv.bytes_per_block),
        ("kv.blocks_per_request", plan.kv.blocks_per_request, kv.blocks_per_request),
        ("kv.bytes_one_request", plan.kv.bytes_one_request, kv.bytes_one_request),
    ]
    if plan.kv.refused is None and kv.refused is None and kv.capacity_tokens is not None:
        pairs.append(("kv.capacity_tokens", plan.kv.capacity_tokens or 0, kv.capacity_tokens))
    if offload is not None and (offload.offloaded_bytes or plan.offload.offloaded_bytes):
        pairs.append(("offload.offloaded_bytes", plan.offload.offloaded_bytes, offload.offloaded_bytes))
        pairs.append(("offload.pinned_bytes", plan.offload.pinned_bytes, offload.pinned_bytes))
    return tuple(Compared(*pair) for pair in pairs)
