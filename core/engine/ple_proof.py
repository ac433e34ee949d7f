"""Whether the plugin of `core/ple` did what was asked: its line in vLLM's log, and the counters that it writes.

Pure functions of text, and one that reads the small files. A launch that asked for a placement is proven when a line
says the table is kept off the device and the counters move with the tokens; with a line alone it is started, and with
neither it did not happen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

_KEPT: Final = re.compile(
    r"stowage-ple: (?P<table>\S+), (?P<rows>\d+) x (?P<width>\d+), (?P<gib>[\d.]+) GiB kept off the device: "
    r"placement=(?P<placement>\w+)(?P<more>.*)"
)
_CACHE: Final = re.compile(r"cache=(\d+) MiB")
_PINNED: Final = re.compile(r"pinned=(True|False)")
_NOT: Final = re.compile(r"stowage-ple: (?:inactive[^:]*: |the table cannot be read in place \()(?P<reason>.+)")
_FAILED: Final = re.compile(
    r"stowage-ple: (?!.*tried again)(?P<reason>.*(?:changed while|was cut while|row \d+ of|outside of).*)"
)


@dataclass(frozen=True, slots=True)
class KeptOff:
    """What one worker said of one table. `placement` as it came about: "ram" also where "disk" was asked for and the
    file could not be read in place. `cache_bytes` None for "ram"; `pinned` None for "disk"."""

    table: str
    rows: int
    width: int
    gib: float
    placement: str
    cache_bytes: int | None = None
    pinned: bool | None = None


class Counted(msgspec.Struct, frozen=True):
    """Sums over all tables and workers of a server since it started; seconds and bytes."""

    lookups: int = 0
    rows: int = 0
    unique_rows: int = 0
    hits: int = 0
    read_bytes: int = 0
    read_s: float = 0.0
    lookup_s: float = 0.0
    ahead_rows: int = 0

    @property
    def hit_share(self) -> float | None:
        """Of the distinct rows that were asked for, those that needed no read. None before the first."""
        return self.hits / self.unique_rows if self.unique_rows else None

    def since(self, before: Counted) -> Counted:
        """What happened after `before` was read."""
        return Counted(*(getattr(self, name) - getattr(before, name) for name in self.__struct_fields__))

    def plus(self, other: Counted) -> Counted:
        return Counted(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


@dataclass(frozen=True, slots=True)
class PleProof:
    """`asked` and `found` placement ("" none). `proven` None while no token was asked for yet. `reason`: the plugin's
    own words where it did something else, or failed."""

    asked: str
    found: str
    proven: bool | None
    kept: tuple[KeptOff, ...] = ()
    reason: str = ""


def kept_off(lines: Iterable[str]) -> tuple[KeptOff, ...]:
    """Each worker's line, in order; a table that was loaded again counts once."""
    found: dict[tuple[str, str], KeptOff] = {}
    for line in lines:
        match = _KEPT.search(line)
        if match is None:
            continue
        cache, pinned = _CACHE.search(match["more"]), _PINNED.search(match["more"])
        worker = line[: match.start()].partition(")")[0]
        found[worker, match["table"]] = KeptOff(
            match["table"],
            int(match["rows"]),
            int(match["width"]),
            float(match["gib"]),
            match["placement"],
            int(cache[1]) << 20 if cache else None,
            pinned[1] == "True" if pinned else None,
        )
    return tuple(found.values())


def reason_against(lines: Iterable[str]) -> str:
    """The last thing that the plugin said went wrong, "" when nothing did."""
    said = ""
    for line in lines:
        match = _FAILED.search(line) or _NOT.search(line)
        said = match["reason"] if match is not None else said
    return said


def read_counters(folder: Path) -> Counted:
    """Of all processes that write into `folder` (`STOWAGE_PLE_STATS`); zeros where there is nothing. A folder of one
    launch's own, so that no earlier server's files are in it."""
    total = Counted()
    for file in sorted(folder.glob("ple-*.json")):
        try:
            total = total.plus(msgspec.json.decode(file.read_bytes(), type=Counted))
        except (OSError, msgspec.MsgspecError):
            continue  # replaced at this moment: the next look will have it
    return total


def prove(asked: str, lines: Iterable[str], counted: Counted) -> PleProof:
    """Args: `asked`: the placement of the launch; `counted` since the server was ready."""
    kept_lines = tuple(lines)
    kept = kept_off(kept_lines)
    reason = reason_against(kept_lines)
    if not kept:
        return PleProof(asked, "gpu", asked in ("", "gpu"), kept, reason)
    found = kept[-1].placement
    if found != asked:
        return PleProof(asked, found, False, kept, reason)
    return PleProof(asked, found, True if counted.lookups else None, kept, reason)
