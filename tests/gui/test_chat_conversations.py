"""Conversations beside the chat: found, named, kept together, taken away and brought back; nothing written is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from core.engine.endpoint import Endpoint
from core.paths import Paths
from gui.pages.chat.conversation_rows import Kind
from gui.pages.chat.page import NARROW
from tests.gui.chatting import Chatting
from tests.support.fake_chat_server import fake_chat


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    with fake_chat("--text", "The **sea** is wide.") as endpoint:
        yield endpoint


@pytest.fixture
def chat(qtbot: QtBot, home: Paths, server: Endpoint) -> Iterator[Chatting]:
    made = Chatting(qtbot, home)
    made.serve(server)
    yield made
    made.close()


def menu(chat: Chatting, title: str) -> QMenu:
    row = next(row for row in chat.page.sidebar.list.rows.rows if row.text == title)
    return chat.page.sidebar.row_menu(row)


def choose(menu: QMenu, what: str) -> None:
    next(action for action in menu.actions() if action.objectName() == f"conversation-{what}").trigger()


def three(chat: Chatting) -> None:
    for number, text in enumerate(("a recipe for bread", "the longest river", "bread again")):
        if number:
            chat.press("newConversationButton")
            chat.until(lambda: chat.questions == [])
        chat.ask(text)
    chat.until(lambda: len(chat.titles) == 3)


def test_every_conversation_has_its_place_in_the_list(chat: Chatting) -> None:
    three(chat)
    assert chat.titles == ["bread again", "the longest river", "a recipe for bread"]
    rows = chat.page.sidebar.list.rows.rows
    assert [row.text for row in rows if row.kind is Kind.HEAD] == ["Today"]
    index = chat.page.sidebar.list.rows.index_of(rows[-1].id)
    chat.bot.mouseClick(chat.list.viewport(), Qt.MouseButton.LeftButton, pos=chat.list.visualRect(index).center())
    chat.until(lambda: chat.questions == ["a recipe for bread"])
    assert chat.answers == ["The sea is wide."]
    assert chat.find(QLineEdit, "conversationSearch").text() == ""


def test_the_arrow_keys_walk_through_the_conversations(chat: Chatting) -> None:
    three(chat)
    chat.list.setFocus()
    chat.bot.keyClick(chat.list, Qt.Key.Key_Down)
    chat.until(lambda: chat.questions == ["the longest river"])
    with chat.bot.waitActive(chat.page):
        chat.page.activateWindow()
    chat.bot.keyClick(chat.page, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    chat.until(lambda: chat.questions == ["a recipe for bread"])
    chat.bot.keyClick(chat.page, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    chat.until(lambda: chat.questions == ["the longest river"])


def test_a_title_is_changed_in_its_place(chat: Chatting) -> None:
    chat.ask("a recipe for bread")
    chat.until(lambda: chat.titles == ["a recipe for bread"])
    chat.list.setFocus()
    chat.bot.keyClick(chat.list, Qt.Key.Key_F2)
    field = chat.find(QLineEdit, "renameConversation")
    field.setText("  Bread   ")
    chat.bot.keyClick(field, Qt.Key.Key_Return)
    chat.until(lambda: chat.titles == ["Bread"])
    chat.until(lambda: chat.page.findChild(QLineEdit, "renameConversation") is None)
    assert chat.stored().info.title == "Bread"
    chat.until(lambda: chat.text("conversationTitle") == "Bread")


def test_pinned_ones_come_first_and_tags_group(chat: Chatting) -> None:
    three(chat)
    choose(menu(chat, "a recipe for bread"), "pin")
    chat.until(lambda: chat.titles[0] == "a recipe for bread")
    assert [row.text for row in chat.page.sidebar.list.rows.rows if row.kind is Kind.HEAD] == ["Pinned", "Today"]
    choose(menu(chat, "bread again"), "tags")
    field = chat.find(QLineEdit, "tagsDialogField")
    field.setText("kitchen, , kitchen,home ")
    chat.press("tagsDialogKeep")
    chat.until(lambda: chat.sees("conversationTags"))
    chat.page.sidebar.tag_chosen.emit("kitchen")
    chat.until(lambda: chat.titles == ["bread again"])
    row = next(row for row in chat.page.sidebar.list.rows.rows if row.id)
    assert sorted(row.tags) == ["home", "kitchen"]
    chat.page.sidebar.tag_chosen.emit("")
    chat.until(lambda: len(chat.titles) == 3)


def test_a_deleted_conversation_comes_back(chat: Chatting) -> None:
    three(chat)
    chat.list.setFocus()
    chat.bot.keyClick(chat.list, Qt.Key.Key_Delete)
    chat.until(lambda: chat.titles == ["the longest river", "a recipe for bread"])
    chat.until(lambda: chat.questions == ["the longest river"])
    assert chat.sees("conversationUndo")
    chat.press("conversationUndoUndo")
    chat.until(lambda: chat.titles == ["bread again", "the longest river", "a recipe for bread"])
    chat.until(lambda: chat.questions == ["bread again"])
    assert not chat.sees("conversationUndo")


def test_a_search_finds_as_one_types_and_opens_the_message(chat: Chatting) -> None:
    three(chat)
    field = chat.find(QLineEdit, "conversationSearch")
    chat.bot.keyClicks(field, "river long")
    chat.until(lambda: chat.titles == ["the longest river"] * len(chat.titles) and bool(chat.titles))
    hit = next(row for row in chat.page.sidebar.list.rows.rows if row.message)
    assert {hit.note[begin:end] for begin, end in hit.marks} == {"long", "river"}
    chat.list.setCurrentIndex(chat.page.sidebar.list.rows.index_of(hit.id))
    chat.until(lambda: chat.questions == ["the longest river"])
    field.setText("nowhere to be found")
    chat.until(lambda: chat.sees("noConversations"))
    assert chat.text("noConversations") == "Nothing found"
    field.clear()
    chat.until(lambda: len(chat.titles) == 3)


def test_a_draft_stays_with_its_conversation_and_survives_a_restart(
    qtbot: QtBot, home: Paths, server: Endpoint
) -> None:
    chat = Chatting(qtbot, home)
    chat.serve(server)
    chat.ask("a recipe for bread")
    chat.type("and with rye?")
    chat.press("newConversationButton")
    chat.until(lambda: chat.questions == [])
    assert chat.box.toPlainText() == ""
    chat.type("half a thought")
    chat.close()

    chat = Chatting(qtbot, home)
    chat.until(lambda: chat.box.toPlainText() in ("half a thought", "and with rye?"))
    drafts = {chat.box.toPlainText()}
    chat.presenter.list.step(1)
    chat.until(lambda: chat.box.toPlainText() not in drafts | {""})
    assert drafts | {chat.box.toPlainText()} == {"half a thought", "and with rye?"}
    chat.close()


def test_conversations_go_out_and_come_in(chat: Chatting, tmp_path) -> None:
    chat.ask("a recipe for bread")
    chat.until(lambda: chat.titles == ["a recipe for bread"])
    file = tmp_path / "out.json"
    choose(menu(chat, "a recipe for bread"), "json")
    chat.find(QFileDialog, "exportDialog").fileSelected.emit(str(file))
    chat.until(file.is_file)
    chat.page.sidebar.import_wanted.emit()
    chat.find(QFileDialog, "importDialog").fileSelected.emit(str(file))
    chat.until(lambda: chat.titles == ["a recipe for bread"] * 2)
    choose(menu(chat, "a recipe for bread"), "copy")
    chat.until(lambda: "## Assistant\n\nThe **sea** is wide." in QGuiApplication.clipboard().text())
    for dialog in chat.page.findChildren(QFileDialog):
        dialog.close()


def test_a_narrow_window_shows_one_side_at_a_time(chat: Chatting) -> None:
    assert chat.page.sidebar.isVisible()
    chat.page.resize(NARROW - 200, 560)
    chat.until(lambda: not chat.page.sidebar.isVisible())
    chat.press("sidebarButton")
    assert chat.page.sidebar.isVisible()
    chat.press("controlsButton")
    assert chat.page.controls.isVisible()
    assert not chat.page.sidebar.isVisible()
    chat.press("sidebarButton")
    assert not chat.page.controls.isVisible()
    chat.page.resize(NARROW + 300, 700)
    chat.until(chat.page.sidebar.isVisible)


def test_a_folded_list_stays_folded(qtbot: QtBot, home: Paths, server: Endpoint) -> None:
    chat = Chatting(qtbot, home)
    chat.press("sidebarButton")
    assert not chat.page.sidebar.isVisible()
    chat.until(lambda: home.settings_file.is_file())
    chat.close()
    chat = Chatting(qtbot, home)
    assert not chat.page.sidebar.isVisible()
    chat.press("sidebarButton")
    assert chat.page.sidebar.isVisible()
    chat.close()


def test_hundreds_of_conversations_are_smooth(chat: Chatting) -> None:
    """A reset of the whole list and the painting of what is in sight; a frame is 16 ms, this machine is shared."""
    import time
    from datetime import date

    from core.chat.records import ConversationInfo
    from gui.pages.chat.conversation_rows import grouped

    infos = [ConversationInfo(str(n), f"Conversation {n}", 0.0, 86400.0 * n, 1) for n in range(800)]
    rows = grouped(infos, date(1972, 3, 1), "en")
    took = []
    for turn in range(5):
        began = time.perf_counter()
        chat.page.sidebar.show_rows(rows[turn:], "400", "")
        chat.list.grab()
        took.append(time.perf_counter() - began)
    assert chat.list.model().rowCount(QModelIndex()) == len(rows) - 4
    assert min(took) < 0.05, took
