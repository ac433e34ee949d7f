"""A model of vLLM without memory, and what vLLM's own code says of it. For `precise_plan.py`, in an engine's Python.

Sources: vLLM 0.32.0 `v1/engine/core.py` (`_initialize_kv_caches`), `v1/worker/gpu_model_runner.py`
(`get_kv_cache_spec`), `model_executor/offloader/uva.py`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import tempfile
from pathlib import Path

import pretended_gpu
import torch
import vllm.model_executor.models.registry as registry
from vllm.config import get_layers_from_vllm_config, set_current_vllm_config
from vllm.engine.arg_utils import EngineArgs
from vllm.model_executor.layers.attention_layer_base import AttentionLayerBase
from vllm.model_executor.model_loader.utils import initialize_model
from vllm.platforms import current_platform
from vllm.triton_utils import triton
from vllm.usage.usage_lib import UsageContext
from vllm.utils.torch_utils import set_default_torch_dtype
from vllm.v1.core import kv_cache_utils
from vllm.v1.kv_cache_interface import AttentionSpec

# More than any computer has: the size of a block does not depend on the budget.
BOUNDLESS = 1 << 50
_MAKERS = frozenset((torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn, torch.empty_strided))
_MOVES = frozenset((torch.Tensor.to, torch.Tensor.cpu, torch.Tensor.pin_memory))


def configure(model: str, arguments: dict[str, object]) -> object:
    """vLLM's whole configuration of a launch. Arguments that this version does not know are left out."""
    # Another process would look at the model's class; this one imports it anyway.
    registry._run_in_subprocess = lambda look: look()
    # The stand-in for triton on a CPU lacks it.
    if not hasattr(triton, "next_power_of_2"):
        triton.next_power_of_2 = lambda number: 1 << (int(number) - 1).bit_length()
    known = {field.name for field in dataclasses.fields(EngineArgs)}
    chosen = {name: value for name, value in arguments.items() if name in known}
    chosen |= {"model": model, "load_format": "dummy", "skip_tokenizer_init": True, "trust_remote_code": False}
    config = EngineArgs(**chosen).create_engine_config(UsageContext.OPENAI_API_SERVER)
    with contextlib.suppress(ImportError):
        # Every default is settled by now, and nothing will be compiled.
        from vllm.config import CompilationMode

        config.compilation_config.mode = CompilationMode.NONE
    return config


def measure(config: object, kv_bytes: int | None) -> dict[str, object]:
    offloader = _Offloader(config)
    model = _build(config, offloader)
    with set_current_vllm_config(config):
        current_platform.update_block_size_for_backend(config)
        specs = _specs(config)
        cache = _cache(config, specs, kv_bytes)
    scheduler = config.scheduler_config
    return {
        "weight_bytes": _bytes_of(model),
        "context": config.model_config.max_model_len,
        "max_num_seqs": scheduler.max_num_seqs,
        "max_num_batched_tokens": scheduler.max_num_batched_tokens,
        "kv": cache,
        "offload": offloader.answer(),
    }


# ---- the model -----------------------------------------------------------------------------------------------------


class _OnMeta(torch.overrides.TorchFunctionMode):
    """Whatever device or pinned memory a layer asks for, it gets none. Small literals stay real where `literals`."""

    def __init__(self, literals: bool) -> None:
        super().__init__()
        self._literals = literals

    def __torch_function__(self, function, types, args=(), kwargs=None):
        options = dict(kwargs or {})
        if function in _MAKERS:
            options.pop("pin_memory", None)
            options["device"] = "meta"
        elif function is torch.tensor and self._literals:
            options["device"] = "cpu"
        elif function in _MOVES and args[0].is_meta:
            dtypes = [value for value in (*args[1:], *options.values()) if isinstance(value, torch.dtype)]
            return torch.Tensor.to(args[0], dtypes[0]) if dtypes else args[0]
        return function(*args, **options)


def _build(config: object, offloader: _Offloader) -> torch.nn.Module:
    try:
        return _initialize(config, offloader, literals=True)
    except RuntimeError as error:
        # Some rope tables mix literals with what is on meta.
        if "expected device" not in str(error):
            raise
        config.compilation_config.static_forward_context.clear()
        offloader.forget()
        return _initialize(config, offloader, literals=False)


def _initialize(config: object, offloader: _Offloader, *, literals: bool) -> torch.nn.Module:
    with set_current_vllm_config(config):
        _one_rank()
        with (
            offloader.watching(),
            pretended_gpu.building(),
            set_default_torch_dtype(config.model_config.dtype),
            torch.device("meta"),
            _OnMeta(literals),
        ):
            return initialize_model(vllm_config=config, model_config=config.model_config)


def _one_rank() -> None:
    """The process group that layers ask for their share of the weights."""
    from vllm.distributed import parallel_state

    if torch.distributed.is_initialized():
        return
    store = Path(tempfile.mkdtemp(prefix="stowage-rank-"), "store")
    parallel_state.init_distributed_environment(1, 0, f"file://{store}", 0, backend="gloo")
    parallel_state.initialize_model_parallel(1, 1)


def _bytes_of(model: torch.nn.Module) -> int:
    """Parameters and buffers, shared ones once."""
    tensors = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())


# ---- offload -------------------------------------------------------------------------------------------------------


