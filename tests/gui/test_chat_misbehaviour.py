"""Servers of the wild: the page shows the whole text, or what came of it and why it ended. So does the file."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from core.events import FinishReason
from core.paths import Paths
from tests.gui.chatting import Chatting
from tests.support.fake_chat_server import fake_chat, seen

WORDS = ("Paris ", "ist ", "schön, ", "naïve ", "日本 ", "🙂 ")
WHOLE = "".join(WORDS[number % 6] for number in range(20))


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    "switches",
    [
        ("--per-chunk", "7"),
        ("--odd-chunks",),
        ("--usage", "end"),
        ("--usage", "none"),
        ("--cut", "1"),
        ("--cut", "3", "--newline", "crlf"),
        ("--newline", "cr"),
        ("--no-done",),
        ("--tools",),
        ("--silent-after", "5", "--silence", "1.2", "--keep-alive", "0.3"),
        ("--reject", "continuous_usage_stats"),
        ("--reject", "stream_options"),
        ("--first-after", "0.5"),
    ],
    ids=" ".join,
)
def test_the_text_is_whole(qtbot: QtBot, home: Paths, switches: tuple[str, ...]) -> None:
    with fake_chat(*switches) as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        assert [plain(text) for text in chat.answers] == [plain(WHOLE)]
        assert chat.last().content == WHOLE
        assert chat.last().finish is FinishReason.STOP
        assert not chat.sees("answerBanner")
        assert not chat.sees("chatState")
        counted = re.search(r"(\d+|–) tokens$", chat.text("answerStats"))
        assert counted is not None
        assert counted[1] == ("–" if switches == ("--usage", "none") else "20")
        chat.close()


def test_tokens_without_text_are_counted_and_change_nothing(qtbot: QtBot, home: Paths) -> None:
    with fake_chat("--empty-every", "3") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        heard = "".join(WORDS[number % 6] for number in range(20) if (number + 1) % 3)
        assert [plain(text) for text in chat.answers] == [plain(heard)]
        assert chat.last().content == heard
        assert chat.text("answerStats").endswith("20 tokens")
        chat.close()


@pytest.mark.parametrize(
    ("switches", "came", "words"),
    [
        (("--drop-after", "6"), 6, "connection"),
        (("--end-after", "6"), 6, "connection"),
        (("--error-after", "6"), 6, "EngineCore died"),
        (("--garbage-after", "6"), 6, "not"),
        (("--status", "500", "--body", '{"error": {"message": "out of order"}}'), 0, "out of order"),
        (
            (
                "--status",
                "401",
            ),
            0,
            "",
        ),
        (("--content-type", "text/html"), 0, ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_came_is_kept_and_the_reason_is_said(
    qtbot: QtBot, home: Paths, switches: tuple[str, ...], came: int, words: str
) -> None:
    with fake_chat(*switches) as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        part = "".join(WORDS[number % 6] for number in range(came))
        assert plain("".join(chat.answers)) == plain(part)
        last = chat.last()
        assert (last.content, last.finish) == (part, FinishReason.ERROR)
        assert last.error is not None
        banner = next(box for box in chat.page.messages.messages[-1].findChildren(type(chat.page.banner)))
        assert banner.isVisible()
        assert len(banner.text().splitlines()) == 3
        assert words.casefold() in f"{banner.text()} {last.error.detail}".casefold()
        assert chat.sees("chatState") == bool(came)
        chat.close()
        # It is the same after a restart.
        again = Chatting(qtbot, home)
        again.until(lambda: again.questions == ["one"])
        assert plain("".join(again.answers)) == plain(part)
        assert again.sees("answerBanner")
        again.close()


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_is_folded_away_and_never_sent_back(qtbot: QtBot, home: Paths, field: str) -> None:
    with fake_chat("--reasoning", "8", "--reasoning-field", field) as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        text = "".join(WORDS[number % 6] for number in range(8, 20))
        assert [plain(answer) for answer in chat.answers] == [plain(text)]
        assert chat.last().reasoning == "".join(WORDS[number % 6] for number in range(8))
        chat.ask("two")
        sent = seen(endpoint)[-1]["messages"]
        assert [message["content"] for message in sent] == ["one", text, "two"]
        chat.close()


@pytest.mark.parametrize("opening", ["<think>\n", ""])
def test_thinking_in_the_text_is_told_apart(qtbot: QtBot, home: Paths, opening: str) -> None:
    with fake_chat("--text", f"{opening}Let me see: water.\n</think>\n\nThe sea is wide.", "--rate", "200") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        assert chat.answers == ["The sea is wide."]
        last = chat.last()
        assert last.content.strip() == "The sea is wide."
        assert last.reasoning.strip() == "Let me see: water."
        chat.close()


def test_a_burst_of_two_thousand_tokens_a_second_arrives_whole(qtbot: QtBot, home: Paths) -> None:
    with fake_chat("--tokens", "3000", "--rate", "2000") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        whole = "".join(WORDS[number % 6] for number in range(3000))
        assert chat.last().content == whole
        assert plain(chat.answers[0]) == plain(whole)
        chat.close()


def test_an_overfull_context_is_said_and_the_oldest_messages_can_be_left_out(qtbot: QtBot, home: Paths) -> None:
    with fake_chat("--text", "The sea is wide and the wind is strong today.", "--context", "40") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        for number in range(3):
            chat.ask(f"question number {number}, with some more words in it")
        chat.until(lambda: "outgrown" in chat.text("chatStateText"))
        assert chat.sees("answerBanner")
        assert chat.last().error is not None
        chat.until(lambda: "full" in chat.page.composer.context.text())
        chat.press("chatStateFirst")
        chat.until(lambda: len(chat.chats.ends) == 4)
        chat.settled()
        assert chat.last().finish is FinishReason.STOP
        assert chat.last().trimmed > 0
        assert "oldest message" in chat.notes[-1]
        assert not chat.sees("chatState")
        assert chat.stored().params.at_limit == "trim"
        assert len(chat.questions) == 3
        chat.close()


def test_an_adapter_of_the_server_can_be_chosen(qtbot: QtBot, home: Paths) -> None:
    with fake_chat("--adapter", "poet") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.press("controlsButton")
        chat.until(lambda: chat.find(QComboBox, "adapterChoice").isVisible())
        box = chat.find(QComboBox, "adapterChoice")
        box.setCurrentIndex(box.findData("poet"))
        box.activated.emit(box.currentIndex())
        chat.ask("one")
        assert seen(endpoint)[-1]["model"] == "poet"
        assert chat.stored().params.adapter == "poet"
        chat.close()
