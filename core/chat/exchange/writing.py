"""Conversations into a file, which gets its name only when it is whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.chat.exchange.archive import Archived, to_json
from core.chat.exchange.markdown import as_markdown
from core.chat.records import ExportFormat
from core.errors import AppError
from core.files import write_whole


def write(conversations: Sequence[Archived], format: ExportFormat, path: Path) -> None:
    """Raises: AppError `chat.export_failed`."""
    if format == "json":
        data = to_json(tuple(conversations))
    else:
        data = "\n\n".join(as_markdown(one) for one in conversations).encode()
    try:
        write_whole(path, data)
    except OSError as error:
        raise AppError("chat.export_failed", repr(error), path=str(path), reason=error.strerror) from error
