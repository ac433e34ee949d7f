"""What people write for sizes, contexts, versions and cards, as numbers. Pure.

The context follows vLLM's own `--max-model-len` (`engine/arg_utils.py`, 0.33, `human_readable_int_or_auto`): a small
letter is decimal ("32k" = 32000), a capital one binary ("32K" = 32768), "auto" the longest that memory allows.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

from core.errors import AppError
from core.planner.gpu_table import CardModel, cards, find_card
from core.planner.hardware import capability_of
from core.planner.kv_specs import KV_DTYPES
from core.planner.options import GIB, MIB

_SIZE: Final = re.compile(r"(\d+(?:[.,]\d+)?)\s*([a-zа-я]*)", re.IGNORECASE)
_UNITS: Final = {
    **dict.fromkeys(("", "g", "gib", "г", "гиб"), GIB),
    **dict.fromkeys(("m", "mib", "м", "миб"), MIB),
    **dict.fromkeys(("gb", "гб"), 10**9),
    **dict.fromkeys(("mb", "мб"), 10**6),
}
# No computer that one plans for has more; a longer number is a slip.
_MOST_BYTES: Final = 1 << 50
_MOST_TOKENS: Final = 1 << 30
_CONTEXT: Final = re.compile(r"(\d+)|(\d+(?:\.\d+)?)([kmg])|(\d+)([KMG])")
_VERSION: Final = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:[.+a-z].*)?")
AUTO: Final = "auto"
_MAKER_AND_SIZE: Final = re.compile(r"\b(nvidia|geforce)\b\s*|\s*\b\d+ ?gb\b", re.IGNORECASE)
_CLOSE: Final = 4


def read_size(option: str, text: str, *, least: int = 0) -> int:
    """Bytes of "12", "12.5", "12GiB", "500 MiB"; without a unit GiB.

    Raises:
        AppError: `plan.bad_size` when it is none, below `least` or beyond any computer.
    """
    match = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(match[2].lower()) if match else None
    size = round(float(match[1].replace(",", ".")) * unit) if match and unit and len(match[1]) < 20 else -1
    if not max(least, 0) <= size <= _MOST_BYTES:
        raise AppError("plan.bad_size", option=option, value=text)
    return size


def read_context(text: str) -> int | str:
    """Tokens, or `AUTO`.

    Raises:
        AppError: `plan.bad_context`.
    """
    plain = text.strip()
    if plain.lower() == AUTO or plain == "-1":
        return AUTO
    match = _CONTEXT.fullmatch(plain) if len(plain) < 20 else None
    tokens = 0
    if match is not None and match[1]:
        tokens = int(match[1])
    elif match is not None and match[3]:
        tokens = int(float(match[2]) * 1000 ** ("kmg".index(match[3]) + 1))
    elif match is not None:
        tokens = int(match[4]) << (10 * ("KMG".index(match[5]) + 1))
    if not 1 <= tokens <= _MOST_TOKENS:
        raise AppError("plan.bad_context", value=text)
    return tokens


def read_version(text: str) -> tuple[int, int, int]:
    """ "0.33.0", "v0.33", "0.33.1.dev3+g12ab" as numbers.

    Raises:
        AppError: `plan.bad_version`.
    """
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise AppError("plan.bad_version", value=text)
    return int(match[1]), int(match[2]), int(match[3] or 0)


def read_capability(text: str) -> tuple[int, int]:
    """Raises: AppError: `plan.bad_capability`."""
    found = capability_of(text.strip())
    if found is None or not 3 <= found[0] <= 20:
        raise AppError("plan.bad_capability", value=text)
    return found


def read_kv_dtype(text: str) -> str:
    """Raises: AppError: `plan.bad_kv_dtype`."""
    if text not in KV_DTYPES:
        raise AppError("plan.bad_kv_dtype", value=text, known=", ".join(sorted(KV_DTYPES)))
    return text


def read_card(text: str) -> CardModel:
    """The card of the table that `text` means.

    Raises:
        AppError: `plan.gpu_unknown` with the names that come close.
    """
    card = find_card(text)
    if card is None:
        raise AppError("plan.gpu_unknown", gpu=text, close=", ".join(close_names(text)) or "–")
    return card


def close_names(text: str) -> tuple[str, ...]:
    """Names of the table that look like `text`, the closest first."""
    names = {_bare(card.name): card.name for card in reversed(cards())}
    return tuple(names[found] for found in difflib.get_close_matches(_bare(text), names, n=_CLOSE, cutoff=0.5))


def _bare(name: str) -> str:
    return _MAKER_AND_SIZE.sub("", name).strip().lower()
