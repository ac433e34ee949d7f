"""Why a launch failed, from its log and its end: a typed cause with evidence, or None. Pure.

The first root cause counts, not the last line: vLLM prints the cause once and then up to 150 lines of consequences,
which end in "Engine core initialization failed. See root cause above". Of several known sentences the most certain wins
(see `causes.cause`), of equally certain ones the first.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.codes import CODES
from core.engine.causes import machine, memory, model, options
from core.engine.causes.cause import VAGUE, Cause
from core.engine.log_scan import split
from core.errors import Fact

PREFIX: Final = "engine.fail."
CAUSES: Final[tuple[Cause, ...]] = (*memory.CAUSES, *options.CAUSES, *machine.CAUSES, *model.CAUSES)

_BY_SIGNAL: Final = {
    "SIGILL": "illegal_instruction",
    "SIGBUS": "bus_error",
    "SIGSEGV": "crashed",
    "SIGABRT": "crashed",
    "SIGFPE": "crashed",
}
_EVIDENCE_LINES: Final = 4
_EVIDENCE_CHARS: Final = 600
_SPACES: Final = re.compile(r"\s+")
# Not causes: what was asked for, argparse's list of all that may be, the usual warning about the limit of open files.
_NOT_SAID: Final = re.compile(r"non-default args: |^usage: |^\s*\[--|Found ulimit of")
_QUIET_LEVELS: Final = ("DEBUG", "INFO")
# vLLM reports this one as news, again and again.
_NEWS: Final = "shared memory broadcast block"
_ENGINE_LOST: Final = re.compile(r"died unexpectedly|EngineDeadError|exit code: -9\)")


@dataclass(frozen=True, slots=True)
class Ending:
    """How the server ended. `oom_kills`: how often the kernel killed for lack of memory, in our cgroup or in the whole
    system, while it ran; `limit_bytes` the cgroup's limit, None without one."""

    exit_code: int | None = None
    signal_name: str | None = None
    oom_kills: int = 0
    limit_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`code` is one of `core.codes.CODES`, with the facts it lists; `evidence` the log's own lines, oldest first."""

    code: str
    facts: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    evidence: tuple[str, ...] = ()


def diagnose(lines: Sequence[str], ending: Ending | None = None) -> Diagnosis | None:
    """The root cause, None when no known one shows."""
    ending = ending or Ending()
    known = _known(lines)
    if ending.oom_kills and (ending.signal_name == "SIGKILL" or any(_ENGINE_LOST.search(line) for line in lines)):
        facts: dict[str, Fact] = {"limit_bytes": ending.limit_bytes}
        return Diagnosis(f"{PREFIX}out_of_ram", facts, _matching(lines, _ENGINE_LOST))
    if known is not None and known[0] < VAGUE:
        return known[1]
    if ending.signal_name in _BY_SIGNAL:
        return _named(_BY_SIGNAL[ending.signal_name], {"signal": ending.signal_name}, ())
    return known[1] if known is not None else None


def _known(lines: Sequence[str]) -> tuple[int, Diagnosis] | None:
    """The best known cause and its rank."""
    text, starts, numbers = _flat(lines)
    best: tuple[tuple[int, int, int], Cause, re.Match[str]] | None = None
    for order, cause in enumerate(CAUSES):
        match = cause.pattern.search(text)
        if match is None:
            continue
        # Of two patterns for one sentence the earlier in the table says more: it may begin a few words later.
        line = bisect.bisect_right(starts, match.start())
        if best is None or (cause.rank, line, order) < best[0]:
            best = ((cause.rank, line, order), cause, match)
    if best is None:
        return None
    (rank, first, _order), cause, match = best
    last = bisect.bisect_right(starts, match.end() - 1)
    evidence = tuple(lines[numbers[at]][:_EVIDENCE_CHARS] for at in range(first - 1, last))[:_EVIDENCE_LINES]
    return rank, _named(cause.code, cause.facts(match), evidence)


def _named(code: str, facts: Mapping[str, Fact], evidence: tuple[str, ...]) -> Diagnosis:
    code = code if code in CODES else PREFIX + code
    return Diagnosis(code, {name: value for name, value in facts.items() if name in CODES[code]}, evidence)


def _flat(lines: Sequence[str]) -> tuple[str, list[int], list[int]]:
    """All messages as one text with single spaces, so that a sentence broken over lines is found; where in it each line
    begins; and which line that was."""
    parts: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    at = 0
    for number, line in enumerate(lines):
        _process, level, message = split(line)
        if _NOT_SAID.search(line) or (level in _QUIET_LEVELS and _NEWS not in line):
            continue
        body = _SPACES.sub(" ", message).strip()
        if not body or body.startswith("raise "):  # the source line of a traceback
            continue
        parts.append(body)
        starts.append(at)
        numbers.append(number)
        at += len(body) + 1
    return " ".join(parts), starts, numbers


def _matching(lines: Sequence[str], pattern: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(line[:_EVIDENCE_CHARS] for line in lines if pattern.search(line))[:_EVIDENCE_LINES]
