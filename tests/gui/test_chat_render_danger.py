"""What a model writes is not trusted: what the widget shows, and that it loads nothing by itself (reports D10, D11)."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QUrl
from PySide6.QtGui import QImage, QTextCharFormat
from pytestqt.qtbot import QtBot

from core.events import ErrorInfo
from gui.bridge import Bridge
from gui.pages.chat.answer_text import AnswerText
from gui.pages.chat.inline_writer import PICTURE_SCHEME
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.text_style import FORMULA


class Web:
    """A real server on this machine that counts what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.body = png(20, 10)
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Length", str(len(web.body)))
                self.end_headers()
                self.wfile.write(web.body)

            def log_message(self, format: str, *_args: object) -> None:
                """Nothing on the terminal."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def png(width: int, height: int) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


@pytest.fixture
def web() -> Iterator[Web]:
    made = Web()
    yield made
    made.close()


@pytest.fixture
def view(qtbot: QtBot, bridge: Bridge) -> AnswerText:
    made = AnswerText(Rendering(bridge))
    qtbot.addWidget(made)
    made.resize(600, 50)
    made.show()
    return made


def formats(view: AnswerText) -> list[QTextCharFormat]:
    """Of every piece of the text."""
    found: list[QTextCharFormat] = []
    block = view.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            found.append(pieces.fragment().charFormat())
            pieces += 1
        block = block.next()
    return found


def links(view: AnswerText) -> set[str]:
    return {form.anchorHref() for form in formats(view)} - {""}


def formulas(view: AnswerText) -> list[str]:
    """The sources of what is, or waits to be, a drawing."""
    return [str(form.property(FORMULA)) for form in formats(view) if form.hasProperty(FORMULA)]


HARMLESS = {
    "script": ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    "handler": ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
    "frame": ('<iframe srcdoc="<b>x</b>"></iframe>', '<iframe srcdoc="<b>x</b>"></iframe>'),
    "form": ("a <b>bold</b> <a href='javascript:x'>y</a>", "a <b>bold</b> <a href='javascript:x'>y</a>"),
    "entity": ("&lt;script&gt; &amp;", "<script> &"),
    "script link": ("[j](javascript:alert(1))", "[j](javascript:alert(1))"),
    "file link": ("[f](file:///etc/passwd)", "[f](file:///etc/passwd)"),
    "data link": ("[d](data:text/html,x)", "[d](data:text/html,x)"),
    "own link": (f"[p]({PICTURE_SCHEME}http://a/b)", f"[p]({PICTURE_SCHEME}http://a/b)"),
    "relative link": ("[r](settings.json)", "[r](settings.json)"),
    "ftp link": ("[t](ftp://example.com)", "[t](ftp://example.com)"),
    "file picture": ("![f](file:///etc/passwd)", "![f](file:///etc/passwd)"),
    "structure": ("a\ufdd0b\ufdd1c\ufffcd\x00e", "a\ufffdb\ufffdc\ufffdd\ufffde"),
    "half a character": ("a\ud800b", "a\ufffdb"),
    "html in a heading": ("# <style>*{}</style>", "<style>*{}</style>"),
    "html in code": ("```html\n<script>x</script>\n```", "<script>x</script>"),
    "money": ("It was $148+ → $19 then.", "It was $148+ → $19 then."),
    "prices": ("From $5 to $10, or $20,000.", "From $5 to $10, or $20,000."),
    "space before": ("Pay $5 and $x.", "Pay $5 and $x."),
    "space after": ("Of $ 5$ each.", "Of $ 5$ each."),
    "range": ("$5-$10 and $1/$2", "$5-$10 and $1/$2"),
    "escaped": ("\\$x\\$ is text", "$x$ is text"),
    "formula in code": ("`$x$` and `\\(y\\)`", "$x$ and \\(y\\)"),
}


@pytest.mark.parametrize("name", HARMLESS)
@pytest.mark.parametrize("at_once", [True, False])
def test_it_is_shown_as_the_text_that_it_is(qtbot: QtBot, view: AnswerText, name: str, at_once: bool) -> None:
    text, shown = HARMLESS[name]
    if not at_once:
        for character in text:
            view.append_markdown(character)
            view.flush()
    view.finish(text)
    qtbot.waitUntil(lambda: not view.busy)
    assert view.plain_text().strip() == shown
    assert links(view) == set()
    assert formulas(view) == []


def test_only_links_to_the_web_and_to_mail_are_links(qtbot: QtBot, view: AnswerText) -> None:
    view.finish("[a](https://e.com/x) [b](http://e.com) [c](mailto:me@e.com) <https://e.com/auto>")
    assert links(view) == {"https://e.com/x", "http://e.com", "mailto:me@e.com", "https://e.com/auto"}


def test_nothing_is_loaded_from_files(view: AnswerText, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    assert view.loadResource(2, QUrl.fromLocalFile(str(secret))) is None
    view.setHtml(f'<img src="{secret.as_uri()}">')
    assert "secret" not in view.toPlainText()


def test_a_picture_is_fetched_by_a_click_and_never_before(qtbot: QtBot, view: AnswerText, web: Web) -> None:
    address = f"{web.address}/p.png?q=secret"
    view.finish(f"Look: ![a cat]({address}) there")
    view.grab()
    assert view.plain_text() == f"Look: [Load the picture “a cat” from {address}] there"
    (target,) = links(view)
    opened: list[QUrl] = []
    view.link_wanted.connect(opened.append)
    assert web.asked == []
    view.anchorClicked.emit(QUrl(target))
    qtbot.waitUntil(lambda: links(view) == set())
    assert web.asked == ["/p.png?q=secret"]
    assert view.plain_text() == f"Look: ![a cat]({address}) there"
    assert opened == []


@pytest.mark.parametrize("body", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"\x89PNG\r\n\x1a\nbroken", b""])
def test_what_is_no_picture_is_said_and_the_address_stays(
    qtbot: QtBot, view: AnswerText, web: Web, body: bytes
) -> None:
    web.body = body
    view.finish(f"![x]({web.address}/p)")
    before = view.plain_text()
    failed: list[ErrorInfo] = []
    view.picture_failed.connect(failed.append)
    view.anchorClicked.emit(QUrl(next(iter(links(view)))))
    qtbot.waitUntil(lambda: bool(failed))
    assert failed[0].code == "chat.picture_failed"
    assert view.plain_text() == before


# ---- maths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("$e^{i\\pi}+1=0$ and \\(x_1\\)", 2),
        ("$$\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n$$", 1),
        ("\\[\n\\sum_{i=1}^n i\n- 1\n\\]", 1),
        ("- item $x$\n\n| a |\n|---|\n| $O(n^2)$ |", 2),
    ],
)
def test_formulas_are_drawn_and_copied_as_their_source(qtbot: QtBot, view: AnswerText, text: str, count: int) -> None:
    view.finish(text)
    qtbot.waitUntil(lambda: view.toPlainText().count("\ufffc") == count)
    for line in text.splitlines():
        if "$" in line or "\\" in line:
            assert line.strip("|- ").removeprefix("item ") in view.plain_text()


@pytest.mark.parametrize("text", ["$\\frac{$", "$\\begin{x}$", "$\\text{你好}$", "$" + "{" * 400 + "}" * 400 + "$"])
def test_what_cannot_be_drawn_stays_as_its_source(qtbot: QtBot, view: AnswerText, text: str) -> None:
    """A good formula after it tells that the bad one had its turn: they are set one after another."""
    view.finish(f"{text} and $x$")
    qtbot.waitUntil(lambda: view.toPlainText().count("\ufffc") == 1)
    assert view.plain_text() == f"{text} and $x$"


def test_a_formula_without_its_end_is_text(qtbot: QtBot, view: AnswerText) -> None:
    text = "before\n\n$$\na + b\n\nafter that"
    for character in text:
        view.append_markdown(character)
        view.flush()
    view.finish(text)
    qtbot.waitUntil(lambda: not view.busy)
    assert view.plain_text() == "before\n$$\na + b\nafter that"
