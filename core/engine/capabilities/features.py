"""What a build's source shows of its behaviour: each check is a file, or a text in a file.

The texts were looked up in the wheels of 0.10.2, 0.11.2, 0.12.0, 0.16.0, 0.17.1, 0.18.1, 0.19.1, 0.21.0, 0.22.1,
0.24.0, 0.25.1, 0.27.1, 0.28.0 to 0.31.0 and 0.33.0, and in the CPU build 0.32.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from core.engine.capabilities.fields import class_fields
from core.engine.capabilities.model import Feature, Place, PleControl
from core.engine.capabilities.registry import ENVIRONMENT
from core.engine.capabilities.source import Source

ENGRAM: Final = "config/engram.py"
_V2_RUNNER: Final = "v1/worker/gpu/model_runner.py"

# id -> (file or folder, text in it or "" for its mere presence)
CHECKS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "v2_runner": (_V2_RUNNER, ""),
        # Fixed by PR 51413, first in 0.28.0.
        "v2_runner_offloads": (_V2_RUNNER, "set_offloader"),
        "offload_backends": ("model_executor/offloader/uva.py", ""),
        "towers_offload": ("model_executor/models/interfaces.py", "wrap_modules"),
        # PR 53981: embeddings that are built directly could be offloaded, and a name that matches nothing is told.
        "offload_embeddings": ("model_executor/offloader/uva.py", "matched no parameters"),
        # With weights offloaded, hybrid models stop in this assertion (<= 0.16).
        "hybrid_refuses_offload": (
            "v1/worker/gpu_model_runner.py",
            "Cannot re-initialize the input batch when CPU weight ",
        ),
        "kv_tier_disk": ("v1/kv_offload/tiering/fs", ""),
        "kv_backend_disk": ("v1/simple_kv_offload/disk_backend.py", ""),
        "wsl_pinning": (ENVIRONMENT, '"VLLM_WSL2_ENABLE_PIN_MEMORY"'),
        "v0_engine": ("engine/llm_engine.py", "class LLMEngine:"),
        "engram": (ENGRAM, "class EngramConfig"),
        "server_module": ("entrypoints/openai/api_server.py", ""),
        "server_module_new": ("entrypoints/launchers/api_server/entry.py", ""),
    }
)


def features(source: Source) -> tuple[Feature, ...]:
    found: list[Feature] = []
    for name, (file, text) in CHECKS.items():
        if not text and source.exists(file):
            found.append(Feature(name, Place(file)))
        elif text and (line := source.line_of(file, text)) is not None:
            found.append(Feature(name, Place(file, line)))
    return tuple(found)


def ple_controls(source: Source) -> tuple[PleControl, ...]:
    """Fields of `EngramConfig` (0.30 on) and variables of the environment that place n-gram or per-layer tables."""
    module = source.module(ENGRAM)
    controls = [
        PleControl(f"engram.{field.name}", field.default, field.place, field.help)
        for field in (class_fields("EngramConfig", module, source) if module is not None else {}).values()
    ]
    environment = source.module(ENVIRONMENT)
    for name in environment.names if environment is not None else ():
        if name.startswith(("VLLM_PLE_", "VLLM_ENGRAM_")) and (line := source.line_of(ENVIRONMENT, f"{name}:")):
            controls.append(PleControl(f"env.{name}", "", Place(ENVIRONMENT, line)))
    return tuple(controls)


def ngram_architectures(source: Source) -> tuple[str, ...]:
    """Architectures with tables that `EngramConfig` governs; any other model refuses the option."""
    module = source.module(ENGRAM)
    table = module.names.get("_NGRAM_LAYER_FIELDS") if module is not None else None
    keys = getattr(table, "keys", ())
    return tuple(str(key.value) for key in keys)
