"""What goes into a plan besides the checkpoint: the options, the engine, the hardware. Frozen values only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

GIB: Final = 1 << 30
MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """The vLLM options that decide memory and speed; None where vLLM chooses.

    `context`: `--max-model-len`. `kv_cache_bytes`: `--kv-cache-memory-bytes`. `offload_gib`: `--cpu-offload-gb` (per
    GPU). `offload_params`: `--cpu-offload-params`. `group_size`, `group_offloaded`, `prefetch_step`: the prefetch
    backend. `kv_offload_gib`: `--kv-offloading-size` (total over ranks). `ple_in_ram`: the n-gram tables of
    Qwen4Exp in pinned RAM (`--engram-config.cpu_offload`). `ple_placement`: the per-layer embedding table of Gemma 3n
    and Gemma 4: "gpu", or with Stowage's plugin "ram" or "disk". `reserve_bytes`: VRAM to leave alone, for the desktop.
    """

    context: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    dtype: str = "auto"
    kv_cache_dtype: str = "auto"
    block_size: int | None = None
    kv_cache_bytes: int | None = None
    gpu_memory_utilization: float | None = None
    offload_gib: float = 0.0
    offload_params: tuple[str, ...] = ()
    group_size: int = 0
    group_offloaded: int = 1
    prefetch_step: int = 1
    kv_offload_gib: float = 0.0
    ple_in_ram: bool = True
    ple_placement: str = "gpu"
    tensor_parallel: int = 1
    enforce_eager: bool = False
    language_model_only: bool = False
    prefix_caching: bool | None = None
    async_scheduling: bool = True
    hybrid_kv_cache: bool = True
    mamba_ssm_cache_dtype: str = "auto"
    reserve_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """The installed build. `platform`: "cuda" or "cpu"."""

    version: tuple[int, ...] = (0, 33, 0)
    platform: str = "cuda"

    def at_least(self, *version: int) -> bool:
        return self.version >= version

    @property
    def text(self) -> str:
        return ".".join(str(part) for part in self.version)


@dataclass(frozen=True, slots=True)
class Gpu:
    """`total_bytes` is what the driver reports, `free_bytes` None for a card that is not here (then the share that
    idle cards show). `capability` (8, 9). `bandwidth` and `link` in bytes per second; `link` is what a pinned copy
    from RAM reaches, measured or from the table. `display`: it also drives a screen."""

    name: str = "GPU"
    total_bytes: int = 0
    free_bytes: int | None = None
    capability: tuple[int, int] = (8, 9)
    bandwidth: float = 0.0
    link: float = 0.0
    display: bool = False

    @property
    def a100(self) -> bool:
        return "a100" in self.name.lower()


@dataclass(frozen=True, slots=True)
class Hardware:
    """None where it is not known: then the plan says so instead of guessing. `ram_bandwidth` bytes per second;
    `cpu_cores` physical. `wsl`: vLLM runs inside WSL2. The disk of the models: `disk_random_iops` small reads per
    second with many at once, `disk_latency_s` of one alone, `disk_kind` as `core.machine.model.DiskKind` names it, ""
    unknown.
    """

    gpus: tuple[Gpu, ...] = ()
    ram_total_bytes: int | None = None
    ram_available_bytes: int | None = None
    ram_bandwidth: float | None = None
    disk_free_bytes: int | None = None
    shm_free_bytes: int | None = None
    memlock_bytes: int | None = None
    cpu_cores: int | None = None
    wsl: bool = False
    disk_random_iops: float | None = None
    disk_latency_s: float | None = None
    disk_kind: str = ""


@dataclass(frozen=True, slots=True)
class Taught:
    """What came, as a multiple of what the formula says: `factor`, with a band of `spread` to both sides, from `runs`
    launches."""

    factor: float
    spread: float
    runs: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What earlier launches of this kind of model on this card and engine have taught; None where they have not.

    `overhead`: VRAM besides weights, KV cache and graphs (CUDA context, activations). `processes`: resident memory of
    the server. `decode`: tokens per second of one stream."""

    overhead: Taught | None = None
    graphs: Taught | None = None
    processes: Taught | None = None
    decode: Taught | None = None


NOTHING_LEARNED: Final = Learned()


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is learned of a kind of launch with and without compiling, so that an edit of that choice asks nobody."""

    compiled: Learned = NOTHING_LEARNED
    eager: Learned = NOTHING_LEARNED

    def of(self, eager: bool) -> Learned:
        return self.eager if eager else self.compiled


NO_LESSONS: Final = Lessons()


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a plan depends on besides the checkpoint."""

    options: Options = field(default_factory=Options)
    engine: Engine = field(default_factory=Engine)
    hardware: Hardware = field(default_factory=Hardware)
    learned: Learned = NOTHING_LEARNED
