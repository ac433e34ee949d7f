"""How a server's end reads as an error: its root cause where one is known, else how it ended. Pure."""

from __future__ import annotations

from core.engine.diagnosis import Diagnosis, Ending, diagnose
from core.engine.log_parser import engine_death, last_words, root_cause
from core.engine.server_process import Gone
from core.errors import AppError
from core.events import ErrorInfo

# A server that ran for days has old quarrels in its log; its end is told by the newest lines.
_LATE_LINES = 300


class LaunchFailure(AppError):
    """A failure with a known cause; `evidence` are the lines of the log that give it away."""

    def __init__(self, diagnosis: Diagnosis, words: tuple[str, ...]) -> None:
        super().__init__(diagnosis.code, "\n".join((*diagnosis.evidence, *words)), **diagnosis.facts)
        self.evidence = diagnosis.evidence


def start_failure(gone: Gone, oom_kills: int = 0, limit_bytes: int | None = None) -> AppError:
    """The server ended before it was ready."""
    words = last_words(gone.tail)
    diagnosis = diagnose(gone.tail, Ending(gone.code, gone.signal_name, oom_kills, limit_bytes))
    if diagnosis is not None:
        return LaunchFailure(diagnosis, words)
    detail = "\n".join(words)
    if gone.signal_name is not None:
        return AppError("server.killed", detail, signal=gone.signal_name)
    return AppError("server.start_failed", detail, exit_code=gone.code, reason=root_cause(gone.tail))


def later_failure(gone: Gone, engine_died: bool, oom_kills: int = 0, limit_bytes: int | None = None) -> AppError:
    """A ready server ended without being asked."""
    words = last_words(gone.tail)
    diagnosis = diagnose(gone.tail[-_LATE_LINES:], Ending(gone.code, gone.signal_name, oom_kills, limit_bytes))
    if diagnosis is not None:
        return LaunchFailure(diagnosis, words)
    detail = "\n".join(words)
    if engine_died or engine_death(gone.tail):
        return AppError("server.engine_died", detail, process="EngineCore")
    if gone.signal_name is not None:
        return AppError("server.killed", detail, signal=gone.signal_name)
    return AppError("server.died", detail, exit_code=gone.code, reason=root_cause(gone.tail))


def as_info(error: AppError, tail: tuple[str, ...]) -> ErrorInfo:
    """The same as a value: the evidence is the detail, the last words stand in a field of their own."""
    detail = "\n".join(error.evidence) if isinstance(error, LaunchFailure) else ("" if tail else error.detail)
    return ErrorInfo(error.code, detail, dict(error.facts), last_words(tail))
