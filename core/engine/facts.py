"""What is true of one launch, as the server itself shows it. Frozen values; `facts_reader` fills them from the log,
`counters` from `/metrics`, `tree_memory` from the process tree. Nothing here is what was *asked* for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """One worker process (one GPU, or a CPU's NUMA nodes). Bytes, None where it said nothing.

    `model_bytes`: weights on the device after loading (GPU builds only). `kv_bytes`: KV cache, set aside.
    `graph_bytes`: CUDA graphs. `offloaded_bytes`: weights that were moved to RAM: the proof of weight offload.
    """

    name: str
    model_bytes: int | None = None
    kv_bytes: int | None = None
    graph_bytes: int | None = None
    offloaded_bytes: int | None = None
    activation_bytes: int | None = None
    other_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """`dtype` without "torch."; `quantization` "" for none; None and "" where nothing was said.

    `kv_region_*`: the KV offload's region in /dev/shm. `ple_device`, `ple_pinned`: where the n-gram tables of Qwen4Exp
    lie. `pinned_bytes`, `ram_bytes`, `swapped_bytes`: the process tree's. `warnings`: word ids of what vLLM said that
    explains an option without effect. `evidence`: fact name -> the line it was read from. `plugin_lines`: what
    Stowage's plugin for per-layer tables said, oldest first (`ple_proof` reads them).
    """

    version: str = ""
    engine: str = ""
    architecture: str = ""
    dtype: str = ""
    quantization: str | None = None
    kv_cache_dtype: str = ""
    device: str = ""
    max_model_len: int | None = None
    tensor_parallel: int | None = None
    enforce_eager: bool | None = None
    prefix_caching: bool | None = None
    served_name: str = ""
    attention_backend: str = ""
    runner: str = ""
    workers: tuple[WorkerFacts, ...] = ()
    ram_kv_bytes: int = 0
    kv_tokens: int | None = None
    concurrency: float | None = None
    offloader: str = ""
    kv_connector: str = ""
    kv_offload_spec: str = ""
    kv_region_path: str = ""
    kv_region_bytes: int | None = None
    kv_disk_path: str = ""
    ple_device: str = ""
    ple_pinned: bool | None = None
    load_s: float | None = None
    compile_s: float | None = None
    init_s: float | None = None
    ram_bytes: int | None = None
    pinned_bytes: int | None = None
    swapped_bytes: int | None = None
    accepted: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    evidence: tuple[tuple[str, str], ...] = ()
    plugin_lines: tuple[str, ...] = ()

    @property
    def model_bytes(self) -> int | None:
        """Over all workers; the model lies on each GPU in part."""
        return _sum(worker.model_bytes for worker in self.workers)

    @property
    def kv_bytes(self) -> int | None:
        on_gpus = _sum(worker.kv_bytes for worker in self.workers)
        return on_gpus if on_gpus is not None else (self.ram_kv_bytes or None)

    @property
    def graph_bytes(self) -> int | None:
        return _sum(worker.graph_bytes for worker in self.workers)

    @property
    def offloaded_bytes(self) -> int | None:
        return _sum(worker.offloaded_bytes for worker in self.workers)

    def lines(self, *names: str) -> tuple[str, ...]:
        """The log lines behind these facts, in the order of `names`."""
        by_name = dict(self.evidence)
        return tuple(dict.fromkeys(by_name[name] for name in names if name in by_name))

    def was_accepted(self, option: str) -> str | None:
        """What vLLM echoed for an option ("max_num_seqs"), None when it named none. It proves no effect."""
        return dict(self.accepted).get(option)


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
