"""One message's text, formatted while it is being written: 30 times a second at most, only its open rest each time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from core.events import ErrorInfo
from gui.pages.chat.code_blocks import CodeBlock, drop_all
from gui.pages.chat.formulas import Formulas
from gui.pages.chat.inline_writer import PICTURE_SCHEME
from gui.pages.chat.message_view import MessageView
from gui.pages.chat.quotes import Quote
from gui.pages.chat.rendering import Rendering
from gui.pages.chat.text_style import FIXED, TextStyle
from gui.pages.chat.units import Splitter, Step, Unit, whole_text
from gui.pages.chat.writer import Writer
from gui.widgets.scroll import lay_out_above

FLUSH_MS: Final = 33
# The GUI thread gives this share of its time to a text that grows: costly steps come less often.
SHARE: Final = 0.12
# More is read in another thread.
READ_AT_ONCE: Final = 6_000
FED_AT_ONCE: Final = 3_000
BUDGET_S: Final = 0.006
NEWEST_CODES: Final = 3


class AnswerText(MessageView):
    """`append_markdown` while text comes, `finish` for the final form; more may follow that (a continued answer).
    `settled` when a finished text stands there whole. `picture_failed`: a picture that was asked for did not come."""

    settled = Signal()
    picture_failed = Signal(ErrorInfo)

    def __init__(self, rendering: Rendering, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rendering = rendering
        self._formulas = self._new_formulas()
        self._splitter = Splitter()
        self._source = ""
        self._waiting = ""
        self._whole = False
        self._finishing = False
        self._asleep = False
        self._queue: list[Unit] = []
        self._open_codes: list[CodeBlock] = []
        self._growing: CodeBlock | None = None
        self._closed_end = QTextCursor(self.document())
        self._closed_end.setKeepPositionOnInsert(True)
        self._flush_timer = self._timer(FLUSH_MS, self.flush)
        self._write_timer = self._timer(0, self._write_some)
        self._formula_timer = self._timer(0, self._place_formulas)
        rendering.formula_came.connect(self._formula_came)
        self.anchorClicked.connect(self._anchor_clicked)

    # ---- text ------------------------------------------------------------------------------------------------------

    def append_markdown(self, text: str) -> None:
        if self._whole:
            # The end of what stands here is open again.
            text = self._source + text
            self._read(())
            self._begin_anew("")
            self._splitter = Splitter()
        self._source += text
        self._waiting += text
        if not self._flush_timer.isActive():
            self._flush_timer.start()

    def finish(self, text: str) -> None:
        """The whole text. What was shown until now is compared with it: a link may have got its address later."""
        if text != self._source or self._whole or not text:
            self._begin_anew(text)
            self._whole = bool(text)
            if len(text) > READ_AT_ONCE:
                self._rendering.read(text, self, self._read)
            else:
                self._read(whole_text(text))
            return
        self._finishing = True
        self.flush()

    def source(self) -> str:
        return self._source

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._queue or self._finishing)

    def sleep(self) -> None:
        """Hold no text, but stay as high, until `wake`."""
        if self._whole and not self._asleep and not self.busy and not self.textCursor().hasSelection():
            self._asleep = True
            self.hold_height(True)
            self._empty()

    def wake(self) -> None:
        if self._asleep:
            self._asleep = False
            self.restyle()

    def restyle(self) -> None:
        """Colours and sizes are part of the text: write it again after a change of theme or zoom."""
        if self._asleep:
            return
        units = [*self._splitter.closed, *self._splitter.open_units()]
        self._write_all(units)

    def flush(self) -> None:
        """Show what came since the last time; with much of it, a part now and the rest in the next turn."""
        self._flush_timer.stop()
        if self._queue:
            return
        began = time.perf_counter()
        piece, self._waiting = self._waiting[:FED_AT_ONCE], self._waiting[FED_AT_ONCE:]
        if piece:
            self._apply(self._splitter.feed(piece))
        spent_ms = (time.perf_counter() - began) * 1000
        if self._waiting:
            self._flush_timer.start(max(1, round(spent_ms / SHARE) if not self._finishing else 1))
        elif self._finishing:
            self._compare()
        self._flush_timer.setInterval(max(FLUSH_MS, round(spent_ms / SHARE)))

    # ---- the open rest ---------------------------------------------------------------------------------------------

    def _apply(self, step: Step) -> None:
        loose = self._caret_is_loose()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if step.grown and self._growing is not None:
            cursor.setPosition(self._growing.frame.lastPosition())
            cursor.insertText(step.grown, self.style_of_text.characters(FIXED))
            self._growing.grow(step.grown)
        if step.sealed:
            self._seal()
        if not step.code_open or step.open or step.closed:
            self._drop_open(cursor)
            self._write(cursor, step.closed, final=True)
            self._write(cursor, step.open, final=False)
            if step.code_open and self._open_codes:
                self._growing = self._open_codes[-1]
                self._growing.ask_colours()
        cursor.endEditBlock()
        if loose:
            self._rest_caret()
        self._lay_out()

    def _lay_out(self) -> None:
        """Everything around takes its new size now: one painting then, not one of the text, one of the list and one
        after scrolling."""
        for code in self._open_codes:
            code.moved()
        for code in self.codes[-NEWEST_CODES:]:
            code.place()
        # Qt tells the document's new size in a later turn.
        self._fit()
        lay_out_above(self)

    def _caret_is_loose(self) -> bool:
        """Nobody put the caret where it is: the text that is written anew took it along."""
        caret = self.textCursor()
        return not caret.hasSelection() and caret.position() >= self._closed_end.position()

    def _rest_caret(self) -> None:
        caret = self.textCursor()
        caret.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(caret)

    def _seal(self) -> None:
        """The code that was growing is complete: it stays as it stands."""
        if self._growing is not None:
            self._growing.seal()
            self._open_codes.remove(self._growing)
            self._closed_end.setPosition(self._growing.frame.lastPosition() + 1)
            self._growing = None

    def _drop_open(self, cursor: QTextCursor) -> None:
        drop_all(self._open_codes)
        # From the end on only: a long answer has many pieces that are final.
        while self.codes and self.codes[-1] in self._open_codes:
            self.codes.pop()
        self._open_codes = []
        self._growing = None
        self._formulas.forget_from(self._closed_end.position())
        end = self._closed_end.position()
        while self.quotes and self.quotes[-1].frame.firstPosition() > end:
            self.quotes.pop()
        cursor.setPosition(end)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _write(self, cursor: QTextCursor, units: Sequence[Unit], *, final: bool) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        writer = Writer(cursor, self.style_of_text, self._formulas)
        for unit in units:
            writer.write(unit)
        made = [CodeBlock(code, self, self._rendering, self.style_of_text) for code in writer.codes]
        self.codes += made
        self.quotes += [Quote(frame, self, self.style_of_text) for frame in writer.quotes]
        if final:
            self._closed_end.setPosition(cursor.position())
            for code in made:
                code.seal()
        else:
            self._open_codes = made

    # ---- the whole -------------------------------------------------------------------------------------------------

    def _compare(self) -> None:
        source = self._source
        shown = [*self._splitter.closed, *self._splitter.open_units()]

        def done(units: list[Unit] | None) -> None:
            if self._source == source and self._finishing:
                self._finishing = False
                self._compared(units)

        self._rendering.correct(source, shown, self, done)

    def _compared(self, units: list[Unit] | None) -> None:
        """`units` only if what is shown is not the same."""
        if units is not None:
            self._whole = True
            self._read(units)
            return
        self._splitter.end()
        self._whole = True
        for code in self._open_codes:
            code.seal()
        self._open_codes = []
        self._growing = None
        self._closed_end.movePosition(QTextCursor.MoveOperation.End)
        self.settled.emit()

    def _begin_anew(self, text: str) -> None:
        self._flush_timer.stop()
        self._whole = self._finishing = False
        self._waiting = ""
        self._source = text

    def _read(self, units: Sequence[Unit]) -> None:
        self._splitter = Splitter.of(units)
        self._write_all(units)

    def _write_all(self, units: Sequence[Unit]) -> None:
        """Everything anew: as much as a frame allows now, the rest in the next turns."""
        self._asleep = False
        self.hold_height(True)
        self._empty()
        self._queue = list(units)
        self._write_some()

    def _empty(self) -> None:
        drop_all(self.codes)
        self.codes, self.quotes, self._open_codes, self._growing = [], [], [], None
        self.style_of_text = TextStyle(self.palette(), self.font())
        self._formulas = self._new_formulas()
        self.clear()
        self.document().setIndentWidth(self.style_of_text.indent)
        self._closed_end = QTextCursor(self.document())
        self._closed_end.setKeepPositionOnInsert(True)

    def _write_some(self) -> None:
        until = time.perf_counter() + BUDGET_S
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        open_count = len(self._splitter.open_units())
        while self._queue and time.perf_counter() < until:
            final = len(self._queue) > open_count
            self._write(cursor, [self._queue.pop(0)], final=final)
        cursor.endEditBlock()
        self._rest_caret()
        self.contents_moved()
        if self._queue:
            self._write_timer.start()
            return
        if self._splitter.fence_open and self._open_codes:
            self._growing = self._open_codes[-1]
        self.hold_height(False)
        if self._waiting or self._finishing:
            self._flush_timer.start(0)
        else:
            self.settled.emit()

    # ---- formulas and pictures -------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = float(self.viewport().width())
        if room != self._formulas.width:
            self._formulas.width = room
            if self._formulas.count:
                self._formulas.refit()

    def _new_formulas(self) -> Formulas:
        made = Formulas(self.document(), self._rendering, self.style_of_text, self.devicePixelRatioF())
        made.width = float(self.viewport().width())
        return made

    def _formula_came(self) -> None:
        if not self._formula_timer.isActive():
            self._formula_timer.start()

    def _place_formulas(self) -> None:
        before = self._formulas.count
        if self._formulas.place_arrived():
            self._formula_timer.start()
        if self._formulas.count != before:
            self.contents_moved()
            self._lay_out()

    def _anchor_clicked(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        if not address.startswith(PICTURE_SCHEME):
            self.link_wanted.emit(url)
            return
        address = address.removeprefix(PICTURE_SCHEME)
        self._rendering.fetch(address, self, self.restyle, self.picture_failed.emit)

    def _timer(self, interval_ms: int, slot) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer
