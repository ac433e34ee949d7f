"""The command line and environment that carry out a plan. Port, key and paths are the launcher's business."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.engine.ple_plugin import PLACEMENT_ENV
from core.planner.defaults import Resolved
from core.planner.offload import Offload
from core.planner.options import Options, Request
from core.planner.ple import GPU, Ple

TEXT_ONLY_FROM = (0, 17)
KV_OFFLOAD_FROM = (0, 12)
SELECTIVE_FROM = (0, 21)
# Its default differed between versions: always given explicitly.
ENGRAM_FROM = (0, 30)


@dataclass(frozen=True, slots=True)
class Command:
    """`arguments` follow the model; `env` adds to the environment."""

    arguments: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])

    def line(self, model: str) -> str:
        head = [f"{name}={value}" for name, value in sorted(self.env.items())]
        return " ".join((*head, "vllm", "serve", model, *self.arguments))


def build(
    request: Request,
    resolved: Resolved,
    offload: Offload,
    utilization: float | None,
    *,
    tables: bool = False,
    cpu_space_bytes: int | None = None,
    ple: Ple | None = None,
) -> Command:
    """Args: `utilization` of the card's memory, None where another option decides it; `tables`: the model has n-gram
    tables that vLLM can keep in RAM (any other model refuses the option); `cpu_space_bytes` of RAM that the CPU build
    is to set aside for the KV cache; `ple` the per-layer embedding table: its placement is the plugin's variable, which
    does nothing in an engine that does not see the plugin."""
    options, engine = request.options, request.engine
    out: list[str] = []
    if options.context is not None:
        out += ["--max-model-len", str(resolved.context)]
    for flag, value in (
        ("--max-num-seqs", options.max_num_seqs),
        ("--max-num-batched-tokens", options.max_num_batched_tokens),
        ("--block-size", options.block_size),
    ):
        if value is not None:
            out += [flag, str(value)]
    for flag, text in (
        ("--dtype", options.dtype),
        ("--kv-cache-dtype", options.kv_cache_dtype),
        ("--mamba-ssm-cache-dtype", options.mamba_ssm_cache_dtype),
    ):
        if text != "auto":
            out += [flag, text]
    out += _memory(options, request, utilization)
    out += _offload(options, request)
    out += _switches(options)
    if tables and engine.at_least(*ENGRAM_FROM):
        out += ["--engram-config.cpu_offload", "true" if options.ple_in_ram else "false"]
    if options.language_model_only and engine.at_least(*TEXT_ONLY_FROM):
        out.append("--language-model-only")
    env = dict(offload.env)
    if engine.platform == "cpu" and cpu_space_bytes is not None:
        env["VLLM_CPU_KVCACHE_SPACE"] = str(max(1, cpu_space_bytes >> 30))
    if ple is not None and ple.placement != GPU:
        env[PLACEMENT_ENV] = ple.placement
    return Command(tuple(out), env)


def _memory(options: Options, request: Request, utilization: float | None) -> list[str]:
    if request.engine.platform == "cpu":
        return []
    if options.kv_cache_bytes is not None:
        return ["--kv-cache-memory-bytes", str(options.kv_cache_bytes)]
    return ["--gpu-memory-utilization", f"{utilization:.3f}"] if utilization is not None else []


def _offload(options: Options, request: Request) -> list[str]:
    if request.engine.platform == "cpu":
        return []
    out: list[str] = []
    selective = request.engine.at_least(*SELECTIVE_FROM)
    if options.group_size > 0 and selective:
        out += ["--offload-group-size", str(options.group_size), "--offload-num-in-group", str(options.group_offloaded)]
        out += ["--offload-prefetch-step", str(options.prefetch_step)]
    elif options.offload_gib > 0:
        out += ["--cpu-offload-gb", f"{options.offload_gib:g}"]
        if options.offload_params and selective:
            out += ["--cpu-offload-params", *options.offload_params]
    if options.kv_offload_gib > 0 and request.engine.at_least(*KV_OFFLOAD_FROM):
        out += ["--kv-offloading-size", f"{options.kv_offload_gib:g}", "--kv-offloading-backend", "native"]
    return out


def _switches(options: Options) -> list[str]:
    out: list[str] = []
    if options.tensor_parallel > 1:
        out += ["--tensor-parallel-size", str(options.tensor_parallel)]
    if options.enforce_eager:
        out.append("--enforce-eager")
    if options.prefix_caching is False:
        out.append("--no-enable-prefix-caching")
    if not options.async_scheduling:
        out.append("--no-async-scheduling")
    if not options.hybrid_kv_cache:
        out.append("--disable-hybrid-kv-cache-manager")
    return out
