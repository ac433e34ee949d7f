"""Conversations in Markdown: a heading a turn. Branches, thinking and figures are left out."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Final

from core.chat.exchange.archive import Archived
from core.chat.tree import Message, Node, Tree, to_markdown

_TURN: Final = re.compile(r"^## (System|User|Assistant)[ \t]*$", re.MULTILINE)
_TITLE: Final = re.compile(r"\A\s*# (.+)$", re.MULTILINE)
_ESCAPED: Final = re.compile(r"^\\(?=## (?:System|User|Assistant)[ \t]*$)", re.MULTILINE)


def from_markdown(text: str) -> Archived:
    """Raises: ValueError without a single turn."""
    marks = list(_TURN.finditer(text))
    if not marks:
        raise ValueError("no heading of a turn")
    title = _TITLE.match(text[: marks[0].start()])
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    now, system, messages = time.time(), "", list[Message]()
    for mark, end in zip(marks, ends, strict=True):
        said = _ESCAPED.sub("", text[mark.end() : end].strip())
        if mark[1] == "System" and not messages:
            system = said
        elif mark[1] != "System":
            parent = messages[-1].id if messages else None
            role = "user" if mark[1] == "User" else "assistant"
            messages.append(Message(role, said, id=str(len(messages)), parent=parent, created=now))
    leaf = messages[-1].id if messages else None
    return Archived(tuple(messages), leaf, title[1].strip() if title else "", system, created=now, updated=now)


def active_path(archived: Archived) -> Sequence[Message]:
    nodes = [Node(one.id, one.parent, one.role) for one in archived.messages]
    found = {one.id: one for one in archived.messages}
    return [found[one] for one in Tree(nodes, archived.leaf).path()]


def as_markdown(archived: Archived) -> str:
    return to_markdown(active_path(archived), archived.title, archived.system)
