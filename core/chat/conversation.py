"""What of a conversation the server is told. Pure."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.chat.tree import Attachment, Message

ApiMessage = dict[str, Any]
Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A system prompt ("" for none) and the turns after it, kept nowhere. Every change gives a new value."""

    system: str = ""
    messages: tuple[Message, ...] = ()

    def asked(self, text: str) -> Conversation:
        return replace(self, messages=(*self.messages, Message("user", text)))

    def answered(self, text: str, reasoning: str = "") -> Conversation:
        return replace(self, messages=(*self.messages, Message("assistant", text, reasoning)))

    def to_api(self) -> tuple[ApiMessage, ...]:
        return to_api(self.system, self.messages)


def to_api(system: str, messages: Sequence[Message]) -> tuple[ApiMessage, ...]:
    """The `messages` of a request. Chat templates want user and assistant in turn, so an answer that brought no text
    (failed, stopped at once) is left out and neighbours of one role become one message. Reasoning is never sent.

    Text files stand before what was written, each in a fence; pictures go as `image_url` data (vLLM 0.32,
    `entrypoints/chat_utils.py`).
    """
    turns: list[ApiMessage] = [{"role": "system", "content": system}] if system.strip() else []
    for message in messages:
        content = _content(message)
        if not content:
            continue
        if turns and turns[-1]["role"] == message.role:
            turns[-1] = {"role": message.role, "content": _joined(turns[-1]["content"], content)}
        else:
            turns.append({"role": message.role, "content": content})
    return tuple(turns)


def without_images(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Pictures of earlier turns, replaced by their names: for a model that sees none."""
    return tuple(_without_images(message) for message in messages)


def _without_images(message: Message) -> Message:
    names = [f"[{one.name}]" for one in message.attachments if one.kind == "image"]
    if not names:
        return message
    texts = tuple(one for one in message.attachments if one.kind == "text")
    return replace(message, attachments=texts, content="\n\n".join([*names, message.content]))


def fold_system(messages: Sequence[ApiMessage]) -> tuple[ApiMessage, ...]:
    """For strict templates: the system prompt moved into the first user turn, no answer before it."""
    system = [message for message in messages[:1] if message["role"] == "system"]
    turns = list(messages[len(system) :])
    first_user = next((index for index, turn in enumerate(turns) if turn["role"] == "user"), None)
    if first_user is None:
        return (*({**message, "role": "user"} for message in system), *turns)
    turns = turns[first_user:]
    if system:
        turns[0] = turns[0] | {"content": _joined(system[0]["content"], turns[0]["content"])}
    return tuple(turns)


def _content(message: Message) -> str | list[Part]:
    files = [_fenced(one) for one in message.attachments if one.kind == "text"]
    written = [message.content] if message.content.strip() else []
    text = "\n\n".join([*files, *written])
    pictures = [_picture(one) for one in message.attachments if one.kind == "image"]
    return [*pictures, *([{"type": "text", "text": text}] if text else [])] if pictures else text


def _joined(first: str | list[Part], second: str | list[Part]) -> str | list[Part]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: str | list[Part]) -> list[Part]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _fenced(attachment: Attachment) -> str:
    """The file in a fence longer than any inside it."""
    text = attachment.data.decode("utf-8", errors="replace").rstrip()
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{attachment.name}:\n{fence}\n{text}\n{fence}"


def _picture(attachment: Attachment) -> Part:
    data = base64.b64encode(attachment.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{attachment.media_type};base64,{data}"}}
