"""A conversation as values: what was said, and what of it the server is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Role = Literal["system", "user", "assistant"]
ApiMessage = dict[str, str]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `reasoning` is kept for the reader and never sent back."""

    role: Role
    content: str
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A system prompt ("" for none) and the turns after it. Every change gives a new value."""

    system: str = ""
    messages: tuple[Message, ...] = ()

    def asked(self, text: str) -> Conversation:
        return replace(self, messages=(*self.messages, Message("user", text)))

    def answered(self, text: str, reasoning: str = "") -> Conversation:
        return replace(self, messages=(*self.messages, Message("assistant", text, reasoning)))

    def to_api(self) -> tuple[ApiMessage, ...]:
        """The `messages` of a request. Chat templates want user and assistant in turn, so an answer that brought no
        text (failed, stopped at once) is left out and neighbours of one role become one message."""
        system = [Message("system", self.system)] if self.system.strip() else []
        turns: list[Message] = []
        for message in (*system, *self.messages):
            if not message.content.strip():
                continue
            if turns and turns[-1].role == message.role:
                turns[-1] = replace(message, content=f"{turns[-1].content}\n\n{message.content}")
            else:
                turns.append(message)
        return tuple({"role": turn.role, "content": turn.content} for turn in turns)


def fold_system(messages: Sequence[ApiMessage]) -> tuple[ApiMessage, ...]:
    """The system prompt moved into the first user turn, for templates that know no system role."""
    if not messages or messages[0]["role"] != "system":
        return tuple(messages)
    system, *turns = messages
    for index, turn in enumerate(turns):
        if turn["role"] == "user":
            turns[index] = turn | {"content": f"{system['content']}\n\n{turn['content']}"}
            return tuple(turns)
    return (system | {"role": "user"}, *turns)
