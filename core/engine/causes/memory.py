"""Causes that are a lack of memory: the GPU's, the KV cache's, the computer's.

Wordings: facts dossier E4 (vLLM 0.8.5 to 0.33) and the public reports B1, B2, B18, B21, B30, A8, A14.
"""

from __future__ import annotations

from typing import Final

from core.engine.causes.cause import MAYBE_ECHO, Cause, cause

_N: Final = r"[\d,]+(?:\.\d+)?"

CAUSES: Final[tuple[Cause, ...]] = (
    # up to 0.21 "models's", with or without the parenthesis before the needed size
    cause(
        "kv_too_small",
        r"To serve at least one request with the model'?s'?s? max seq len \((?P<context>[\d,]+)\), "
        rf"\(?(?P<needed_gib>{_N}) GiB KV cache is needed, which is larger than the available KV cache memory"
        rf" \((?P<available_gib>{_N}) GiB\)"
        r"(?:.{0,80}?estimated maximum model length is (?P<largest>[\d,]+))?",
    ),
    cause("kv_too_small", r"To serve at least one request with the model'?s'?s? max seq len \((?P<context>[\d,]+)\)"),
    cause(
        "kv_too_small",
        r"The model's max seq len \((?P<context>[\d,]+)\) is larger than the maximum number of tokens that can be"
        r" stored in KV cache \((?P<largest>[\d,]+)\)",
    ),
    cause("no_kv_room", r"No available memory for the cache blocks|Cannot auto-fit max_model_len"),
    cause(
        "gpu_busy",
        rf"Free memory on device(?: \S+)? \((?P<free_gib>{_N})/(?P<total_gib>{_N}) GiB\) on startup is less than"
        rf" desired GPU memory utilization \([\d.]+, (?P<wanted_gib>{_N}) GiB\)",
    ),
    cause("gpu_busy", r"Free memory on device .{0,200}is less than desired GPU memory utilization"),
    cause("gpu_memory_moved", r"Error in memory profiling\. Initial free memory"),
    cause(
        "cpu_kv_room",
        r"The worker already uses .{0,200}?(?:is less than requested memory for kv|requested memory)"
        r"|is less than requested memory for kv",
    ),
    cause("gpu_memory_graphs", r"Captur(?:ing|e).{0,400}?(?:CUDA out of memory|OutOfMemoryError)"),
    cause("gpu_memory", r"CUDA out of memory\. Tried to allocate (?P<wanted>[\d.]+ [KMG]iB)"),
    cause(
        "gpu_memory",
        r"OutOfMemoryError: (?:CUDA|HIP|XPU) out of memory|Failed to load model - not enough GPU memory"
        r"|CUDA error: out of memory|CUBLAS_STATUS_ALLOC_FAILED",
    ),
    cause("shm_small", r"Insufficient space in /dev/shm"),
    cause("shm_small", r"No available shared memory broadcast block found", MAYBE_ECHO),
    cause("pin_refused", r"cudaHostAlloc|cudaHostRegister failed|pinned memory allocation failed", MAYBE_ECHO),
    cause(
        "ram_refused",
        r"can't allocate memory: you tried to allocate|Cannot allocate memory|DefaultCPUAllocator: not enough memory"
        r"|\bMemoryError\b",
    ),
    cause("out_of_ram", r"oom-kill|Out of memory: Killed process|Memory cgroup out of memory"),
    cause("swap_too_large", r"Too large swap space"),
)
