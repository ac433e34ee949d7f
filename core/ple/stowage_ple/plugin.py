"""The entry point that vLLM calls in each of its processes, and the one name it replaces per architecture."""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stowage_ple import lookahead
from stowage_ple.architectures import ALL
from stowage_ple.architectures.architecture import Architecture
from stowage_ple.settings import DISK, GPU, BadSetting, Settings, read_settings

log = logging.getLogger("vllm.stowage_ple")

# 0.32.0 was run, 0.33.0 read (both models are the same there). Later ones are tried as long as what is replaced is
# still there.
OLDEST = (0, 30)
# Of 0.32 and 0.33 (model_loader/__init__.py): those that call the parameter's `weight_loader`. The others fill the
# model's own tensors (sharded_state, tensorizer, ipc_cache) or have no table (dummy).
LOAD_FORMATS = (
    *("auto", "hf", "safetensors", "fastsafetensors", "instanttensor", "runai_streamer"),
    *("mistral", "npcache", "pt", "bitsandbytes"),
)
_MARK = "_stowage_ple"


def register() -> None:
    """Called once per process. Whatever is wrong here, vLLM goes on as it would without us and says why in its log."""
    try:
        settings = read_settings()
    except BadSetting as error:
        log.warning("stowage-ple: inactive: %s", error)
        return
    if settings.placement == GPU:
        return
    if reason := _unknown_version():
        log.warning("stowage-ple: inactive: %s; per-layer embeddings stay where vLLM puts them", reason)
        return
    for architecture in ALL:
        _watch(architecture.module, lambda module, known=architecture: _replace(module, known, settings))
    if settings.placement == DISK and settings.ahead_bytes:
        _watch(lookahead.MODULE, lookahead.install)


def _unknown_version() -> str:
    from vllm import __version__

    numbers = re.match(r"(\d+)\.(\d+)", __version__)
    if numbers is None:
        return f"vLLM {__version__} is a version that it does not know"
    if (int(numbers[1]), int(numbers[2])) < OLDEST:
        return f"vLLM {__version__} is older than {OLDEST[0]}.{OLDEST[1]}"
    return ""


def _watch(module_name: str, change: Callable[[Any], None]) -> None:
    """Importing a model's module is slow and may fail where its packages are missing: vLLM does so when it needs the
    model. So what is replaced in it is replaced at that moment."""
    module = sys.modules.get(module_name)
    if module is not None:
        change(module)
        return
    sys.meta_path.insert(0, _Finder(module_name, change))


class _Finder:
    """Lets the usual finders find the module, and changes it once it has run."""

    def __init__(self, module_name: str, change: Callable[[Any], None]) -> None:
        self._module_name = module_name
        self._change = change

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self._module_name:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        run = spec.loader.exec_module

        def run_and_change(module: Any) -> None:
            run(module)
            self._change(module)

        spec.loader.exec_module = run_and_change  # type: ignore[method-assign]
        return spec


def _replace(module: Any, architecture: Architecture, settings: Settings) -> None:
    stock = getattr(module, architecture.factory_name, None)
    if stock is None:
        log.warning("stowage-ple: inactive: %s builds its table in a way that is not known here", architecture.module)
        return
    if hasattr(stock, _MARK):
        return

    class OfTheStock(type(stock)):  # type: ignore[misc]
        """What the module asks of the name beside a call: whether something is one."""

        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, stock)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if str(kwargs.get("prefix", "")).endswith(architecture.prefix_ending):
                table = _table(architecture, settings, args, kwargs)
                if table is not None:
                    return table
            return stock(*args, **kwargs)

    class Embedding(metaclass=OfTheStock):
        """vLLM's own for every table but the per-layer one."""

    setattr(Embedding, _MARK, True)
    setattr(module, architecture.factory_name, Embedding)


def _table(architecture: Architecture, settings: Settings, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The table module, or None where vLLM's own has to do, with the reason in the log."""
    import torch
    from vllm.config import get_current_vllm_config

    from stowage_ple.table import PleTable

    config = get_current_vllm_config()
    rows, width = _shape(args, kwargs)
    reason = _obstacle(config, rows, width, kwargs)
    folder = None if reason else _folder(config)
    if reason or folder is None:
        log.warning("stowage-ple: inactive for %s: %s", kwargs["prefix"], reason or "its files are not on this disk")
        return None
    dtype = kwargs.get("params_dtype") or torch.get_default_dtype()
    table = PleTable(kwargs["prefix"], architecture.tensor_ending, rows, width, dtype, folder, settings)
    _keep_compiled_graphs_apart(config, settings)
    if _graphs() and _in_graph(architecture, config, kwargs["prefix"]):
        _split_graph(config)
    return table


def _shape(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, int]:
    rows = args[0] if args else kwargs["num_embeddings"]
    width = args[1] if len(args) > 1 else kwargs["embedding_dim"]
    return int(rows), int(width)


def _obstacle(config: Any, rows: int, width: int, kwargs: dict[str, Any]) -> str:
    if rows <= 0 or width <= 0:
        return f"its shape is {rows} x {width}"
    method = type(kwargs["quant_config"]).__name__ if kwargs.get("quant_config") is not None else ""
    if "GGUF" in method:
        return "GGUF keeps the table quantized in a file of its own kind"
    load_format = str(config.load_config.load_format).rpartition(".")[2].lower()  # an enum before 0.11
    if load_format not in LOAD_FORMATS:
        return f"the load format {load_format} does not hand tensors to the model one by one"
    return ""


def _folder(config: Any) -> Path | None:
    """The checkpoint's folder; for an id of the Hub the snapshot that is in the cache."""
    model = Path(config.model_config.model)
    if model.is_dir():
        return model
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        revision = config.model_config.revision
        return Path(snapshot_download(str(config.model_config.model), revision=revision, local_files_only=True))
    except (LocalEntryNotFoundError, OSError, ValueError):
        return None


def _keep_compiled_graphs_apart(config: Any, settings: Settings) -> None:
    """vLLM keeps compiled graphs under a hash of its configuration, which does not know what we replaced: a graph made
    with the table elsewhere must not be used without (0.32, compilation/decorators.py and caching.py)."""
    if isinstance(config.additional_config, dict):
        config.additional_config["stowage_ple"] = settings.placement


def _graphs() -> bool:
    from vllm.platforms import current_platform

    return bool(current_platform.is_cuda_alike())


def _in_graph(architecture: Architecture, config: Any, prefix: str) -> bool:
    """A wrapper that takes no pictures or sound (`--language-model-only`, all limits 0) is run with ids instead of
    embeddings, and then its text model looks the rows up as if it stood alone (0.32, gpu_model_runner.py
    `supports_mm_inputs`, gemma4_mm.py and gemma4.py `forward`)."""
    if architecture.in_graph_prefix is None:
        return False
    text_only = not getattr(config.model_config, "supports_multimodal_inputs", True)
    return text_only or prefix.startswith(architecture.in_graph_prefix)


def _split_graph(config: Any) -> None:
    """A lookup inside the graph goes to the host: CUDA graphs are cut around it, full ones cannot hold it."""
    from stowage_ple.lookup import OPERATOR

    compilation = config.compilation_config
    if compilation.splitting_ops is not None and OPERATOR not in compilation.splitting_ops:
        compilation.splitting_ops.append(OPERATOR)
    mode = compilation.cudagraph_mode
    if mode is not None and mode.has_full_cudagraphs():
        compilation.cudagraph_mode = type(mode).PIECEWISE
    log.info("stowage-ple: rows are looked up inside the graph: CUDA graphs are cut there, full ones are off")
