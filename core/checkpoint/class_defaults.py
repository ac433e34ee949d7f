"""What transformers fills in for values that a `config.json` leaves out.

Real configs rely on it: those of Gemma 3 give neither head count nor head size. `resources/transformers_defaults.json`
holds, by `model_type`, the class attributes of transformers 5.19 that decide sizes (`values`), its `attribute_map`
(`names`) and the types of its nested configs (`parts`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

_FILE: Final = Path(__file__).resolve().parent.parent.parent / "resources" / "transformers_defaults.json"


class ClassDefaults(msgspec.Struct, frozen=True):
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    parts: dict[str, str] = {}


NONE: Final = ClassDefaults()


@cache
def _all() -> dict[str, ClassDefaults]:
    return msgspec.json.decode(_FILE.read_bytes(), type=dict[str, ClassDefaults])


def class_defaults(model_type: str) -> ClassDefaults:
    """Those of a model type; empty for one that is not known."""
    return _all().get(model_type, NONE)
