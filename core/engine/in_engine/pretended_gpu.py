"""A CUDA platform without a card, so that vLLM decides as on one. For `precise_plan.py`, in an engine's Python.

What a CPU build lacks (compiled kernels, flash-attn, device properties) is filled in with stand-ins that can be asked
and kept, never run. Checked with vLLM 0.32.0.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import types

import torch
import vllm.platforms

EXTENSIONS = ("vllm._C", "vllm._C_stable_libtorch", "vllm._moe_C", "vllm._moe_C_stable_libtorch")
FLASH_ATTENTION = ("vllm.vllm_flash_attn", "vllm.vllm_flash_attn.flash_attn_interface")
NAME = "Pretended GPU"
# Of today's consumer cards; nothing that is planned here depends on them.
PROCESSORS, SHARED_BYTES = 128, 101376
CUDA_MAJOR = 13  # what the wheels of vLLM 0.33 bring


class Absent:
    """An operator that this build does not have. Layers may keep it."""

    def __call__(self, *_args: object, **_options: object) -> None:
        return None

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


_building = False


@contextlib.contextmanager
def building():
    """While layers are made, absent operators have stand-ins; the code that looks which there are has run by then."""
    global _building
    _building = True
    try:
        yield
    finally:
        _building = False


def pretend(capability: tuple[int, int], total_bytes: int) -> None:
    """From now on this process has one card. Call before anything else of vLLM is imported."""
    for name in EXTENSIONS:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = types.ModuleType(name)
    _flash_attention(capability)
    _operators(capability)
    _device(capability, total_bytes)
    vllm.platforms._current_platform = _platform(capability, total_bytes)


def _flash_attention(capability: tuple[int, int]) -> None:
    try:
        importlib.import_module(FLASH_ATTENTION[0])
        return
    except ImportError:
        pass
    best = 3 if capability[0] == 9 else 2
    known = {
        "is_fa_version_supported": lambda version, *_args, **_options: version == best,
        "fa_version_unsupported_reason": lambda *_args, **_options: "no kernels here",
    }

    class FlashAttention(types.ModuleType):
        __path__ = ()

        def __getattr__(self, name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            return known.get(name, Absent())

    for name in FLASH_ATTENTION:
        sys.modules[name] = FlashAttention(name)


def _operators(capability: tuple[int, int]) -> None:
    """Questions such as `cutlass_scaled_mm_supports_fp8` get a card's answer, absent operators a stand-in."""
    namespace = torch._ops._OpNamespace
    found = namespace.__getattr__

    def look(self: object, name: str) -> object:
        if "supports" in name:
            return lambda *_args, **_options: "fp4" not in name or capability[0] >= 10
        try:
            return found(self, name)
        except AttributeError:
            if _building and self.name in ("_C", "_moe_C") and not name.startswith("__"):
                return Absent()
            raise

    namespace.__getattr__ = look


def _device(capability: tuple[int, int], total_bytes: int) -> None:
    properties = types.SimpleNamespace(
        name=NAME,
        major=capability[0],
        minor=capability[1],
        total_memory=total_bytes,
        multi_processor_count=PROCESSORS,
        shared_memory_per_block_optin=SHARED_BYTES,
    )
    cuda, accelerator = torch.cuda, torch.accelerator
    cuda.get_device_properties = lambda *_args, **_options: properties
    cuda.get_device_capability = lambda *_args, **_options: capability
    cuda.get_device_name = lambda *_args, **_options: NAME
    cuda.device_count = accelerator.device_count = lambda: 1
    cuda.current_device = accelerator.current_device_index = lambda: 0
    stream = type("Stream", (), {"__init__": lambda self, *_args, **_options: None})
    cuda.Stream = cuda.Event = stream
    cuda.current_stream = lambda *_args, **_options: stream()


def _platform(capability: tuple[int, int], total_bytes: int) -> object:
    from vllm.platforms import cuda
    from vllm.platforms.interface import DeviceCapability

    answers = {
        "get_device_capability": DeviceCapability(*capability),
        "get_device_name": NAME,
        "get_device_total_memory": total_bytes,
        "get_cuda_runtime_major": CUDA_MAJOR,
        "num_compute_units": PROCESSORS,
        "is_integrated_gpu": False,
        "is_arch_support_pdl": False,
        "set_device": None,
        "import_kernels": None,
        "current_device": torch.device("meta"),
    }
    methods = {name: classmethod(_constant(value)) for name, value in answers.items()}
    return type("PretendedCuda", (cuda.NonNvmlCudaPlatform,), methods)()


def _constant(value: object) -> object:
    return lambda _cls, *_args, **_options: value
