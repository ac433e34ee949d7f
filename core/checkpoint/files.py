"""Which files of a checkpoint vLLM loads, from a listing of names. Pure.

Source: `model_executor/model_loader/{default_loader,weight_utils}.py` of vLLM 0.33.0. Safetensors win over `.bin`,
`.bin` over `.pt`; an index decides which shards count; `consolidated*` (Mistral's own format) and ordinary shards are
the same weights twice, never both.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

SAFETENSORS_INDEX: Final = "model.safetensors.index.json"
CONSOLIDATED_INDEX: Final = "consolidated.safetensors.index.json"
BIN_INDEX: Final = "pytorch_model.bin.index.json"

# Not weights, though they end like them (vLLM: filter_files_not_needed_for_inference).
_NO_WEIGHTS: Final = frozenset(
    ("training_args.bin", "optimizer.bin", "optimizer.pt", "scheduler.pt", "scaler.pt", "rng_state.pth")
)
_NUMBERED: Final = re.compile(r"(.+-)(\d{5})(-of-)(\d{5})(\.[a-z]+)")
_TOKENIZER: Final = re.compile(
    r"tokenizer.*|vocab\.(?:json|txt)|tekken\.json|.*\.(?:model|tiktoken)|spiece.*|.*\.bpe\.model", re.IGNORECASE
)


class WeightFormat(enum.StrEnum):
    SAFETENSORS = "safetensors"
    MISTRAL = "mistral"
    BIN = "bin"
    PT = "pt"


@dataclass(frozen=True, slots=True)
class WeightFiles:
    """The weights of a checkpoint: their format, the index that names them ("" for none), the files present."""

    format: WeightFormat
    index: str
    present: tuple[str, ...]


def weight_files(names: Iterable[str]) -> WeightFiles | None:
    """What vLLM takes of the files in the root of a checkpoint; None when there is nothing it can load."""
    root = sorted(name for name in names if "/" not in name)
    shards = [name for name in root if name.endswith(".safetensors") and not name.startswith("consolidated")]
    if SAFETENSORS_INDEX in root and shards:
        return WeightFiles(WeightFormat.SAFETENSORS, SAFETENSORS_INDEX, tuple(shards))
    if shards:
        return WeightFiles(WeightFormat.SAFETENSORS, "", tuple(shards))
    consolidated = [name for name in root if name.startswith("consolidated") and name.endswith(".safetensors")]
    if consolidated and "params.json" in root:
        index = CONSOLIDATED_INDEX if CONSOLIDATED_INDEX in root else ""
        return WeightFiles(WeightFormat.MISTRAL, index, tuple(consolidated))
    for kind, index in ((WeightFormat.BIN, BIN_INDEX), (WeightFormat.PT, "")):
        found = [name for name in root if name.endswith(f".{kind}") and name not in _NO_WEIGHTS]
        if found:
            return WeightFiles(kind, index if index in root else "", tuple(found))
    for kind, index in ((WeightFormat.SAFETENSORS, SAFETENSORS_INDEX), (WeightFormat.BIN, BIN_INDEX)):
        if index in root:
            return WeightFiles(kind, index, ())
    return None


def missing_by_number(names: Iterable[str]) -> tuple[str, ...]:
    """Shards that the names `x-00001-of-00003` of the others call for."""
    present = set(names)
    wanted: set[str] = set()
    for name in present:
        if match := _NUMBERED.fullmatch(name):
            head, _, middle, count, tail = match.groups()
            wanted |= {f"{head}{number:05d}{middle}{count}{tail}" for number in range(1, int(count) + 1)}
    return tuple(sorted(wanted - present))


def has_tokenizer(names: Iterable[str]) -> bool:
    return any(_TOKENIZER.fullmatch(name) for name in names)
