"""Causes that are the computer: driver, compiler, libraries, limits, processes.

Wordings: facts dossier E4; public reports B9, B10, B13, B15, B16, B17, B28, B29, B30, B32, C2, C7.
"""

from __future__ import annotations

from typing import Final

from core.engine.causes.cause import MAYBE_ECHO, VAGUE, Cause, cause

CAUSES: Final[tuple[Cause, ...]] = (
    cause("server.port_taken", r"[Aa]ddress already in use|WinError 10048|Errno 98\] error while attempting to bind"),
    cause("driver_old", r"NVIDIA driver on your system is too old \(found version (?P<found>\d+)\)"),
    cause(
        "driver_old", r"NVIDIA driver on your system is too old|CUDA driver version is insufficient for CUDA runtime"
    ),
    cause(
        "cuda_library", r"(?P<file>lib(?:cudart|cublas|cudnn|nccl|nvrtc|cupti|cuda)\w*\.so[\w.]*): cannot open shared"
    ),
    cause("gpu_not_built_for", r"no kernel image is available for execution on the device"),
    cause("no_gpu", r"Failed to infer device type|No CUDA GPUs are available|Torch not compiled with CUDA enabled"),
    cause("no_gpu", r"Found no NVIDIA driver on your system|no CUDA-capable device is detected"),
    cause("uva_missing", r"UVA is not available|V1 CPU offloading requires uva|CPU tensor must be pinned"),
    cause("no_headers", r"Python\.h: No such file or directory"),
    cause("no_compiler", r"Failed to find C compiler|InvalidCxxCompiler|No working C\+\+ compiler found"),
    cause("no_compiler", r"(?:g\+\+|gcc|cc1plus|clang\+\+)'?: (?:not found|No such file or directory)"),
    cause("no_nvcc", r"Could not find nvcc|bin/nvcc: not found|nvcc'?: No such file or directory"),
    cause("nccl", r"NCCL error.{0,120}|ncclUnhandledCudaError|ncclSystemError|ncclInternalError"),
    cause("windows", r"No module named '(?P<module>uvloop|resource|vllm\._C|fcntl)'"),
    cause(
        "gpu_lost", r"cudaSetDevice err: 999|CUDA error: unknown error|GPU has fallen off the bus|device-side assert"
    ),
    cause("gpu_lost", r"CUDA-capable device\(s\) is/are busy or unavailable|CUDA error: unspecified launch failure"),
    cause("gpu_fault", r"illegal memory access was encountered|CUDA error: misaligned address"),
    cause("disk_full", r"No space left on device"),
    # Of our own plugin (core/ple, file_rows.py): rows that could not be had, or not be trusted.
    cause("table_unread", r"TableReadError: (?:row \d+ of )?(?P<path>/.{1,4096}?)(?: changed while| ends before|: )"),
    cause("too_many_files", r"OSError: \[Errno 24\] Too many open files|^Too many open files"),
    cause("no_permission", r"PermissionError: \[Errno 13\] Permission denied: '(?P<path>[^']+)'"),
    cause("engine_timeout", r"Timed out waiting for engine core processes to start"),
    cause("torch_mismatch", r"operator torchvision::nms does not exist|undefined symbol: \S+", MAYBE_ECHO),
    cause("module_missing", r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'", MAYBE_ECHO),
    cause(
        "module_missing",
        r"ImportError: .{0,80}requires (?:the )?`?(?P<module>[\w-]+)`? (?:library|package)",
        MAYBE_ECHO,
    ),
    cause(
        "compile_failed", r"BackendCompilerFailed|torch\._inductor\.exc\.\w+|InductorError|CppCompileError", MAYBE_ECHO
    ),
    cause("illegal_instruction", r"died .{0,60}\(exit code: -4\)|Illegal instruction"),
    cause("bus_error", r"died .{0,60}\(exit code: -7\)|Bus error"),
    cause("crashed", r"died .{0,60}\(exit code: -11\)|Segmentation fault|Fatal Python error: Segmentation"),
    cause("engine_killed", r"died .{0,60}\(exit code: -9\)", VAGUE),
)
