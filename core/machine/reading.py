"""A value that may be unknown, with the reason: no driver answers every question, and some answer with nonsense."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# No memory, disk or limit of this world is 4 EiB. Drivers say 2^64-1 ("17179869184 GiB") and 2^63-4096 for "no answer".
IMPOSSIBLE_BYTES: Final = 1 << 62


class Why(enum.StrEnum):
    """Why a value is unknown."""

    NOT_SUPPORTED = "not_supported"  # the driver or this device does not offer it
    NO_PERMISSION = "no_permission"
    NOT_PRESENT = "not_present"  # no such file, device or driver
    IMPOSSIBLE = "impossible"  # answered with a sentinel or a figure that cannot be
    ASLEEP = "asleep"  # asking would wake a sleeping GPU
    LOST = "lost"  # worked before, does not any more
    FAILED = "failed"
    NOT_YET = "not_yet"  # needs a second sample, a load or a probe
    AMBIGUOUS = "ambiguous"  # more than one answer is possible
    HIDDEN = "hidden"  # taken out of sight by an environment variable


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    value: T_co

    def or_none(self) -> T_co:
        return self.value


@dataclass(frozen=True, slots=True)
class Unknown:
    """`detail` is technical English for the log and the folded details."""

    why: Why
    detail: str = ""

    def or_none(self) -> None:
        return None

    def __str__(self) -> str:
        return f"{self.why}: {self.detail}" if self.detail else str(self.why)


Reading: TypeAlias = Known[T] | Unknown

NOT_YET: Final = Unknown(Why.NOT_YET)
NOT_PRESENT: Final = Unknown(Why.NOT_PRESENT)
NOT_SUPPORTED: Final = Unknown(Why.NOT_SUPPORTED)


def plausible_bytes(value: int) -> Reading[int]:
    """`value` unless it is negative or a sentinel."""
    if 0 <= value < IMPOSSIBLE_BYTES:
        return Known(value)
    return Unknown(Why.IMPOSSIBLE, f"{value} bytes")


def of_error(error: OSError, what: str) -> Unknown:
    """The reason in a failed file read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Unknown(Why.NOT_PRESENT, what)
    if isinstance(error, PermissionError):
        return Unknown(Why.NO_PERMISSION, what)
    return Unknown(Why.FAILED, f"{what}: {error.strerror or error}")
