"""How a server's end reads as an error. Pure."""

from __future__ import annotations

from core.engine.log_parser import engine_death, last_words, root_cause
from core.engine.server_process import Gone
from core.errors import AppError
from core.events import ErrorInfo


def start_failure(gone: Gone) -> AppError:
    """The server ended before it was ready."""
    detail = "\n".join(last_words(gone.tail))
    if gone.signal_name is not None:
        return AppError("server.killed", detail, signal=gone.signal_name)
    return AppError("server.start_failed", detail, exit_code=gone.code, reason=root_cause(gone.tail))


def later_failure(gone: Gone, engine_died: bool) -> AppError:
    """A ready server ended without being asked."""
    detail = "\n".join(last_words(gone.tail))
    if engine_died or engine_death(gone.tail):
        return AppError("server.engine_died", detail, process="EngineCore")
    if gone.signal_name is not None:
        return AppError("server.killed", detail, signal=gone.signal_name)
    return AppError("server.died", detail, exit_code=gone.code, reason=root_cause(gone.tail))


def as_info(error: AppError, tail: tuple[str, ...]) -> ErrorInfo:
    """The same as a value: the last words stand in a field of their own."""
    return ErrorInfo(error.code, "" if tail else error.detail, dict(error.facts), last_words(tail))
