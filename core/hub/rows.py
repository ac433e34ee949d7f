"""A row of a list from what the Hub says of a model, before anything of the model itself is read. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from core.hub.model import Gated, RepoRow

# Fields of /api/models that a row needs (huggingface_hub 2.4, ExpandModelProperty_T).
EXPANDED: Final = (
    *("sha", "gated", "downloads", "likes", "safetensors", "lastModified", "pipeline_tag", "tags", "config"),
    "library_name",
)
# What vLLM runs as a generator of text (`--task generate` of 0.33), by the Hub's names.
_TASKS: Final = frozenset(
    ("text-generation", "image-text-to-text", "any-to-any", "audio-text-to-text", "video-text-to-text")
)
# Formats, parts of models and tasks that vLLM does not load as one; by library or tag.
_OTHER: Final = frozenset(
    (
        *("gguf", "mlx", "onnx", "openvino", "coreml", "exl2", "exl3", "ctranslate2", "executorch", "tflite", "litert"),
        *("peft", "lora", "adapter", "diffusers", "sentence-transformers", "transformers.js", "keras", "rkllm", "mnn"),
    )
)
# In the order in which they decide: a more particular name first.
QUANTIZATIONS: Final = (
    *("awq", "gptq", "nvfp4", "mxfp4", "compressed-tensors", "fp8", "bitsandbytes", "modelopt", "quark", "torchao"),
    *("aqlm", "hqq", "auto-round"),
)
_IN_NAME: Final = re.compile(r"(?:^|[-_.])(awq|gptq|nvfp4|mxfp4|fp8|bnb|bitsandbytes)(?:$|[-_.])", re.IGNORECASE)
_SIZE: Final = re.compile(r"(?:^|[-_ ])(\d+(?:\.\d+)?)([bm])(?=$|[-_. ])", re.IGNORECASE)
_EXPERTS: Final = re.compile(r"(?:^|[-_ ])(\d+)x(\d+(?:\.\d+)?)b(?=$|[-_. ])", re.IGNORECASE)
_GENERATORS: Final = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")
_DTYPES: Final = {"BF16": "bfloat16", "F16": "float16", "F32": "float32", "F8_E4M3": "float8_e4m3fn"}
_ARCHITECTURE: Final = re.compile(r"\w+", re.ASCII)


def row_of(item: Mapping[str, Any]) -> RepoRow:
    """Args: `item` of a list with `EXPANDED`, or a model's info. Fields of a wrong kind count as missing."""
    repo_id = _text(item.get("id")) or _text(item.get("modelId"))
    tags = tuple(tag for tag in _list(item.get("tags")) if isinstance(tag, str))
    config = _mapping(item.get("config"))
    architectures = [name for name in _list(config.get("architectures")) if isinstance(name, str)]
    quantization = quantization_of(repo_id, tags, config)
    return RepoRow(
        repo_id=repo_id,
        commit=_text(item.get("sha")),
        parameters=parameters_of(repo_id, item.get("safetensors"), quantization),
        dtype=_main_dtype(item.get("safetensors")),
        quantization=quantization,
        architecture=architectures[0] if architectures and _ARCHITECTURE.fullmatch(architectures[0]) else "",
        licence=next((tag.removeprefix("license:") for tag in tags if tag.startswith("license:")), ""),
        gated=_gated(item.get("gated")),
        downloads=_count(item.get("downloads")),
        likes=_count(item.get("likes")),
        updated=_text(item.get("lastModified")),
        tags=tags,
        loadable=is_loadable(item, tags),
    )


def is_loadable(item: Mapping[str, Any], tags: tuple[str, ...]) -> bool:
    """Whether vLLM could load it as a generator of text, by what the Hub says alone."""
    library, task = _text(item.get("library_name")).lower(), _text(item.get("pipeline_tag"))
    if library in _OTHER or (_OTHER & {tag.lower() for tag in tags} and "safetensors" not in tags):
        return False
    if not {"safetensors", "pytorch"} & set(tags) and not _mapping(item.get("safetensors")):
        return False
    if {"gguf", "mlx", "peft", "lora", "onnx"} & {tag.lower() for tag in tags} and library != "transformers":
        return False
    if task:
        return task in _TASKS
    architectures = _list(_mapping(item.get("config")).get("architectures"))
    return any(isinstance(name, str) and name.endswith(_GENERATORS) for name in architectures)


def quantization_of(repo_id: str, tags: tuple[str, ...], config: Mapping[str, Any]) -> str:
    """Our name of the format; "" for plain weights, and for what nobody tells."""
    declared = _text(_mapping(config.get("quantization_config")).get("quant_method")).lower().replace("_", "-")
    if declared:
        return "bitsandbytes" if declared.startswith("bitsandbytes") else declared
    known = {tag.lower() for tag in tags}
    for name in QUANTIZATIONS:
        if name in known:
            return name
    found = _IN_NAME.search(repo_id.rpartition("/")[2])
    return {"bnb": "bitsandbytes"}.get(found[1].lower(), found[1].lower()) if found else ""


def parameters_of(repo_id: str, safetensors: object, quantization: str) -> int | None:
    """How many the model has. The Hub counts packed elements of a quantized one (a 27B in 4 bits as 7.8B), so there its
    name says more; None where nothing is known."""
    counts = _mapping(_mapping(safetensors).get("parameters"))
    total = _count(_mapping(safetensors).get("total")) or sum(_count(count) for count in counts.values())
    packed = bool(quantization) or any(dtype in ("I32", "U8", "I8", "U32") for dtype in counts)
    if packed:
        return named_parameters(repo_id)
    return total or named_parameters(repo_id)


def named_parameters(repo_id: str) -> int | None:
    """"Qwen3-30B-A3B" as 30e9, "Mixtral-8x7B" as 56e9, "SmolLM2-135M" as 135e6."""  # fmt: skip
    name = repo_id.rpartition("/")[2]
    if experts := _EXPERTS.search(name):
        return round(int(experts[1]) * float(experts[2]) * 1e9)
    sizes = [float(size[1]) * (1e9 if size[2].lower() == "b" else 1e6) for size in _SIZE.finditer(name)]
    return round(max(sizes)) if sizes else None


def _main_dtype(safetensors: object) -> str:
    counts = {name: _count(count) for name, count in _mapping(_mapping(safetensors).get("parameters")).items()}
    main = max(counts, key=lambda name: counts[name], default="")
    return _DTYPES.get(main, main.lower())


def _gated(value: object) -> Gated:
    if value in ("auto", "manual"):
        return value
    return "auto" if value is True else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
