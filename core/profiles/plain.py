"""Choices as plain data and back. Reading never fails: a value that is not understood costs that value, and what a
later Stowage wrote is kept for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, cast, get_type_hints

import msgspec

from core.engine.options import LaunchOptions
from core.errors import AppError
from core.events import ErrorInfo
from core.planning.choices import Choices

# The least value of a figure; one below it was not meant.
_LEAST: Final[Mapping[str, float]] = {
    "context": 16, "cpu_kv_cache_gib": 1, "max_num_seqs": 1, "max_num_batched_tokens": 1, "offload_gib": 0,
    "leave_free_gib": 0, "kv_cache_bytes": 1, "tensor_parallel": 1, "pipeline_parallel": 1, "max_lora_rank": 1,
    "group_size": 0, "num_in_group": 1, "prefetch_step": 0, "ram_gib": 0, "disk_gib": 0, "cpu_reserved": 0,
}  # fmt: skip
_MOST: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Read:
    """`unknown`: what was not understood because of its name, nested as it was found; `notes`: values that were left
    out (`profiles.bad_value`)."""

    choices: Choices
    unknown: dict[str, Any] = field(default_factory=dict[str, Any])
    notes: tuple[ErrorInfo, ...] = ()


def to_plain(choices: Choices, unknown: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Without what is vLLM's own default among the seldom options; with what an earlier reading did not understand."""
    found: dict[str, Any] = msgspec.to_builtins(choices)
    found["more"] = _told(choices.more)
    return _joined(found, unknown or {})


def of_plain(raw: object) -> Read:
    """Args: `raw` anything: a person may have edited it."""
    if not isinstance(raw, Mapping):
        return Read(Choices(), {}, (_bad("choices", "not an object"),))
    notes: list[ErrorInfo] = []
    values = _without_extra_args(dict(cast("Mapping[str, Any]", raw)))
    choices, unknown = _read(Choices, values, "", notes)
    return Read(choices, unknown, tuple(notes))


def _without_extra_args(values: dict[str, Any]) -> dict[str, Any]:
    """Extra words had a field of their own before they were checked ones among the options."""
    words = values.pop("extra_args", None)
    if isinstance(words, list | tuple) and words:
        more = values.get("more")
        inner = dict(cast("Mapping[str, Any]", more)) if isinstance(more, Mapping) else {}
        present = inner.get("extra")
        kept = list(cast("Sequence[Any]", present)) if isinstance(present, list | tuple) else []
        values["more"] = inner | {"extra": [*kept, *cast("Sequence[Any]", words)]}
    return values


def _read(kind: Any, raw: Mapping[str, Any], path: str, notes: list[ErrorInfo]) -> tuple[Any, dict[str, Any]]:
    hints = get_type_hints(kind)
    good: dict[str, Any] = {}
    unknown = {name: value for name, value in raw.items() if name not in hints}
    for name, hint in hints.items():
        if name not in raw:
            continue
        value, where = raw[name], f"{path}{name}"
        if is_dataclass(hint) and isinstance(value, Mapping):
            good[name], inner = _read(hint, cast("Mapping[str, Any]", value), f"{where}.", notes)
            if inner:
                unknown[name] = inner
            continue
        try:
            good[name] = _checked(name, msgspec.convert(value, hint))
        except (msgspec.ValidationError, ValueError) as error:
            notes.append(_bad(where, str(error)))
    return kind(**good), unknown


def _checked(name: str, value: Any) -> Any:
    """Raises: ValueError: a figure that cannot be meant (NaN included)."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        least = _LEAST.get(name, -_MOST)
        if not least <= value <= _MOST:
            raise ValueError(f"{value} is not at least {least}" if value < least else f"{value} is no amount")
    return value


def _bad(key: str, reason: str) -> ErrorInfo:
    return ErrorInfo.of(AppError("profiles.bad_value", reason, key=key, reason=reason))


def _told(options: LaunchOptions) -> dict[str, Any]:
    """Only the fields that say something."""
    values = {each.name: getattr(options, each.name) for each in fields(options)}
    own = {each.name: each.default for each in fields(options)}
    return {name: msgspec.to_builtins(value) for name, value in values.items() if value != own[name]}


def _joined(known: dict[str, Any], unknown: Mapping[str, Any]) -> dict[str, Any]:
    """`known` has the last word where both say something."""
    found = dict(known)
    for name, value in unknown.items():
        mine = found.get(name)
        if isinstance(mine, dict) and isinstance(value, Mapping):
            found[name] = _joined(cast("dict[str, Any]", mine), cast("Mapping[str, Any]", value))
        elif name not in found:
            found[name] = value
    return found
