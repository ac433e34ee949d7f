"""What of a checkpoint decides about options, from its config and the small files beside it."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from core.checkpoint.architecture import Checkpoint
from core.checkpoint.caches import CacheKind
from core.checkpoint.fields import Unreadable
from core.engine.chat_templates import family_in
from core.engine.options import Tables, Traits

# Fields that name the layers with n-gram tables (vLLM 0.30 on, `config/engram.py` `_NGRAM_LAYER_FIELDS`).
_NGRAM_LAYERS: Final = ("ple_layer_ids", "engram_layer_ids")
_TEMPLATES: Final = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json")
_LARGEST_FILE: Final = 16 << 20
# Added tokens stand at the head of tokenizer.json, before the vocabulary.
_HEAD_CHARS: Final = 256 << 10


def traits_of(checkpoint: Checkpoint, path: Path) -> Traits:
    """Args: `path` the checkpoint's folder, or its config.json alone. Files that cannot be read count as absent."""
    folder = path if path.is_dir() else path.parent
    names = _names(path)
    return Traits(
        architecture=checkpoint.config.architecture,
        tables=_tables(checkpoint),
        hybrid=_hybrid(checkpoint),
        mixed_formats=_mixed(names),
        template=chat_template(folder) if names else "",
        family=_family(folder) if names else "",
        # Before the files are here nothing speaks against it.
        safetensors=not names or any(name.endswith(".safetensors") for name in names) or not _weights(names),
    )


def _names(path: Path) -> Collection[str]:
    try:
        return frozenset(entry.name for entry in path.iterdir()) if path.is_dir() else ()
    except OSError:
        return ()


def _tables(checkpoint: Checkpoint) -> Tables:
    text = checkpoint.config.text
    if any(text.raw(name) for name in _NGRAM_LAYERS):
        return "ngram"
    return "per_layer" if text.raw("hidden_size_per_layer_input") else ""


def _hybrid(checkpoint: Checkpoint) -> bool:
    try:
        kinds = {layer.kind for layer in checkpoint.caches()}
    except Unreadable:
        return False
    return CacheKind.STATE in kinds and len(kinds) > 1


def _weights(names: Collection[str]) -> bool:
    return any(name.endswith((".bin", ".pt", ".pth", ".gguf")) for name in names)


def _mixed(names: Collection[str]) -> bool:
    """Both sets of weights that Mistral publishes in one repository."""
    own = any(name.startswith("consolidated") and name.endswith(".safetensors") for name in names)
    return own and any(name.startswith("model") and name.endswith(".safetensors") for name in names)


def _family(folder: Path) -> str:
    for name in ("tokenizer_config.json", "tokenizer.json"):
        try:
            with (folder / name).open(encoding="utf-8") as file:
                found = family_in(file.read(_HEAD_CHARS))
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return found
    return ""


def chat_template(folder: Path) -> str:
    """Its text, "" for none. A list of named templates (older tokenizers) counts as all of them together."""
    for name in _TEMPLATES:
        try:
            if (folder / name).stat().st_size > _LARGEST_FILE:
                continue
            text = (folder / name).read_text(encoding="utf-8")
            template: Any = text if name.endswith(".jinja") else json.loads(text).get("chat_template")
        except (OSError, ValueError, AttributeError):
            continue
        if template:
            return template if isinstance(template, str) else json.dumps(template, ensure_ascii=False)
    return ""
