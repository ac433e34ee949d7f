"""Branches of a conversation: other words, other answers, cut ones that go on, and the edge of the context."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.chat.params import Params
from core.events import FinishReason
from tests.support.chats import Chats, refused, run, said
from tests.support.fake_chat_server import fake_chat, seen, until


def test_edit_regenerate_and_switch_make_branches_that_are_found_again(tmp_path: Path) -> None:
    with fake_chat("--tokens", "3") as endpoint:

        async def branch(chats: Chats) -> None:
            one = await chats.new()
            first = await chats.ask(one, "one")
            await chats.ask(one, "two")
            await chats.done(await chats.verbs.edit(one, first.messages[0].id, "uno"))
            page = await chats.verbs.open(one)
            assert [message.content for message in page.messages if message.role == "user"] == ["uno"]
            assert page.messages[0].versions == (first.messages[0].id, page.messages[0].id)
            assert page.messages[0].version == 1
            back = await chats.verbs.switch(one, first.messages[0].id)
            assert [message.content for message in back.messages if message.role == "user"] == ["one", "two"]
            await chats.done(await chats.verbs.regenerate(one, back.messages[1].id))
            again = await chats.verbs.open(one)
            assert len(again.messages) == 2
            assert again.messages[1].version == 1
            old = await chats.verbs.switch(one, back.messages[1].id)
            assert len(old.messages) == 4
            assert seen(endpoint)[-1]["messages"] == [{"role": "user", "content": "one"}]

        run(tmp_path, endpoint, branch)


def test_a_deleted_turn_is_not_sent_and_comes_back(tmp_path: Path) -> None:
    with fake_chat("--tokens", "3") as endpoint:

        async def delete(chats: Chats) -> None:
            one = await chats.new()
            await chats.ask(one, "one")
            whole = await chats.ask(one, "two")
            deleted = await chats.verbs.delete_turn(one, whole.messages[0].id)
            assert deleted.count == 2
            page = await chats.verbs.open(one)
            assert said(page) == said(whole)[2:]
            assert [hit.message for hit in await chats.verbs.search("one")] == [""]
            await chats.ask(one, "three")
            assert [turn["content"] for turn in seen(endpoint)[-1]["messages"] if turn["role"] == "user"] == [
                "two",
                "three",
            ]
            assert await chats.verbs.undo(deleted.token) == one
            assert await refused(chats.verbs.undo(deleted.token)) == "chat.undo_gone"
            assert said(await chats.verbs.open(one))[0] == "one"

        run(tmp_path, endpoint, delete)


def test_a_stopped_answer_is_kept_and_goes_on_in_its_place(tmp_path: Path) -> None:
    with fake_chat("--text", "The sea is wide and blue.", "--rate", "10", "--piece", "4") as endpoint:

        async def cut(chats: Chats) -> None:
            one = await chats.new()
            asked = await chats.verbs.send(one, "tell")

            async def some() -> bool:
                return len(chats.deltas(asked.answer.id)) > 1

            await until(some)
            assert await refused(chats.verbs.send(one, "more")) == "chat.busy"
            await chats.verbs.stop()
            answer = (await chats.verbs.open(one)).messages[1]
            assert (answer.finish, answer.can_continue) == (FinishReason.CANCELLED, True)
            begun = answer.content
            assert "The sea is wide and blue.".startswith(begun)
            done = await chats.done(await chats.verbs.go_on(one, answer.id))
            body = seen(endpoint)[-1]
            assert body["messages"][-1] == {"role": "assistant", "content": begun}
            assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
            whole = (await chats.verbs.open(one)).messages[1]
            assert done.text == whole.content == begun + "The sea is wide and blue."
            assert whole.finish is FinishReason.STOP
            assert len((await chats.verbs.open(one)).messages) == 2

        run(tmp_path, endpoint, cut)


def test_a_server_that_dies_leaves_the_part_that_came(tmp_path: Path) -> None:
    with fake_chat("--tokens", "20", "--drop-after", "7") as endpoint:

        async def ask(chats: Chats) -> None:
            one = await chats.new()
            page = await chats.ask(one, "hi")
            answer = page.messages[1]
            assert answer.error is not None
            assert (answer.error.code, answer.finish) == ("chat.connection_lost", FinishReason.ERROR)
            assert answer.can_continue
            chats.endpoint = None
            assert await refused(chats.verbs.go_on(one, answer.id)) == "chat.no_server"
            with fake_chat("--text", " and the rest") as again:
                chats.endpoint = again
                await chats.done(await chats.verbs.go_on(one, answer.id))
                assert (await chats.verbs.open(one)).messages[1].content == answer.content + " and the rest"

        run(tmp_path, endpoint, ask)


def test_what_follows_an_answer_stays_when_that_goes_on(tmp_path: Path) -> None:
    with fake_chat("--text", "one two", "--finish", "length") as endpoint:

        async def on(chats: Chats) -> None:
            one = await chats.new()
            first = await chats.ask(one, "first")
            await chats.ask(one, "second")
            await chats.done(await chats.verbs.go_on(one, first.messages[1].id))
            assert said(await chats.verbs.open(one)) == ["first", "one twoone two", "second", "one two"]

        run(tmp_path, endpoint, on)


def test_an_answer_that_brought_nothing_makes_room_for_the_next(tmp_path: Path) -> None:
    with fake_chat("--error-after", "0") as endpoint:

        async def fail(chats: Chats) -> None:
            one = await chats.new()
            page = await chats.ask(one, "hi")
            assert page.messages[1].content == ""
            with fake_chat("--tokens", "2") as again:
                chats.endpoint = again
                await chats.done(await chats.verbs.regenerate(one, page.messages[1].id))
            page = await chats.verbs.open(one)
            assert len(page.messages[1].versions) == 1
            assert page.messages[1].content

        run(tmp_path, endpoint, fail)


def test_an_old_view_may_not_change_what_it_does_not_show(tmp_path: Path) -> None:
    with fake_chat("--tokens", "2") as endpoint:

        async def two_windows(chats: Chats) -> None:
            one = await chats.new()
            old = await chats.ask(one, "one")
            await chats.ask(one, "two")
            revision = old.info.revision
            assert await refused(chats.verbs.send(one, "x", (), revision)) == "chat.changed_elsewhere"
            last = old.messages[-1].id
            assert await refused(chats.verbs.regenerate(one, last, revision)) == "chat.changed_elsewhere"
            assert await refused(chats.verbs.delete_turn(one, last, revision)) == "chat.changed_elsewhere"
            assert len((await chats.verbs.open(one)).messages) == 4

        run(tmp_path, endpoint, two_windows)


@pytest.mark.parametrize("policy", ["ask", "trim"])
def test_at_the_limit_what_was_chosen_happens(tmp_path: Path, policy: str) -> None:
    long = " ".join(["word"] * 20)
    with fake_chat("--tokens", "4", "--context", "100") as endpoint:

        async def fill(chats: Chats) -> None:
            one = await chats.new(Params(max_tokens=10, at_limit="trim" if policy == "trim" else "ask"))
            page = await chats.ask(one, long)
            while page.messages[-1].error is None and not page.messages[-1].trimmed:
                page = await chats.ask(one, long)
            answer = page.messages[-1]
            if policy == "ask":
                assert answer.error is not None
                assert (answer.error.code, answer.error.facts["limit"]) == ("chat.too_long", 100)
                trim = replace(answer.params or Params(), at_limit="trim")
                await chats.done(await chats.verbs.regenerate(one, answer.id, params=trim))
                page = await chats.verbs.open(one)
                answer = page.messages[-1]
            assert answer.error is None
            assert answer.content
            sent = seen(endpoint)[-1]["messages"]
            assert 0 < answer.trimmed == len(page.messages) - 1 - len(sent)
            assert sent[0]["role"] == "user"

        run(tmp_path, endpoint, fill)
