"""A preset: choices with a name, for one model or for any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from core.errors import AppError
from core.events import ErrorInfo
from core.planning.choices import Choices
from core.profiles.plain import of_plain, to_plain

LONGEST_NAME: Final = 80
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Profile:
    """`model` "" for any; `engine` the build that it was saved with ("cuda 0.33.0"), "" not known; `unknown` what a
    later Stowage wrote into it, by name, the choices' own under "choices"."""

    name: str
    choices: Choices
    model: str = ""
    engine: str = ""
    unknown: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def key(self) -> tuple[str, str]:
        return self.model, self.name.casefold()


def clean_name(text: str) -> str:
    """One line without needless space.

    Raises:
        AppError: `profiles.no_name`.
    """
    name = _SPACE.sub(" ", text).strip()[:LONGEST_NAME].strip()
    if not name:
        raise AppError("profiles.no_name")
    return name


def as_plain(profile: Profile) -> dict[str, Any]:
    outer = {name: value for name, value in profile.unknown.items() if name != "choices"}
    inner = profile.unknown.get("choices")
    choices = to_plain(profile.choices, cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else None)
    return outer | {"name": profile.name, "model": profile.model, "engine": profile.engine, "choices": choices}


def from_plain(raw: object) -> tuple[Profile, tuple[ErrorInfo, ...]]:
    """The preset, and what of it was left out.

    Raises:
        AppError: `profiles.no_name`, `profiles.unreadable` for what is no preset at all.
    """
    if not isinstance(raw, Mapping):
        raise AppError("profiles.unreadable", reason="not an object")
    values = dict(cast("Mapping[str, Any]", raw))
    name = values.pop("name", None)
    texts = [values.pop(key, "") for key in ("model", "engine")]
    model, engine = (text if isinstance(text, str) else "" for text in texts)
    read = of_plain(values.pop("choices", {}))
    unknown = values | ({"choices": read.unknown} if read.unknown else {})
    return Profile(clean_name(name if isinstance(name, str) else ""), read.choices, model, engine, unknown), read.notes


def with_profile(profiles: Iterable[Profile], new: Profile) -> tuple[Profile, ...]:
    """`new` takes the place of the one with its name for its model, else it comes last."""
    found = list(profiles)
    place = next((place for place, each in enumerate(found) if each.key == new.key), None)
    if place is None:
        found.append(new)
    else:
        found[place] = new
    return tuple(found)
