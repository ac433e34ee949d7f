"""Conversations as files: out and in again, and in from others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat.exchange.archive import Archived
from core.chat.exchange.markdown import active_path, as_markdown, from_markdown
from core.chat.exchange.reading import parse
from core.chat.tree import Attachment, Message
from core.errors import AppError
from tests.support.chats import Chats, run, said
from tests.support.fake_chat_server import fake_chat


def test_all_branches_come_back_from_our_own_file(tmp_path: Path) -> None:
    picture = Attachment("text", "a.txt", "text/plain", b"\xd0\xb4\xd0\xb0")
    with fake_chat("--text", "<think>hm</think>fine", "--piece", "2") as endpoint:

        async def out(chats: Chats) -> None:
            one = await chats.new(system="be kind")
            await chats.done(await chats.verbs.send(one, "first", (picture,)))
            page = await chats.ask(one, "second")
            await chats.done(await chats.verbs.edit(one, page.messages[2].id, "other"))
            await chats.verbs.tag(one, ["work"])
            await chats.verbs.pin(one)
            deleted = await chats.ask(one, "deleted")
            await chats.ask(one, "last")
            await chats.verbs.delete_turn(one, deleted.messages[-2].id)
            await chats.verbs.export([one], "json", str(tmp_path / "out.json"))
            await chats.verbs.export([one, one], "markdown", str(tmp_path / "out.md"))
            await chats.verbs.delete(one)
            (back,) = await chats.verbs.import_file(str(tmp_path / "out.json"))
            again = await chats.verbs.open(back.id)
            assert (back.title, back.pinned, back.tags) == ("first", True, ("work",))
            assert (again.system, said(again)) == ("be kind", ["first", "fine", "other", "fine", "last", "fine"])
            assert again.messages[0].attachments == (picture,)
            assert (again.messages[1].reasoning, len(again.messages[2].versions)) == ("hm", 2)
            assert again.messages[1].speed is not None
            assert len(await chats.verbs.search("second")) == 1
            assert await chats.verbs.search("deleted") == ()
            twice = await chats.verbs.import_file(str(tmp_path / "out.json"))
            assert twice[0].id != back.id

        run(tmp_path, endpoint, out)
    assert (tmp_path / "out.md").read_text("utf-8").count("## User\n\n*a.txt*\n\nfirst") == 2


SAID = st.text(alphabet="ab #\n`UserAssistant*", min_size=1, max_size=60).map(str.strip).filter(bool)


@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=4), SAID)
def test_markdown_comes_back_as_the_same_turns(turns: list[tuple[str, str]], system: str) -> None:
    messages = list[Message]()
    for number, text in enumerate(text for turn in turns for text in turn):
        parent = messages[-1].id if messages else None
        messages.append(Message("assistant" if number % 2 else "user", text, id=str(number), parent=parent))
    kept = Archived(tuple(messages), messages[-1].id, "A title", system)
    back = from_markdown(as_markdown(kept))
    assert (back.title, back.system) == ("A title", system)
    assert [(one.role, one.content) for one in back.messages] == [(one.role, one.content) for one in messages]


def chatgpt_node(name: str, parent: str | None, children: list[str], message: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": name, "parent": parent, "children": children, "message": message}


def chatgpt_message(role: str, *parts: Any, kind: str = "text", **fields: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": kind, "parts": list(parts)}, **fields}


MADE = {"model_slug": "m"}
CHATGPT = [
    {
        "title": "Rivers",
        "create_time": 1700000000.5,
        "update_time": 1700000100.0,
        "current_node": "a2",
        "mapping": {
            "root": chatgpt_node("root", None, ["sys"], None),
            "a2": chatgpt_node(
                "a2", "tool", [], chatgpt_message("assistant", "The Nile.", metadata={"model_slug": "m"})
            ),
            "sys": chatgpt_node("sys", "root", ["q1"], chatgpt_message("system", "")),
            "q1": chatgpt_node("q1", "sys", ["a1", "tool"], chatgpt_message("user", "Longest river?", {"asset": 1})),
            "a1": chatgpt_node("a1", "q1", [], chatgpt_message("assistant", "The Amazon.")),
            "tool": chatgpt_node("tool", "q1", ["a2"], chatgpt_message("tool", "searched")),
        },
    }
]


def test_chatgpts_export_keeps_its_branches() -> None:
    (found,) = parse(json.dumps(CHATGPT).encode())
    assert (found.title, found.created, found.updated) == ("Rivers", 1700000000.5, 1700000100.0)
    assert [one.content for one in active_path(found)] == ["Longest river?", "The Nile."]
    assert [one.content for one in found.messages] == ["Longest river?", "The Amazon.", "The Nile."]
    assert found.messages[2].model == "m"


LM_STUDIO = {
    "name": "Rivers",
    "createdAt": 1700000000000,
    "systemPrompt": "be brief",
    "messages": [
        {"versions": [{"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Longest?"}]}]},
        {
            "versions": [
                {"type": "multiStep", "role": "assistant", "steps": [
                    {"type": "contentBlock", "content": [{"type": "text", "text": "<think>hm</think>The Nile."}]},
                    {"type": "debugInfoBlock", "debugInfo": "x"},
                ]},
                {"type": "multiStep", "role": "assistant", "steps": [
                    {"type": "contentBlock", "content": [{"type": "text", "text": "The Amazon."}]}]},
            ],
            "currentlySelected": 0,
        },
    ],
}  # fmt: skip


def test_lm_studios_export_keeps_its_versions_and_tells_the_thinking_apart() -> None:
    (found,) = parse(json.dumps(LM_STUDIO).encode())
    assert (found.title, found.system, found.created) == ("Rivers", "be brief", 1700000000.0)
    assert [one.content for one in active_path(found)] == ["Longest?", "The Nile."]
    assert [(one.content, one.reasoning) for one in found.messages][1:] == [("The Nile.", "hm"), ("The Amazon.", "")]


@pytest.mark.parametrize(
    "content",
    [b"", b"just text", b"{}", b"[]", b"{\"messages\": 7}", b"{broken", b"\xff\xfe\x00", b"[1, 2]",
     b'{"format": "stowage.conversations", "version": 99, "conversations": []}',
     b'{"mapping": {"a": {"message": 7}}}', b'{"messages": [{"versions": "x"}]}'],
)  # fmt: skip
def test_what_is_no_conversation_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    async def come_in(chats: Chats) -> None:
        with pytest.raises(AppError, match=r"chat\.import_failed"):
            await chats.verbs.import_file(str(path))
        with pytest.raises(AppError, match=r"chat\.import_failed"):
            await chats.verbs.import_file(str(tmp_path / "nowhere"))
        assert await chats.verbs.list() == ()

    run(tmp_path, None, come_in)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    async def out(chats: Chats) -> None:
        page = await chats.verbs.new()
        with pytest.raises(AppError, match=r"chat\.export_failed"):
            await chats.verbs.export([page.info.id], "json", str(tmp_path / "nowhere" / "x.json"))

    run(tmp_path, None, out)
