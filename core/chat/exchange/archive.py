"""A conversation outside the database, and Stowage's own file of several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec

from core.chat.params import Params
from core.chat.tree import Message

FORMAT: Final = "stowage.conversations"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Archived:
    """One conversation with all its branches: parents stand before their children. Times are Unix seconds."""

    messages: tuple[Message, ...]
    leaf: str | None = None
    title: str = ""
    system: str = ""
    params: Params = field(default_factory=Params)
    created: float = 0.0
    updated: float = 0.0
    pinned: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    conversations: tuple[Archived, ...]
    format: str = FORMAT
    version: int = VERSION


def to_json(conversations: tuple[Archived, ...]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(_File(conversations)), indent=2)


def is_ours(raw: Any) -> bool:
    return isinstance(raw, dict) and cast("dict[str, Any]", raw).get("format") == FORMAT


def from_json(data: bytes) -> tuple[Archived, ...]:
    """Raises: ValueError when it is none of ours, or a later version."""
    file = msgspec.json.decode(data, type=_File)
    if file.version > VERSION:
        raise ValueError(f"version {file.version}")
    return file.conversations
