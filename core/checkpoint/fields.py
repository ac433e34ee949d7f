"""Typed values from a `config.json` that nobody checked.

A value of the wrong type counts as absent and is remembered as a problem; nothing here raises for what a file says.
`null` is an answer ("none"), a missing key is not: then the default of the model type's class counts, as it does in
transformers, and the name is remembered as assumed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

# Larger numbers are no dimension of anything: a tokenizer's 10**30 for "no limit", a typing error, an attack.
LARGEST: Final = 10**12


class Unreadable(Exception):
    """A value that the calculation cannot do without is missing; the text names it."""


class Refused(Unreadable):
    """Nothing is missing, but vLLM would not build such a model; the text says why."""


class Fields:
    """One object of a config. `names` maps a class's own names to those in the file (transformers' attribute_map)."""

    def __init__(
        self,
        values: Mapping[str, Any],
        defaults: Mapping[str, Any] | None = None,
        names: Mapping[str, str] | None = None,
        *,
        nested: bool = False,
        problems: list[str] | None = None,
        assumed: dict[str, Any] | None = None,
    ) -> None:
        self._values = values
        self._defaults = defaults or {}
        self._names = names or {}
        self._nested = nested
        self.problems: list[str] = [] if problems is None else problems
        self.assumed: dict[str, Any] = {} if assumed is None else assumed

    def stated(self, name: str) -> bool:
        """Whether the file itself gives a value other than null.

        In a nested object, what its class fills in counts as given: transformers writes only what differs from it.
        """
        known = (name, self._names.get(name, name))
        if any(self._values.get(key) is not None for key in known):
            return True
        return self._nested and not any(key in self._values for key in known) and name in self._defaults

    def raw(self, name: str) -> Any:
        for key in (name, self._names.get(name, name)):
            if key in self._values:
                return self._values[key]
        for key in (name, self._names.get(name, name)):
            if key in self._defaults:
                self.assumed[name] = self._defaults[key]
                return self._defaults[key]
        return None

    def integer(self, *names: str, default: int | None = None, minimum: int = 0) -> int | None:
        """The first of `names` that holds a whole number from `minimum` up to `LARGEST`."""
        for name in names:
            value = self.raw(name)
            if value is None:
                continue
            number = _whole(value)
            if number is not None and minimum <= number <= LARGEST:
                return number
            self._complain(name, value, "whole number")
        return default

    def need(self, *names: str, minimum: int = 1) -> int:
        """As `integer`.

        Raises:
            Unreadable: none of them holds a usable number.
        """
        value = self.integer(*names, minimum=minimum)
        if value is None:
            raise Unreadable(f"config.json gives no usable {names[0]}")
        return value

    def number(self, *names: str, default: float | None = None) -> float | None:
        for name in names:
            value = self.raw(name)
            if value is None:
                continue
            if isinstance(value, (int, float)) and not isinstance(value, bool) and _finite(value):
                return float(value)
            self._complain(name, value, "number")
        return default

    def flag(self, *names: str, default: bool = False) -> bool:
        for name in names:
            value = self.raw(name)
            if isinstance(value, bool):
                return value
            if value is not None:
                self._complain(name, value, "true or false")
        return default

    def text(self, *names: str, default: str = "") -> str:
        for name in names:
            value = self.raw(name)
            if isinstance(value, str):
                return value
            if value is not None:
                self._complain(name, value, "text")
        return default

    def items(self, name: str) -> tuple[Any, ...] | None:
        """A list of anything; None when absent or no list."""
        value = self.raw(name)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(cast("Sequence[Any]", value))
        if value is not None:
            self._complain(name, value, "list")
        return None

    def strings(self, name: str) -> tuple[str, ...]:
        found = self.items(name) or ()
        if all(isinstance(item, str) for item in found):
            return cast("tuple[str, ...]", found)
        self._complain(name, found, "list of texts")
        return ()

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers; empty for one number, which is no list."""
        value = self.raw(name)
        if _whole(value) is not None:
            return ()
        found = self.items(name) or ()
        numbers = tuple(_whole(item) for item in found)
        if any(number is None or abs(number) > LARGEST for number in numbers):
            self._complain(name, found, "list of whole numbers")
            return ()
        return cast("tuple[int, ...]", numbers)

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        value = self.raw(name)
        if isinstance(value, Mapping):
            return cast("Mapping[str, Any]", value)
        if value is not None:
            self._complain(name, value, "object")
        return None

    def has(self, name: str) -> bool:
        return name in self._values or self._names.get(name, name) in self._values

    def _complain(self, name: str, value: object, wanted: str) -> None:
        shown = repr(value)
        note = f"{name} is {shown if len(shown) <= 40 else shown[:37] + '...'}, not a {wanted}"
        if note not in self.problems:
            self.problems.append(note)


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return None


def _finite(value: float) -> bool:
    return abs(value) <= LARGEST and not math.isnan(value)
