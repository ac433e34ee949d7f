"""A conversation as a tree: every edit and every new answer is a branch beside the old one. Pure.

What is deleted is hidden, never unhooked: the way from the root still runs through it, so that what came after it stays
and an undo only shows it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from core.chat.params import Params
from core.events import ErrorInfo, FinishReason, SpeedCard

Role = Literal["system", "user", "assistant"]

_HEADING: Final = re.compile(r"^## (?:System|User|Assistant)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture (`data` as it is sent: PNG, JPEG, WebP or GIF) or a text file (`data` in UTF-8)."""

    kind: Literal["image", "text"]
    name: str
    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    `reasoning` is kept for the reader and never sent back. `created`: Unix seconds. `finish` is None for a question and
    while an answer runs (`running`). `params`: what the answer was asked with. `trimmed`: how many of the oldest
    messages were left out to fit the context. `versions`: this message and those beside it, oldest first.
    """

    role: Role
    content: str
    reasoning: str = ""
    id: str = ""
    parent: str | None = None
    attachments: tuple[Attachment, ...] = ()
    created: float = 0.0
    model: str = ""
    finish: FinishReason | None = None
    running: bool = False
    speed: SpeedCard | None = None
    error: ErrorInfo | None = None
    params: Params | None = None
    trimmed: int = 0
    versions: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        """Place among the versions, from 0."""
        return self.versions.index(self.id) if self.id in self.versions else 0

    @property
    def blank(self) -> bool:
        """An answer that ended by itself and has nothing to show."""
        return self.finish in (FinishReason.STOP, FinishReason.LENGTH) and not self.content.strip()

    @property
    def can_continue(self) -> bool:
        """An answer that was cut and has text to go on from."""
        cut = self.finish is not None and self.finish is not FinishReason.STOP
        return self.role == "assistant" and cut and bool(self.content.strip())


@dataclass(frozen=True, slots=True)
class Node:
    """A message's place in the tree. `chosen`: larger for the version that was looked at later."""

    id: str
    parent: str | None
    role: Role
    hidden: bool = False
    chosen: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """What a deletion hides, and the leaf of the active path after it."""

    hidden: tuple[str, ...]
    leaf: str | None


class Tree:
    """Args: `nodes` oldest first; `leaf` ends the active path, None in an empty conversation."""

    def __init__(self, nodes: Iterable[Node], leaf: str | None) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._children: dict[str | None, list[Node]] = {}
        for node in self._nodes.values():
            self._children.setdefault(node.parent, []).append(node)
        self.leaf = leaf if leaf in self._nodes else self.leaf_below(None)

    def __contains__(self, message: str) -> bool:
        return message in self._nodes

    def node(self, message: str) -> Node:
        return self._nodes[message]

    def path(self, leaf: str | None = None) -> tuple[str, ...]:
        """Visible messages from the first to `leaf` (the active one without)."""
        return tuple(node.id for node in reversed(self._way_up(leaf or self.leaf)) if not node.hidden)

    def way(self, leaf: str | None) -> tuple[str, ...]:
        """All messages from the first to `leaf`, hidden ones too."""
        return tuple(node.id for node in reversed(self._way_up(leaf)))

    def versions(self, message: str) -> tuple[str, ...]:
        """This message and the visible ones beside it, oldest first."""
        beside = self._children[self._nodes[message].parent]
        return tuple(node.id for node in beside if not node.hidden or node.id == message)

    def leaf_below(self, message: str | None) -> str | None:
        """Where the path ends that runs through `message`: each time the version that was looked at last."""
        here = message
        while visible := [node for node in self._children.get(here, ()) if self._shown_below(node)]:
            here = max(enumerate(visible), key=lambda entry: (entry[1].chosen, entry[0]))[1].id
        return here

    def remove(self, message: str) -> Removal:
        """Hide a turn: a question with the answers to it, or one answer.

        A message with other versions goes with all that follows it, and the path moves to the version beside it.
        Otherwise what follows stays.
        """
        versions = self.versions(message)
        if len(versions) > 1:
            at = versions.index(message)
            beside = versions[at - 1] if at else versions[1]
            on_path = message in self.way(self.leaf)
            return Removal(self._below(message), self.leaf_below(beside) if on_path else self.leaf)
        hidden = [message]
        if self._nodes[message].role == "user":
            hidden += [node.id for node in self._children.get(message, ()) if node.role == "assistant"]
        return Removal(tuple(one for one in hidden if not self._nodes[one].hidden), self.leaf)

    def _shown_below(self, node: Node) -> bool:
        if not node.hidden:
            return True
        waiting = [node]
        while waiting:
            here = waiting.pop()
            if not here.hidden:
                return True
            waiting += self._children.get(here.id, [])
        return False

    def _below(self, message: str) -> tuple[str, ...]:
        found, waiting = list[str](), [message]
        while waiting:
            here = waiting.pop()
            if not self._nodes[here].hidden:
                found.append(here)
            waiting += [node.id for node in self._children.get(here, ())]
        return tuple(found)

    def _way_up(self, leaf: str | None) -> list[Node]:
        way = list[Node]()
        here = leaf
        while here is not None and here in self._nodes:
            way.append(self._nodes[here])
            here = self._nodes[here].parent
        return way


def to_markdown(messages: Sequence[Message], title: str = "", system: str = "") -> str:
    """A conversation as Markdown, without reasoning. Roles are headings; a line of an answer that looks like one is
    escaped, so that the import finds the same turns."""
    parts = [f"# {title}"] if title else []
    if system.strip():
        parts.append(f"## System\n\n{system.strip()}")
    for message in messages:
        names = "".join(f"\n\n*{attachment.name}*" for attachment in message.attachments)
        said = _HEADING.sub(r"\\\g<0>", message.content.strip())
        parts.append(f"## {message.role.capitalize()}{names}\n\n{said}")
    return "\n\n".join(parts) + "\n"
