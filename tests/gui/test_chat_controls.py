"""What is asked beside the messages, what goes with them, and how much of it there is room for."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from core.chat.params import Params
from core.chat.tree import Attachment
from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.paths import Paths
from gui.pages.chat.attachments import LONGEST_SIDE, prepare_file, prepare_picture
from gui.pages.chat.message_input import MessageInput
from gui.pages.chat.output_form import trouble_with
from gui.pages.chat.speed_plot import rates
from gui.widgets.banner import Banner
from gui.widgets.optional_number import OptionalNumber
from tests.gui.chatting import Chatting
from tests.support.fake_chat_server import fake_chat, seen
from tests.support.fake_engine import make_checkpoint


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with fake_chat("--text", "The sea.") as endpoint:
        yield endpoint


@pytest.fixture
def chat(qtbot: QtBot, home: Paths, server: Endpoint, tmp_path: Path) -> Iterator[Chatting]:
    """The model has sampling of its own and reads text only."""
    model = make_checkpoint(tmp_path / "text-model")
    (model / "generation_config.json").write_text(json.dumps({"temperature": 0.6, "top_k": 20}), encoding="utf-8")
    made = Chatting(qtbot, home, model=model)
    made.serve(server)
    yield made
    made.close()


@pytest.fixture
def seeing(qtbot: QtBot, home: Paths, server: Endpoint, tmp_path: Path) -> Iterator[Chatting]:
    """The model sees pictures."""
    model = make_checkpoint(tmp_path / "seeing-model")
    config = json.loads((model / "config.json").read_text("utf-8"))
    config |= {"architectures": ["LlavaForConditionalGeneration"], "model_type": "llava", "vision_config": {"x": 1}}
    (model / "config.json").write_text(json.dumps(config), encoding="utf-8")
    made = Chatting(qtbot, home, model=model)
    made.serve(server)
    yield made
    made.close()


def picture(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    return image


def drop(chat: Chatting, *paths: Path) -> None:
    given = QMimeData()
    given.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    chat.page.composer.take(given)


def chips(chat: Chatting) -> list[str]:
    return [chip.accessibleName() for chip in chat.page.composer.findChildren(QFrame, "attachmentChip")]


# ---- attachments -----------------------------------------------------------------------------------------------------


def test_a_picture_is_refused_by_a_model_that_reads_text_only(chat: Chatting, tmp_path: Path) -> None:
    file = tmp_path / "sea.png"
    picture(20, 20).save(str(file))
    drop(chat, file)
    chat.until(lambda: chat.sees("errorBanner"))
    assert "text only" in chat.find(Banner, "errorBanner").text()
    given = QMimeData()
    given.setImageData(picture(20, 20))
    chat.page.banner.dismiss()
    chat.find(MessageInput, "chatInput").insertFromMimeData(given)
    assert chat.sees("errorBanner")
    assert chips(chat) == []


def test_a_text_file_goes_with_the_question(chat: Chatting, server: Endpoint, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("the tide comes at noon", encoding="utf-8")
    drop(chat, file)
    chat.until(lambda: chips(chat) == ["notes.txt"])
    chat.until(lambda: [one.name for one in chat.stored().draft.attachments] == ["notes.txt"])
    chat.ask("when?")
    assert chips(chat) == []
    (sent,) = seen(server)[-1]["messages"]
    assert "the tide comes at noon" in json.dumps(sent["content"])
    assert [one.name for one in chat.stored().messages[0].attachments] == ["notes.txt"]
    assert chat.stored().draft.attachments == ()


def test_a_picture_is_shrunk_and_sent_to_a_model_that_sees(seeing: Chatting, server: Endpoint, tmp_path: Path) -> None:
    file = tmp_path / "wide.png"
    picture(4000, 1000).save(str(file))
    drop(seeing, file)
    seeing.until(lambda: chips(seeing) == ["wide.png"])
    seeing.ask("what is it?")
    parts = seen(server)[-1]["messages"][-1]["content"]
    (url,) = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    sent = QImage.fromData(base64.b64decode(url.partition(",")[2]))
    assert (sent.width(), sent.height()) == (LONGEST_SIDE, LONGEST_SIDE // 4)


def test_an_attachment_can_be_taken_away_again(chat: Chatting, tmp_path: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    drop(chat, tmp_path / "one.txt", tmp_path / "two.txt")
    chat.until(lambda: len(chips(chat)) == 2)
    chat.press("removeAttachment")
    chat.until(lambda: len(chips(chat)) == 1)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\x00\x01\x02", "chat.file_unreadable"),
        (b"a\0b", "chat.file_unreadable"),
        (b"x" * 2**21, "chat.file_too_large"),
    ],
    ids=["binary", "nul", "large"],
)
def test_a_file_that_cannot_go_is_refused_in_words(chat: Chatting, tmp_path: Path, data: bytes, code: str) -> None:
    file = tmp_path / "strange.bin"
    file.write_bytes(data)
    with pytest.raises(AppError) as refused:
        prepare_file(str(file), True, "m")
    assert refused.value.code == code
    drop(chat, file)
    chat.until(lambda: chat.sees("errorBanner"))
    assert "strange.bin" in chat.find(Banner, "errorBanner").text()


def test_a_picture_keeps_its_see_through_parts_and_small_ones_their_size() -> None:
    image = QImage(30, 10, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    kept = prepare_picture(image, "sign")
    assert kept.media_type == "image/png"
    read = QImage.fromData(kept.data)
    assert (read.width(), read.height(), read.pixelColor(1, 1).alpha()) == (30, 10, 0)
    assert prepare_picture(picture(30, 10), "photo").media_type == "image/jpeg"
    text = Attachment("text", "a", "text/plain", b"x")
    assert "b'x'" not in repr(text)


# ---- the panel -------------------------------------------------------------------------------------------------------


def number(chat: Chatting, name: str) -> OptionalNumber:
    return chat.find(OptionalNumber, f"param-{name}")


def test_the_models_own_values_are_shown_and_left_to_it(chat: Chatting, server: Endpoint) -> None:
    chat.press("controlsButton")
    chat.until(lambda: number(chat, "temperature").text() == "0.60 (model's)")
    assert number(chat, "top_k").text() == "20 (model's)"
    assert number(chat, "min_p").text() == "model's own"
    chat.ask("one")
    assert not {"temperature", "top_k", "top_p", "seed", "stop"} & set(seen(server)[-1])


def test_what_is_chosen_is_asked_with_and_kept(chat: Chatting, server: Endpoint) -> None:
    chat.press("controlsButton")
    chat.until(lambda: number(chat, "temperature").text() == "0.60 (model's)")
    number(chat, "temperature").stepBy(2)
    number(chat, "top_k").setValue(0)
    number(chat, "seed").setValue(7)
    number(chat, "max_tokens").setValue(55)
    chat.find(QPlainTextEdit, "param-stop").setPlainText("END\n###")
    chat.find(QPlainTextEdit, "systemPrompt").setPlainText("Be brief.")
    chat.ask("one")
    body = seen(server)[-1]
    sent = {name: body[name] for name in ("temperature", "top_k", "seed", "max_tokens", "stop")}
    assert sent == {"temperature": 0.7, "top_k": 0, "seed": 7, "max_tokens": 55, "stop": ["END", "###"]}
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert chat.stored().params == Params(temperature=0.7, top_k=0, seed=7, max_tokens=55, stop=("END", "###"))
    chat.press("resetParamsButton")
    chat.until(lambda: chat.stored().params == Params())
    assert number(chat, "temperature").text() == "0.60 (model's)"


def test_an_emptied_number_is_left_to_the_model_again(chat: Chatting) -> None:
    chat.press("controlsButton")
    field = number(chat, "top_p")
    field.setValue(0.5)
    assert field.number == 0.5
    editor = field.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    chat.bot.keyClick(editor, Qt.Key.Key_Delete)
    chat.bot.keyClick(editor, Qt.Key.Key_Return)
    assert field.number is None
    assert field.text() == "model's own"


def test_the_form_of_the_answer_is_checked_before_it_is_asked_for(chat: Chatting, server: Endpoint) -> None:
    chat.press("controlsButton")
    kind, text = chat.find(QComboBox, "outputKind"), chat.find(QPlainTextEdit, "outputText")
    kind.setCurrentIndex(kind.findData("json_schema"))
    text.setPlainText('{"type": "object",}')
    # Python 3.13 points at the comma, older ones behind it.
    assert any(f"line 1, column {column}" in chat.text("outputVerdict") for column in (18, 19))
    chat.ask("one")
    assert "response_format" not in seen(server)[-1]
    text.setPlainText('{"type": "object"}')
    assert chat.text("outputVerdict").startswith("✓")
    chat.ask("two")
    assert seen(server)[-1]["response_format"]["json_schema"]["schema"] == {"type": "object"}
    kind.setCurrentIndex(kind.findData("choice"))
    text.setPlainText("yes\nno")
    chat.ask("three")
    assert seen(server)[-1]["structured_outputs"] == {"choice": ["yes", "no"]}


@pytest.mark.parametrize(
    ("kind", "text", "trouble"),
    [
        (None, "", ""),
        ("json", "", ""),
        ("regex", "", "empty"),
        ("regex", r"\d{4}", ""),
        ("regex", "a(", "regex"),
        ("grammar", 'root ::= "a"', ""),
        ("grammar", 'main ::= "a"', "grammar"),
        ("json_schema", "[]", "object"),
        ("json_schema", "{", "json"),
        ("choice", "a\nb", ""),
    ],
)
def test_mistakes_in_a_form_are_found(kind, text: str, trouble: str) -> None:
    assert trouble_with(kind, text)[0] == trouble


def test_a_preset_keeps_prompt_and_settings_together(chat: Chatting) -> None:
    chat.press("controlsButton")
    chat.find(QPlainTextEdit, "systemPrompt").setPlainText("You are a poet.")
    number(chat, "temperature").setValue(1.2)
    chat.press("savePresetButton")
    chat.find(QLineEdit, "presetDialogField").setText("Poet")
    chat.press("presetDialogKeep")
    box = chat.find(QComboBox, "presetChoice")
    chat.until(lambda: box.currentText() == "Poet")
    chat.press("newConversationButton")
    chat.until(lambda: chat.find(QPlainTextEdit, "systemPrompt").toPlainText() == "")
    box.setCurrentIndex(box.findText("Poet"))
    box.activated.emit(box.currentIndex())
    chat.until(lambda: chat.stored().system == "You are a poet.")
    chat.until(lambda: chat.stored().params == Params(temperature=1.2))
    chat.press("deletePresetButton")
    chat.until(lambda: box.count() == 1)
    assert chat.result(chat.chats.verbs.presets) == ()


# ---- the context -----------------------------------------------------------------------------------------------------


def test_the_meter_follows_what_is_written(chat: Chatting) -> None:
    meter = chat.find(QPushButton, "contextButton")
    chat.type("one two three")
    chat.until(lambda: meter.text() == "5 / 4,096")
    chat.ask("one two three")
    chat.until(lambda: meter.text() == "9 / 4,096")
    chat.no_server()
    chat.until(lambda: meter.text() == "context –")


def test_what_happens_at_the_limit_is_chosen_and_shown(chat: Chatting) -> None:
    meter = chat.page.composer.context
    assert "asks what to do" in meter.toolTip()
    meter.at_limit_chosen.emit("trim")
    chat.until(lambda: chat.stored().params.at_limit == "trim")
    assert "oldest messages are left out" in meter.toolTip()


def test_the_plot_shows_the_rate_over_time() -> None:
    steady = tuple((0.1 * n, 5 * n) for n in range(11))
    assert [round(rate) for _, rate in rates(steady, 5)] == [50] * 5
    halting = (*((0.1 * n, 5 * n) for n in range(6)), (1.0, 26))
    found = [rate for _, rate in rates(halting, 4)]
    assert found[0] == pytest.approx(40, abs=15)
    assert found[-1] == pytest.approx(4, abs=5)
    assert rates((), 5) == ()
    assert rates(((1.0, 5),), 5) == ()


def test_the_plot_comes_on_demand(qtbot: QtBot, home: Paths) -> None:
    with fake_chat("--tokens", "60", "--rate", "200") as endpoint:
        chat = Chatting(qtbot, home)
        chat.serve(endpoint)
        chat.ask("one")
        chat.press("answerSpeedButton")
        chat.until(lambda: chat.sees("speedPlotButton"))
        assert not chat.sees("speedPlot")
        chat.press("speedPlotButton")
        chat.until(lambda: chat.sees("speedPlot"))
        said = chat.page.findChild(QFrame, "speedDetails")
        assert isinstance(said, QFrame)
        assert "Between tokens, 99 %" in [label.text() for label in said.findChildren(QLabel)]
        chat.close()
