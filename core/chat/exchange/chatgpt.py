"""`conversations.json` of ChatGPT's data export: a list of trees. Tools, pictures and hidden messages are left out."""

from __future__ import annotations

from typing import Any, cast

from core.chat.exchange.archive import Archived
from core.chat.tree import Message

Raw = dict[str, Any]


def looks_so(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(cast("Raw", raw).get("mapping"), dict)


def from_chatgpt(raw: Raw) -> Archived:
    """Raises: ValueError when there is nothing to read in it."""
    mapping = cast("dict[str, Raw]", raw["mapping"])
    kept: dict[str, Message] = {}
    system = ""
    # Parents first: the mapping's own order is not always that.
    for name in _in_order(mapping):
        said = _text(mapping[name])
        role = _role(mapping[name])
        if role == "system" and said:
            system = system or said
        elif role in ("user", "assistant") and said:
            parent = _kept_parent(mapping, name, kept)
            message = cast("Raw", mapping[name]["message"])
            metadata = cast("Raw", message.get("metadata") or {})
            kept[name] = Message(
                "user" if role == "user" else "assistant",
                said,
                id=name,
                parent=parent,
                created=float(message.get("create_time") or raw.get("create_time") or 0.0),
                model=str(metadata.get("model_slug") or ""),
            )
    if not kept:
        raise ValueError("no message in it")
    leaf = str(raw.get("current_node") or "")
    if leaf not in kept:
        leaf = _kept_parent(mapping, leaf, kept) or next(reversed(kept))
    created = float(raw.get("create_time") or 0.0)
    updated = float(raw.get("update_time") or created)
    return Archived(tuple(kept.values()), leaf, str(raw.get("title") or ""), system, created=created, updated=updated)


def _in_order(mapping: dict[str, Raw]) -> list[str]:
    ordered, waiting = list[str](), [name for name, node in mapping.items() if node.get("parent") not in mapping]
    seen = set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in mapping:
            continue
        seen.add(name)
        ordered.append(name)
        waiting += [str(child) for child in cast("list[Any]", mapping[name].get("children") or [])]
    return ordered


def _kept_parent(mapping: dict[str, Raw], name: str, kept: dict[str, Message]) -> str | None:
    here = mapping.get(name, Raw()).get("parent")
    while here is not None and here not in kept:
        here = mapping.get(str(here), Raw()).get("parent")
    return None if here is None else str(here)


def _role(node: Raw) -> str:
    message = cast("Raw", node.get("message") or {})
    if cast("Raw", message.get("metadata") or {}).get("is_visually_hidden_from_conversation"):
        return ""
    recipient = message.get("recipient") or "all"
    return str(cast("Raw", message.get("author") or {}).get("role") or "") if recipient == "all" else ""


def _text(node: Raw) -> str:
    content = cast("Raw", cast("Raw", node.get("message") or {}).get("content") or {})
    if content.get("content_type") not in ("text", "multimodal_text", "code"):
        return ""
    parts = cast("list[Any]", content.get("parts") or [content.get("text") or ""])
    return "\n\n".join(part for part in parts if isinstance(part, str) and part.strip())
