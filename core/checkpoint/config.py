"""A `config.json` as vLLM and transformers read it: the language model's values, its towers, dtype, quantization.

Sources: transformers 5.19 (`get_text_config`, class defaults), vLLM 0.33
`transformers_utils/model_arch_config_convertor.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from core.checkpoint.class_defaults import class_defaults
from core.checkpoint.fields import Fields

TEXT_PARTS: Final = ("text_config", "language_config", "llm_config")
# Where the values of the language model may sit two levels down (Qwen-Omni's thinker).
_WRAPPERS: Final = ("thinker_config",)
MAX_LAYERS: Final = 4096

_NO_DEFAULT_TOWERS: Final = frozenset(("gemma4",))

_DTYPES: Final = {
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "float": "float32",
}


@dataclass(frozen=True, slots=True, eq=False)
class Config:
    """One parsed config.

    `text`: the language model's values (the root itself when nothing is nested). `dtype`: as declared ("bfloat16"),
    "" when neither the config nor the files say. `quantization`: the raw declaration, wherever it was found.
    """

    architecture: str
    model_type: str
    text_type: str
    root: Fields
    text: Fields
    vision: Fields | None
    audio: Fields | None
    dtype: str
    quantization: Mapping[str, Any] | None

    @property
    def multimodal(self) -> bool:
        return self.vision is not None or self.audio is not None

    @property
    def problems(self) -> tuple[str, ...]:
        parts = (self.root, self.text, self.vision, self.audio)
        seen: dict[str, None] = {}
        for part in parts:
            if part is not None:
                seen |= dict.fromkeys(part.problems)
        return tuple(seen)


def parse_config(root: Mapping[str, Any], quant_file: Mapping[str, Any] | None = None, file_dtype: str = "") -> Config:
    """Args: `root` the JSON object; `quant_file` that of `hf_quant_config.json` or `quantize_config.json` beside it;
    `file_dtype` the dtype of the weights in the files, for configs that name none."""
    for wrapper in _WRAPPERS:
        inner = root.get(wrapper)
        if isinstance(inner, Mapping):
            root = {**root, **cast("Mapping[str, Any]", inner)}
    model_type = _text(root, "model_type")
    top = _fields(root, model_type)
    key = next((name for name in TEXT_PARTS if isinstance(root.get(name), Mapping)), None)
    text = _part(root, key, model_type) if key else top
    text_type = (_text(_mapping(root, key), "model_type") if key else "") or _part_type(model_type, key) or model_type
    return Config(
        architecture=_architecture(root),
        model_type=model_type,
        text_type=text_type,
        root=top,
        text=text,
        vision=_tower(root, "vision_config", model_type),
        audio=_tower(root, "audio_config", model_type),
        dtype=_declared_dtype(root, key) or _DTYPES.get(file_dtype, ""),
        quantization=_quantization(root, key, quant_file),
    )


def tied(config: Config) -> bool:
    """Whether the output head is the embedding table. The outer config decides (vLLM `VllmConfig.with_hf_config`)."""
    if config.root.raw("tie_word_embeddings") is not None:
        return config.root.flag("tie_word_embeddings")
    return config.text.flag("tie_word_embeddings")


def _fields(values: Mapping[str, Any], model_type: str, *, nested: bool = False) -> Fields:
    defaults = class_defaults(model_type)
    return Fields(values, defaults.values, defaults.names, nested=nested)


def _part_type(model_type: str, key: str | None) -> str:
    return class_defaults(model_type).parts.get(key or "", "")


def _part(root: Mapping[str, Any], key: str, model_type: str) -> Fields:
    values = _mapping(root, key)
    own = _text(values, "model_type")
    kind = own if class_defaults(own).values else _part_type(model_type, key) or own
    return _fields(values, kind, nested=True)


def _tower(root: Mapping[str, Any], key: str, model_type: str) -> Fields | None:
    """The config of a tower; where the file leaves it out, the class builds one from its defaults (Llama 4 Scout's
    config.json has no vision_config), except Gemma 4."""
    if isinstance(root.get(key), Mapping):
        return _part(root, key, model_type)
    if key in root or model_type in _NO_DEFAULT_TOWERS or key not in class_defaults(model_type).parts:
        return None
    return _fields({}, _part_type(model_type, key))


def _mapping(root: Mapping[str, Any], key: str | None) -> Mapping[str, Any]:
    value = root.get(key) if key else None
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _architecture(root: Mapping[str, Any]) -> str:
    names = root.get("architectures")
    if isinstance(names, list) and names and isinstance(names[0], str):
        return names[0]
    return ""


def _declared_dtype(root: Mapping[str, Any], key: str | None) -> str:
    for values in (root, _mapping(root, key), _mapping(root, "vision_config")):
        for name in ("dtype", "torch_dtype"):
            value = _text(values, name).removeprefix("torch.")
            if value in _DTYPES:
                return _DTYPES[value]
    return ""


def _quantization(
    root: Mapping[str, Any], key: str | None, quant_file: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    for values in (root, _mapping(root, key)):
        for name in ("quantization_config", "compression_config"):
            value = values.get(name)
            if isinstance(value, Mapping) and value:
                return cast("Mapping[str, Any]", value)
    return quant_file
