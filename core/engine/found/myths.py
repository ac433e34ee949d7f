"""Flags that articles name and the builds do not have: removed ones, invented ones, and those of other programs.

Removed in: 0.18.0 `--swap-space` (PR 36216); 0.9 to 0.11 the V0 engine's and the renamed ones (read in the wheels).
`id` names the explanation (terms, "found_flag").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Means = Literal["", "context", "offload", "swap", "utilization", "seqs", "ram_tables", "disk_tables"]


@dataclass(frozen=True, slots=True)
class Myth:
    """`means`: what it is turned into, "" where nothing corresponds."""

    id: str
    means: Means = ""


_OFFLOAD: Final = Myth("invented_offload", "offload")
_LAYERS: Final = Myth("llama_layers")
_CONTEXT: Final = Myth("other_context", "context")
_SHARE: Final = Myth("other_share", "utilization")
_SPECULATIVE: Final = Myth("old_speculative")
_DISK_TABLES: Final = Myth("invented_tables", "disk_tables")
_RAM_TABLES: Final = Myth("invented_tables", "ram_tables")

FLAGS: Final[Mapping[str, Myth]] = MappingProxyType(
    {
        "--cpu-offload": _OFFLOAD,
        "--cpu-offload-size": _OFFLOAD,
        "--cpu-offload-gib": _OFFLOAD,
        "--cpu-offload-mb": _OFFLOAD,
        "--offload-gb": _OFFLOAD,
        "--weight-offload": _OFFLOAD,
        "--ram-offload": _OFFLOAD,
        "--swap-space": Myth("swap_space", "swap"),
        "--swap": Myth("swap_space", "swap"),
        "--kv-swap": Myth("swap_space", "swap"),
        "--disk-offload": Myth("no_disk_weights"),
        "--offload-folder": Myth("no_disk_weights"),
        "--num-gpu-blocks": Myth("gpu_blocks"),
        "--num-cpu-blocks": Myth("gpu_blocks"),
        "--gpu-layers": _LAYERS,
        "--n-gpu-layers": _LAYERS,
        "--num-gpu-layers": _LAYERS,
        "-ngl": _LAYERS,
        "--ctx-size": _CONTEXT,
        "--context-length": _CONTEXT,
        "--context-size": _CONTEXT,
        "--max-context-len": _CONTEXT,
        "--max-seq-len": _CONTEXT,
        "--n-ctx": _CONTEXT,
        "-c": _CONTEXT,
        "--num-ctx": _CONTEXT,
        "--gpu-memory": _SHARE,
        "--gpu-mem-util": _SHARE,
        "--gpu-memory-limit": _SHARE,
        "--mem-fraction-static": _SHARE,
        "--max-batch-size": Myth("other_requests", "seqs"),
        "--parallel": Myth("other_requests", "seqs"),
        "--device": Myth("device"),
        "--load-in-4bit": Myth("load_in_bits"),
        "--load-in-8bit": Myth("load_in_bits"),
        "--task": Myth("task"),
        "--rope-scaling": Myth("rope"),
        "--rope-theta": Myth("rope"),
        "--enable-reasoning": Myth("enable_reasoning"),
        "--disable-log-requests": Myth("log_requests_off"),
        "--speculative-model": _SPECULATIVE,
        "--num-speculative-tokens": _SPECULATIVE,
        "--speculative-draft-tensor-parallel-size": _SPECULATIVE,
        "--guided-decoding-backend": Myth("guided_decoding"),
        "--use-v2-block-manager": Myth("v0_only"),
        "--num-scheduler-steps": Myth("v0_only"),
        "--multi-step-stream-outputs": Myth("v0_only"),
        "--num-lookahead-slots": Myth("v0_only"),
        "--preemption-mode": Myth("v0_only"),
        "--scheduler-delay-factor": Myth("v0_only"),
        "--worker-use-ray": Myth("v0_only"),
        "--max-seq-len-to-capture": Myth("v0_only"),
        "--ple-offload": _RAM_TABLES,
        "--enable-ple-offload": _RAM_TABLES,
        "--ple-cpu-offload": _RAM_TABLES,
        "--ple-disk": _DISK_TABLES,
        "--ple-mmap": _DISK_TABLES,
        "--ple-offload-backend": _DISK_TABLES,  # SGLang's
    }
)
# Variables of forks, of closed pull requests, or of a single release.
VARIABLES: Final[Mapping[str, Myth]] = MappingProxyType(
    {
        "VLLM_PLE_CPU_OFFLOAD": _RAM_TABLES,
        "VLLM_PLE_MMAP": _DISK_TABLES,
        "VLLM_PLE_DISK_OFFLOAD_DIR": _DISK_TABLES,
        "VLLM_ENGRAM_DISK_OFFLOAD_DIR": _DISK_TABLES,
        "VLLM_CPU_OFFLOAD_GB": _OFFLOAD,
        "VLLM_ATTENTION_BACKEND": Myth("attention_variable"),
        "VLLM_USE_V1": Myth("v1_variable"),
    }
)
