"""One known cause: the words that give it away, and what they tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.errors import Fact

GIB: Final = 1 << 30

# How far a sentence is believed. What vLLM, torch or the Hub says of the cause itself; what is often only an echo of
# another cause (a module that is missing because an import before it failed); what says no more than that it ended.
CERTAIN: Final = 0
MAYBE_ECHO: Final = 1
VAGUE: Final = 2


@dataclass(frozen=True, slots=True)
class Cause:
    """`code` is one of `core.codes`, "engine.fail." left out; `pattern` is searched in the messages of the log, their
    prefixes off, joined with single spaces. Its named groups become facts: `*_gib` as `*_bytes`, digits as int, the
    rest as text."""

    code: str
    pattern: re.Pattern[str]
    rank: int = CERTAIN

    def facts(self, match: re.Match[str]) -> dict[str, Fact]:
        found: dict[str, Fact] = {}
        for name, text in match.groupdict().items():
            if text is None:
                continue
            # Two wordings of one fact in one pattern: "limit" and "limit_2".
            name = name.removesuffix("_2")
            if name.endswith("_gib"):
                found[f"{name[:-4]}_bytes"] = round(float(text.replace(",", "")) * GIB)
            elif re.fullmatch(r"\d[\d,]*", text):
                found[name] = int(text.replace(",", ""))
            else:
                found[name] = text.strip()
        return found


def cause(code: str, pattern: str, rank: int = CERTAIN) -> Cause:
    return Cause(code, re.compile(pattern), rank)