class _Offloader:
    """vLLM's own offloader at work: it chooses what moves, and what it moves is written down. None of it exists."""

    def __init__(self, config: object) -> None:
        self._config = config
        self._moved: list[int] = []
        self._backend = ""

    def forget(self) -> None:
        self._moved.clear()

    @contextlib.contextmanager
    def watching(self):
        from vllm.model_executor import offloader

        chosen = offloader.create_offloader(self._config.offload_config)
        self._backend = type(chosen).__name__
        if self._backend == "UVAOffloader":
            chosen.uva_offloading = chosen.pin_memory = True
            importlib.import_module(type(chosen).__module__).get_accelerator_view_from_cpu_tensor = self._take
            wrap = chosen.wrap_modules
            chosen.wrap_modules = lambda modules, **options: wrap(map(_off_the_cpu, modules), **options)
            offloader.set_offloader(chosen)
        try:
            yield
        finally:
            offloader.set_offloader(None)

    def _take(self, tensor: torch.Tensor) -> torch.Tensor:
        self._moved.append(tensor.numel() * tensor.element_size())
        return tensor

    def answer(self) -> dict[str, int] | None:
        """`pinned_bytes`: torch rounds every pinned block up to a power of two. None for other backends."""
        if self._backend not in ("UVAOffloader", "NoopOffloader"):
            return None
        pinned = sum(1 << (size - 1).bit_length() for size in self._moved if size)
        return {"offloaded_bytes": sum(self._moved), "pinned_bytes": pinned}


def _off_the_cpu(module: torch.nn.Module) -> torch.nn.Module:
    """Scales that are literals are real here; on a card they would lie in its memory like the rest."""
    for part in module.modules():
        for name, parameter in part.named_parameters(recurse=False):
            if parameter.device.type == "cpu":
                setattr(part, name, torch.nn.Parameter(parameter.data.to("meta"), requires_grad=False))
    return module


# ---- the KV cache --------------------------------------------------------------------------------------------------


def _specs(config: object) -> dict[str, object]:
    """What each layer asks for, as the model runner collects it."""
    found: dict[str, object] = {}
    for name, layer in get_layers_from_vllm_config(config, AttentionLayerBase).items():
        if getattr(layer, "kv_sharing_target_layer_name", None):
            continue
        spec = layer.get_kv_cache_spec(config)
        if not spec:
            continue
        if isinstance(spec, AttentionSpec):
            spec = _customized(layer.get_attn_backend(), spec)
        found[name] = spec
    return found


def _customized(backend: object, spec: object) -> object:
    for place in ("vllm.v1.worker.utils", "vllm.v1.worker.gpu.attn_utils"):
        with contextlib.suppress(ImportError):
            function = getattr(importlib.import_module(place), "customize_attention_spec", None)
            if function is not None:
                return function(backend, spec)
    return backend.customize_spec(spec) if hasattr(backend, "customize_spec") else spec


def _cache(config: object, specs: dict[str, object], kv_bytes: int | None) -> dict[str, object]:
    _settle_layout(config, specs)
    refused = None
    if kv_bytes is not None and specs:
        try:
            plan = _plan(config, specs, kv_bytes)
            return _figures(config, plan) | _capacity(config, plan) | {"refused": None}
        except ValueError as error:
            refused = str(error)
    nothing = {"num_blocks": None, "capacity_tokens": None, "refused": refused}
    if not specs:
        return {"bytes_per_block": 0, "blocks_per_request": 0, "bytes_one_request": 0} | nothing
    return _figures(config, _plan(config, specs, BOUNDLESS)) | nothing


def _settle_layout(config: object, specs: dict[str, object]) -> None:
    """As the engine core does before it sizes the cache."""
    with contextlib.suppress(ImportError):
        from vllm.v1.kv_cache_spec_registry import register_all_kvcache_specs

        register_all_kvcache_specs(config)
    if getattr(config.cache_config, "kv_cache_layout", "") is not None:
        return
    from vllm.v1.attention.backends import utils

    layers = get_layers_from_vllm_config(config, AttentionLayerBase)
    backends = list(dict.fromkeys(layer.get_attn_backend() for name, layer in layers.items() if name in specs))
    names = [layout.name for layout in utils.get_supported_kv_cache_layouts(backends)]
    config.cache_config.kv_cache_layout = utils.resolve_kv_cache_layout(config, [names], list(specs.values())).name


def _plan(config: object, specs: dict[str, object], kv_bytes: int) -> object:
    planner = kv_cache_utils
    with contextlib.suppress(ImportError):
        planner = importlib.import_module("vllm.v1.core.kv_cache_planning")  # from 0.33
    if hasattr(planner, "get_global_kv_cache_groups"):
        groups = planner.get_global_kv_cache_groups(config, [dict(specs)])
        return planner.get_kv_cache_configs(config, [dict(specs)], [kv_bytes], groups)[0]
    return planner.get_kv_cache_configs(config, [dict(specs)], [kv_bytes])[0]


def _figures(config: object, plan: object) -> dict[str, int]:
    sizes = [tensor.size for tensor in plan.kv_cache_tensors]
    # Newer layouts hand every layer the same pool; older ones a tensor of its own.
    shared = bool(sizes) and len(set(sizes)) == 1 and hasattr(plan.kv_cache_tensors[0], "layer_stride")
    per_block = (sizes[0] if shared else sum(sizes)) // max(1, plan.num_blocks)
    blocks = sum(
        -(-group.kv_cache_spec.max_memory_usage_bytes(config) // group.kv_cache_spec.page_size_bytes)
        for group in plan.kv_cache_groups
    )
    return {"bytes_per_block": per_block, "blocks_per_request": blocks, "bytes_one_request": blocks * per_block}


def _capacity(config: object, plan: object) -> dict[str, int | None]:
    capacity = None
    if hasattr(kv_cache_utils, "get_kv_cache_capacity"):
        capacity = kv_cache_utils.get_kv_cache_capacity(config, plan)[0]
    return {"num_blocks": plan.num_blocks, "capacity_tokens": capacity}
