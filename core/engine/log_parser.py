"""What vLLM's log says about a start. Pure functions of text; `file.py:line` is never looked at: it moves.

Wordings: vLLM 0.8.5 to 0.33 as read in their sources, 0.32 (CPU build) as recorded in `tests/data/engine-logs`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from core.engine.log_scan import split, with_any
from core.events import Phase, PhaseTime

ORDER: Final = tuple(Phase)

# The phase that a line begins (or belongs to). First match wins.
_SIGNS: Final[tuple[tuple[Phase, re.Pattern[str]], ...]] = tuple(
    (phase, re.compile(pattern))
    for phase, pattern in (
        (Phase.WARM_UP, r"Capturing CUDA graphs?|Graph capturing finished in"),
        # The KV cache has its size: what follows is the warm-up of the model (or of CUDA graphs).
        (Phase.WARM_UP, r"(?:GPU|CPU|XPU|TPU) KV cache size: |# (?:GPU|CPU) blocks: |Maximum concurrency for "),
        (Phase.WARM_UP, r"init engine \(profile, create kv cache, warmup model\) took"),
        (Phase.WARM_UP, r"Starting vLLM (?:API )?server|Waiting for application startup"),
        (Phase.KV_CACHE, r"Available KV cache memory: |(?:Explicitly|Auto) set \([\d.]+/[\d.]+\) GiB for KV cache"),
        (Phase.KV_CACHE, r"torch\.compile (?:takes|took) |Warming up done\.|Initial profiling/warmup run took"),
        (Phase.COMPILE, r"Warming up model for the compilation|Using cache directory: |Dynamo bytecode transform time"),
        (Phase.COMPILE, r"Compiling a graph for|saved AOT compiled function|Directly load the compiled graph"),
        (Phase.LOAD, r"Starting to load model |Loading (?:safetensors|pt) checkpoint shards:"),
        (Phase.LOAD, r"Time spent downloading weights for|Loading weights took |Loading drafter model"),
        (Phase.LOAD, r"Model loading took "),
    )
)
_SHARDS: Final = re.compile(r"Loading (?:safetensors|pt) checkpoint shards:\s+(\d+)% Completed")
_WARMING: Final = "arming up "
# Without one of these no line of the kinds above.
_WORDS: Final[dict[Phase, tuple[str, ...]]] = {
    Phase.LOAD: ("Starting to load model", "oading "),
    Phase.COMPILE: (
        _WARMING, "cache directory", "bytecode", "ompiling a graph", "AOT compiled", "the compiled graph",
    ),
    Phase.KV_CACHE: ("KV cache memory", "GiB for KV cache", "torch.compile t", "warmup run", _WARMING),
    Phase.WARM_UP: (
        "apturing", "KV cache size", "PU blocks: ", "aximum concurrency", "init engine", "Starting vLLM",
        "for application startup",
    ),
}  # fmt: skip
# Phases only go forward: in each of them only later ones are looked for, and how far the loading is.
_STILL_AHEAD: Final = {
    now: tuple(
        dict.fromkeys(
            word
            for phase, words in _WORDS.items()
            if ORDER.index(phase) > ORDER.index(now) or phase is now is Phase.LOAD
            for word in words
        )
    )
    for now in ORDER
}
# "Warming up" is said of compiling before it and after it.
_PHASES_OF: Final = {word: (phase,) for phase, words in _WORDS.items() for word in words} | {
    _WARMING: (Phase.COMPILE, Phase.KV_CACHE)
}
_SERVED: Final = re.compile(r"Starting vLLM (?:API )?server|Application startup complete")

_EXCEPTION_NAME: Final = re.compile(r"^(?:[A-Za-z_]\w*\.)*(?:Exception|\w+(?:Error|Exception|Interrupt))(?::|$)")
_ARGPARSE: Final = re.compile(r"\berror: (?:unrecognized arguments|argument |the following arguments|ambiguous option)")
# Exceptions that only report another one.
_SECOND_HAND: Final = re.compile(
    r"Engine core initialization failed|EngineDeadError|WorkerProc initialization failed|Engine process failed to start"
    r"|See stack trace|Worker failed with error|CancelledError|BrokenPipeError|resource_tracker|output_handler failed"
)
_ENGINE_DEATH: Final = re.compile(
    r"EngineDeadError|engine core exited unexpectedly|[Ee]ngine core proc \S+ died unexpectedly"
    r"|Worker proc \S+ died unexpectedly"
)
_PORT_TAKEN: Final = re.compile(r"Address already in use|address already in use|WinError 10048")
_NOISE: Final = re.compile(
    r"nanobind|leaked |resource_tracker|warnings\.warn|refleaks|^\s*$|^\s*[\^~]+\s*$|skipped remainder"
)


class PhaseTracker:
    """Which phase the start is in. Phases only go forward; one that left no line is skipped (eager: no compile)."""

    def __init__(self) -> None:
        self.phases: tuple[PhaseTime, ...] = (PhaseTime(Phase.ENVIRONMENT, 0.0),)

    def feed(self, lines: Sequence[str], now_s: float) -> bool:
        """Take lines, `now_s` seconds after the launch began; True when `phases` changed."""
        words = _STILL_AHEAD[self.phases[-1].phase]
        return any([self._take(lines[index], found, now_s) for index, found in with_any(lines, words)])

    def _take(self, line: str, words: Sequence[str], now_s: float) -> bool:
        phase = phase_of(line, {phase for word in words for phase in _PHASES_OF[word]})
        if phase is None:
            return False
        changed = self.enter(phase, now_s)
        shards = _SHARDS.search(line)
        last = self.phases[-1]
        if shards is None or last.phase is not Phase.LOAD:
            return changed
        fraction = int(shards[1]) / 100
        if last.fraction is not None and fraction <= last.fraction:
            return changed
        self.phases = (*self.phases[:-1], replace(last, fraction=fraction))
        return True

    def enter(self, phase: Phase, now_s: float) -> bool:
        """End the present phase and begin `phase`; False when that would go back."""
        last = self.phases[-1]
        if ORDER.index(phase) <= ORDER.index(last.phase):
            return False
        ended = None if phase is not Phase.READY else now_s
        self.phases = (*self.phases[:-1], replace(last, ended_s=now_s), PhaseTime(phase, now_s, ended))
        return True


def phase_of(line: str, among: Collection[Phase] = ORDER) -> Phase | None:
    """The phase of `among` that `line` is a sign of."""
    return next((phase for phase, sign in _SIGNS if phase in among and sign.search(line)), None)


def says_it_serves(line: str) -> bool:
    """Worth asking `/health` at once. Only a hint: a line never makes a server ready."""
    return bool(_SERVED.search(line))


def port_taken(lines: Iterable[str]) -> bool:
    return any(_PORT_TAKEN.search(line) for line in lines)


def engine_death(lines: Iterable[str]) -> bool:
    """Whether the API server reported that a process behind it died."""
    return any(_ENGINE_DEATH.search(line) for line in lines)


def last_words(lines: Sequence[str], count: int = 40) -> tuple[str, ...]:
    """The final `count` lines that mean something, oldest first."""
    return tuple(line for line in lines if not _NOISE.search(line))[-count:]


def root_cause(lines: Sequence[str]) -> str:
    """One line that says why a start failed: the *first* exception of EngineCore or a worker that is not the echo of
    another, else the first of the API server, else argparse's complaint, else the last error, else the last line.

    vLLM prints the cause first and then up to 150 lines of consequences, ending in "Engine core initialization failed".
    """
    bodies = [split(line) for line in lines]
    first: str | None = None
    for index, (process, _level, body) in enumerate(bodies):
        if not _EXCEPTION_NAME.match(body) or _SECOND_HAND.search(body):
            continue
        message = _with_continuation(bodies, index)
        if process in ("EngineCore", "Worker", "VllmWorker"):
            return message
        first = first or message
    if first:
        return first
    for _process, _level, body in bodies:
        if _ARGPARSE.search(body):
            return body.strip()
    errors = [
        body for _process, level, body in bodies if level == "ERROR" and body.strip() and not _SECOND_HAND.search(body)
    ]
    if errors:
        return errors[-1].strip()
    words = last_words(lines, 1)
    return split(words[0])[2].strip() if words else ""


def _with_continuation(bodies: Sequence[tuple[str, str, str]], index: int) -> str:
    """pydantic puts the reason on the line after "1 validation error for X"."""
    body = bodies[index][2].strip()
    if "validation error" in body and index + 1 < len(bodies):
        return f"{body}: {bodies[index + 1][2].strip()}"
    return body
