"""Any file of conversations that we know."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import msgspec

from core.chat.exchange import archive, chatgpt, lm_studio
from core.chat.exchange.archive import Archived
from core.chat.exchange.markdown import from_markdown
from core.errors import AppError

MOST_BYTES: Final = 1024**3


def read(path: Path) -> tuple[Archived, ...]:
    """Raises: AppError `chat.import_failed`."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError("larger than 1 GiB")
        return parse(path.read_bytes())
    except OSError as error:
        raise AppError("chat.import_failed", repr(error), path=str(path), reason=error.strerror) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # Foreign files: a field of another kind than expected shows as any of these.
        raise AppError("chat.import_failed", repr(error), path=str(path), reason=str(error)) from error


def parse(data: bytes) -> tuple[Archived, ...]:
    """Raises: ValueError, KeyError, TypeError or AttributeError for what is no such file."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return (from_markdown(data.decode("utf-8-sig")),)
    raw: Any = msgspec.json.decode(data)
    if archive.is_ours(raw):
        return archive.from_json(data)
    several: list[Any] = cast("list[Any]", raw) if isinstance(raw, list) else [raw]
    found = list[Archived]()
    for one in several:
        if chatgpt.looks_so(one):
            found.append(chatgpt.from_chatgpt(one))
        elif lm_studio.looks_so(one):
            found.append(lm_studio.from_lm_studio(one))
    if not found:
        raise ValueError("no conversation in it")
    return tuple(found)
