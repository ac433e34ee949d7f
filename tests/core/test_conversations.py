"""The verbs of the chat over a real file and a server that answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from core.chat.events import AnswerBegan, ConversationChanged, ConversationsChanged
from core.chat.params import OutputFormat, Params
from core.chat.records import Draft, Preset
from core.chat.tree import Attachment
from core.events import ChatDelta, ChatDone, FinishReason
from tests.support.chats import Chats, refused, run, said
from tests.support.fake_chat_server import fake_chat, seen

PICTURE = Attachment("image", "cat.png", "image/png", b"\x89PNG not really")


def test_a_question_is_stored_answered_and_found_again(tmp_path: Path) -> None:
    with fake_chat("--text", "It isParis.", "--reasoning", "1") as endpoint:

        async def ask(chats: Chats) -> None:
            one = await chats.new(system="be brief")
            page = await chats.ask(one, "What is the capital of France?\nAnswer briefly.")
            assert page.answering == ""
            question, answer = page.messages
            assert (question.role, question.content) == ("user", "What is the capital of France?\nAnswer briefly.")
            assert (answer.content, answer.reasoning) == ("Paris.", "It is")
            assert (answer.finish, answer.model, answer.running) == (FinishReason.STOP, "fake", False)
            assert answer.speed is not None
            assert (answer.speed.final, answer.speed.checked) == (True, True)
            assert answer.params is not None
            assert page.info.title == "What is the capital of France?"

        run(tmp_path, endpoint, ask)

        async def look(chats: Chats) -> None:
            (info,) = await chats.verbs.list()
            page = await chats.verbs.open(info.id)
            assert said(page) == ["What is the capital of France?\nAnswer briefly.", "Paris."]
            assert page.system == "be brief"
            (hit,) = await chats.verbs.search("paris")
            assert (hit.message, hit.conversation) == (page.messages[1].id, info.id)

        run(tmp_path, endpoint, look)


def test_the_order_of_what_is_heard(tmp_path: Path) -> None:
    with fake_chat("--tokens", "5") as endpoint:

        async def ask(chats: Chats) -> None:
            one = await chats.new()
            chats.heard.clear()
            asked = await chats.verbs.send(one, "hi")
            await chats.done(asked)
            kinds = [type(event) for event in chats.heard]
            assert kinds[:3] == [AnswerBegan, ConversationChanged, ConversationsChanged]
            assert kinds[3] is ChatDelta
            assert kinds[-2:] == [ChatDone, ConversationsChanged]
            changed = next(event for event in chats.heard if isinstance(event, ConversationChanged))
            assert changed == ConversationChanged(one, asked.revision)
            assert (await chats.verbs.open(one)).info.revision == asked.revision

        run(tmp_path, endpoint, ask)


def test_a_deleted_conversation_comes_back_whole(tmp_path: Path) -> None:
    with fake_chat("--tokens", "3") as endpoint:

        async def delete(chats: Chats) -> None:
            one = await chats.new()
            page = await chats.ask(one, "one")
            deleted = await chats.verbs.delete(one)
            assert await chats.verbs.list() == ()
            assert await chats.verbs.search("one") == ()
            assert await refused(chats.verbs.open(one)) == "chat.unknown"
            assert await refused(chats.verbs.send(one, "more")) == "chat.unknown"
            await chats.verbs.undo(deleted.token)
            assert said(await chats.verbs.open(one)) == said(page)

        run(tmp_path, endpoint, delete)


def test_the_list_is_pinned_first_then_newest_and_filtered_by_tag(tmp_path: Path) -> None:
    async def arrange(chats: Chats) -> None:
        names = {}
        for title in ("first", "second", "third"):
            page = await chats.verbs.new()
            names[title] = page.info.id
            await chats.verbs.rename(page.info.id, f"  {title}\n")
            await chats.verbs.draft(page.info.id, Draft("x"))
        await chats.verbs.pin(names["first"])
        await chats.verbs.tag(names["second"], ["work", " odd  tag ", "work", ""])
        assert [info.title for info in await chats.verbs.list()] == ["first", "third", "second"]
        assert [info.title for info in await chats.verbs.list("odd tag")] == ["second"]
        assert await chats.verbs.tags() == ("odd tag", "work")
        await chats.verbs.pin(names["first"], False)
        assert [info.title for info in await chats.verbs.list()] == ["third", "second", "first"]

    run(tmp_path, None, arrange)


def test_an_empty_conversation_is_not_listed_and_a_draft_is_kept(tmp_path: Path) -> None:
    async def write(chats: Chats) -> None:
        await chats.verbs.new()
        one = (await chats.verbs.new()).info.id
        await chats.verbs.draft(one, Draft("half a thought", (PICTURE,)))

    run(tmp_path, None, write)

    async def look(chats: Chats) -> None:
        (info,) = await chats.verbs.list()
        assert (await chats.verbs.open(info.id)).draft == Draft("half a thought", (PICTURE,))

    run(tmp_path, None, look)


def test_sending_empties_the_draft_and_a_refusal_keeps_it(tmp_path: Path) -> None:
    with fake_chat("--tokens", "2") as endpoint:

        async def write(chats: Chats) -> None:
            one = await chats.new()
            await chats.verbs.draft(one, Draft("hi"))
            assert await refused(chats.verbs.send(one, "look", (PICTURE,))) == "chat.no_images"
            assert await refused(chats.verbs.send(one, " ")) == "chat.empty"
            page = await chats.verbs.open(one)
            assert (page.draft.text, page.messages) == ("hi", ())
            await chats.ask(one, "hi")
            assert (await chats.verbs.open(one)).draft == Draft()

        run(tmp_path, endpoint, write)


def test_pictures_go_to_a_model_that_sees_and_names_to_one_that_does_not(tmp_path: Path) -> None:
    sees = tmp_path / "sees"
    sees.mkdir()
    (sees / "config.json").write_text('{"vision_config": {}}')
    with fake_chat("--tokens", "2") as endpoint:

        async def main() -> None:
            chats = Chats(tmp_path, endpoint, sees)
            one = await chats.new()
            note = Attachment("text", "a.py", "text/plain", b"print('``` inside')\n")
            await chats.done(await chats.verbs.send(one, "what is it?", (PICTURE, note)))
            await chats.close()
            (message,) = seen(endpoint)[-1]["messages"]
            kinds = [part["type"] for part in message["content"]]
            assert kinds == ["image_url", "text"]
            assert message["content"][0]["image_url"]["url"].startswith("data:image/png;base64,iVBO")
            assert message["content"][1]["text"] == "a.py:\n````\nprint('``` inside')\n````\n\nwhat is it?"
            blind = Chats(tmp_path, endpoint)
            await blind.ask(one, "and now?")
            await blind.close()
            assert seen(endpoint)[-1]["messages"][0]["content"].endswith("[cat.png]\n\nwhat is it?")

        asyncio.run(main())


def test_what_was_chosen_is_in_the_request(tmp_path: Path) -> None:
    params = Params(max_tokens=7, top_k=40, stop=("END",), output=OutputFormat("regex", "a+"), thinking=False)
    with fake_chat("--adapter", "tuned") as endpoint:

        async def ask(chats: Chats) -> None:
            abilities = await chats.verbs.abilities()
            assert abilities is not None
            assert (abilities.adapters, abilities.version, abilities.max_model_len) == (("tuned",), (0, 32, 0), 4096)
            one = await chats.new(replace(params, adapter="tuned"))
            page = await chats.ask(one, "hi")
            assert page.messages[1].model == "tuned"
            body = seen(endpoint)[-1]
            assert body["model"] == "tuned"
            assert (body["max_tokens"], body["top_k"], body["stop"]) == (7, 40, ["END"])
            assert body["structured_outputs"] == {"regex": "a+"}
            assert body["chat_template_kwargs"]["enable_thinking"] is False
            bad = replace(params, output=OutputFormat("json_schema", "{"))
            await chats.verbs.set_params(one, bad)
            assert await refused(chats.verbs.send(one, "more")) == "chat.bad_format"
            assert len((await chats.verbs.open(one)).messages) == 2

        run(tmp_path, endpoint, ask)


def test_presets_bring_their_prompt_and_parameters(tmp_path: Path) -> None:
    async def use(chats: Chats) -> None:
        saved = await chats.verbs.save_preset(Preset("Poet", "write verse", Params(temperature=1.2)))
        await chats.verbs.save_preset(replace(saved, name="Bard"))
        (kept,) = await chats.verbs.presets()
        page = await chats.verbs.new(kept.id)
        assert (kept.name, page.system, page.params.temperature) == ("Bard", "write verse", 1.2)
        await chats.verbs.delete_preset(kept.id)
        assert await chats.verbs.presets() == ()

    run(tmp_path, None, use)


def test_the_newest_page_then_older_ones_and_a_hit_far_back(tmp_path: Path) -> None:
    with fake_chat("--tokens", "1") as endpoint:

        async def scroll(chats: Chats) -> None:
            one = await chats.new()
            for number in range(9):
                await chats.ask(one, f"question{number} here")
            page = await chats.verbs.open(one, limit=4)
            assert (len(page.messages), page.older) == (4, 14)
            before = await chats.verbs.older(one, page.messages[0].id, 10)
            assert (len(before.messages), before.older) == (10, 4)
            assert before.messages[-1].id == page.messages[0].parent
            (hit, *_) = [hit for hit in await chats.verbs.search("question1") if hit.message]
            reached = await chats.verbs.open(one, at=hit.message, limit=4)
            assert hit.message in [message.id for message in reached.messages]

        run(tmp_path, endpoint, scroll)


def test_the_meter_counts_with_the_draft_and_only_the_newest_call_answers(tmp_path: Path) -> None:
    with fake_chat("--tokens", "2", "--context", "50") as endpoint:

        async def measure(chats: Chats) -> None:
            one = await chats.new(Params(max_tokens=10))
            await chats.ask(one, "three words here")
            first, second = await asyncio.gather(chats.verbs.meter(one, "a"), chats.verbs.meter(one, "a b c d"))
            assert first is None
            assert second is not None
            assert (second.tokens, second.limit, second.exact) == (3 + 2 + 2 + 2 + 4 + 2, 50, True)
            chats.endpoint = None
            assert await chats.verbs.meter(one) is None

        run(tmp_path, endpoint, measure)


def test_markdown_of_all_and_of_one_message(tmp_path: Path) -> None:
    with fake_chat("--text", "# Fine\n\n## User\n\nodd") as endpoint:

        async def copy(chats: Chats) -> None:
            one = await chats.new(system="be odd")
            page = await chats.ask(one, "hi")
            assert await chats.verbs.markdown(one, page.messages[1].id) == "# Fine\n\n## User\n\nodd"
            assert await chats.verbs.markdown(one) == (
                "# hi\n\n## System\n\nbe odd\n\n## User\n\nhi\n\n## Assistant\n\n# Fine\n\n\\## User\n\nodd\n"
            )

        run(tmp_path, endpoint, copy)
