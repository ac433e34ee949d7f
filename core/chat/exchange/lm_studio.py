"""A `.conversation.json` of LM Studio (0.3): a line of turns, each with versions. Steps of tools are left out."""

from __future__ import annotations

from typing import Any, cast

from core.chat.exchange.archive import Archived
from core.chat.thinking import split_thinking
from core.chat.tree import Message

Raw = dict[str, Any]


def looks_so(raw: Any) -> bool:
    messages: Any = cast("Raw", raw).get("messages") if isinstance(raw, dict) else None
    turns = cast("list[Any]", messages) if isinstance(messages, list) else []
    return bool(turns) and isinstance(turns[0], dict) and "versions" in turns[0]


def from_lm_studio(raw: Raw) -> Archived:
    """Each turn follows the version of the one before it that was selected. Raises: ValueError without a turn."""
    created = float(raw.get("createdAt") or 0.0) / 1000
    kept, parent = list[Message](), cast("str | None", None)
    for place, turn in enumerate(cast("list[Raw]", raw["messages"])):
        versions = cast("list[Raw]", turn.get("versions") or [])
        selected = int(turn.get("currentlySelected") or 0)
        next_parent = parent
        for number, version in enumerate(versions):
            said = split_thinking(_text(version))
            if not said.text.strip():
                continue
            role = "user" if version.get("role") == "user" else "assistant"
            name = f"{place}.{number}"
            kept.append(Message(role, said.text, said.reasoning, name, parent, created=created))
            if number == selected or next_parent == parent:
                next_parent = name
        parent = next_parent
    if not kept:
        raise ValueError("no message in it")
    system = str(raw.get("systemPrompt") or "")
    return Archived(tuple(kept), parent, str(raw.get("name") or ""), system, created=created, updated=created)


def _text(version: Raw) -> str:
    """A question has its content at once; an answer in its steps."""
    steps = cast("list[Raw]", version.get("steps") or [version])
    texts = list[str]()
    for step in steps:
        if step.get("type") in (None, "singleStep", "contentBlock"):
            blocks = cast("list[Raw]", step.get("content") or [])
            texts += [str(block.get("text") or "") for block in blocks if block.get("type") == "text"]
    return "\n\n".join(text for text in texts if text.strip())
