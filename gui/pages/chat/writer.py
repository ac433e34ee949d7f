"""Units into a QTextDocument, token by token. No HTML is involved, so nothing that a model writes can become any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrame,
    QTextLength,
    QTextListFormat,
    QTextTableFormat,
)

from gui.pages.chat.formulas import Formulas
from gui.pages.chat.inline_writer import write_formula, write_inline
from gui.pages.chat.maths_rules import BLOCK
from gui.pages.chat.text_style import FIXED, TextStyle
from gui.pages.chat.units import Unit
from gui.theme import STEP

BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
TASKS = {
    "[ ] ": QTextBlockFormat.MarkerType.Unchecked,
    "[x] ": QTextBlockFormat.MarkerType.Checked,
    "[X] ": QTextBlockFormat.MarkerType.Checked,
}


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code in the document and its frame."""

    frame: QTextFrame
    source: str
    language: str


@dataclass(slots=True)
class _Item:
    """The list item that is being written: its first block carries the mark."""

    style: QTextListFormat.Style
    number: int
    begun: bool = False


class Writer:
    """Appends at the end of the document. `codes` and `quotes` are what the view paints and adds buttons to."""

    def __init__(self, cursor: QTextCursor, style: TextStyle, formulas: Formulas) -> None:
        self._cursor = cursor
        self._style = style
        self._formulas = formulas
        self._items: list[_Item] = []
        self._lists: list[tuple[bool, int]] = []
        self._quotes: list[QTextFrame] = []
        self.codes: list[Code] = []
        self.quotes: list[QTextFrame] = []

    def write(self, unit: Unit) -> None:
        if unit.in_list:
            self._lists.append((unit.in_list.startswith("ordered"), unit.number))
        self._tokens(unit.tokens)
        self._lists.clear()
        self._items.clear()

    # ---- blocks ----------------------------------------------------------------------------------------------------

    def _tokens(self, tokens: Sequence[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "table_open":
                end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
                self._table(tokens[at : end + 1])
                at = end
            elif token.type == "inline":
                self._paragraph(tokens[at - 1] if at else token, token)
            else:
                self._token(token)
            at += 1

    def _token(self, token: Token) -> None:
        write = {
            "bullet_list_open": self._open_list,
            "ordered_list_open": self._open_list,
            "bullet_list_close": self._close_list,
            "ordered_list_close": self._close_list,
            "list_item_open": self._open_item,
            "list_item_close": self._close_item,
            "blockquote_open": self._open_quote,
            "blockquote_close": self._close_quote,
            "fence": self._code,
            "code_block": self._code,
            "hr": self._rule,
            BLOCK: self._formula,
        }.get(token.type)
        if write is not None:
            write(token)

    def _open_list(self, token: Token) -> None:
        start = token.attrGet("start")
        self._lists.append((token.type == "ordered_list_open", 1 if start is None else int(start)))

    def _close_list(self, _token: Token) -> None:
        self._lists.pop()

    def _open_item(self, _token: Token) -> None:
        ordered, number = self._lists[-1]
        style = QTextListFormat.Style.ListDecimal if ordered else BULLETS[min(len(self._lists), len(BULLETS)) - 1]
        self._items.append(_Item(style, number))
        self._lists[-1] = (ordered, number + 1)

    def _close_item(self, _token: Token) -> None:
        if not self._items[-1].begun:
            self._begin(self._style.paragraph(below=STEP // 2))
        self._items.pop()

    def _open_quote(self, _token: Token) -> None:
        self._mark_item()
        frame = self._cursor.insertFrame(self._style.quote_frame(self._margin()))
        self._quotes.append(frame)
        self.quotes.append(frame)
        self._hide_line()

    def _close_quote(self, _token: Token) -> None:
        frame = self._quotes.pop()
        self._cursor.setPosition(frame.lastPosition() + 1)
        self._hide_line()

    def _paragraph(self, before: Token, inline: Token) -> None:
        marks: tuple[str, ...] = ()
        # Margins of neighbours do not add up: the larger one holds.
        form = self._style.paragraph(below=STEP // 2) if self._items else self._style.paragraph(above=STEP)
        if before.type == "heading_open":
            marks = (before.tag,)
            form = self._style.paragraph(above=STEP, below=STEP // 2 + 2)
            form.setHeadingLevel(int(before.tag[1:]))
        children = list(inline.children or ())
        self._begin(form, self._style.characters(marks), self._task(children))
        write_inline(self._cursor, children, self._style, self._formulas, marks)

    def _task(self, children: list[Token]) -> QTextBlockFormat.MarkerType:
        """The box of a task, taken off the item's text."""
        first = children[0] if children else None
        if not self._items or self._items[-1].begun or first is None or first.content[:4] not in TASKS:
            return QTextBlockFormat.MarkerType.NoMarker
        children[0] = first.copy(content=first.content[4:])
        return TASKS[first.content[:4]]

    def _begin(
        self,
        form: QTextBlockFormat,
        characters: QTextCharFormat | None = None,
        marker: QTextBlockFormat.MarkerType = QTextBlockFormat.MarkerType.NoMarker,
    ) -> None:
        """A block to write into: the present one if it is empty, else a new one."""
        first_of_item = bool(self._items) and not self._items[-1].begun
        if self._items and not first_of_item:
            form.setIndent(len(self._items))
        form.setMarker(marker)
        characters = characters or QTextCharFormat()
        block = self._cursor.block()
        if block.length() > 1:
            self._cursor.insertBlock(form, characters)
        if (marks := self._cursor.block().textList()) is not None:
            # What stood here may have been a list: its empty line would keep the mark.
            marks.remove(self._cursor.block())
        self._cursor.setBlockFormat(form)
        self._cursor.setBlockCharFormat(self._style.bullet(characters) if self._has_bullet(form) else characters)
        self._cursor.setCharFormat(characters)
        if first_of_item:
            self._make_item()
        elif not self._cursor.position():
            form.setTopMargin(0)
            self._cursor.setBlockFormat(form)

    def _has_bullet(self, form: QTextBlockFormat) -> bool:
        """Whether a mark that is not a number stands before the block that is begun."""
        first_of_item = bool(self._items) and not self._items[-1].begun
        ticked = form.marker() is not QTextBlockFormat.MarkerType.NoMarker
        return first_of_item and (ticked or self._items[-1].style is not QTextListFormat.Style.ListDecimal)

    def _make_item(self) -> None:
        item = self._items[-1]
        item.begun = True
        form = QTextListFormat()
        form.setStyle(item.style)
        form.setIndent(len(self._items))
        form.setStart(item.number)
        self._cursor.createList(form)

    def _mark_item(self) -> None:
        """An item that begins with a frame (code, a quotation) has its mark on a line of its own."""
        if self._items and not self._items[-1].begun:
            self._begin(self._style.paragraph(below=0))

    def _margin(self) -> float:
        return len(self._items) * self._style.indent

    def _hide_line(self) -> None:
        """The empty line that Qt keeps beside a frame; the next block takes it over."""
        block, characters = self._style.nothing()
        if self._cursor.block().length() <= 1:
            self._cursor.setBlockFormat(block)
            self._cursor.setBlockCharFormat(characters)

    def _code(self, token: Token) -> None:
        self._mark_item()
        self._hide_line()
        source = token.content.removesuffix("\n")
        frame = self._cursor.insertFrame(self._style.code_frame(self._margin()))
        form = QTextBlockFormat()
        form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._cursor.setBlockFormat(form)
        self._cursor.setBlockCharFormat(self._style.characters(FIXED))
        self._cursor.insertText(source, self._style.characters(FIXED))
        self._cursor.setPosition(frame.lastPosition() + 1)
        self._hide_line()
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        self.codes.append(Code(frame, source, language))

    def _rule(self, _token: Token) -> None:
        form = QTextBlockFormat()
        form.setTopMargin(STEP)
        form.setBottomMargin(1.5 * STEP)
        form.setBackground(self._style.line)
        whole = QTextLength(QTextLength.Type.PercentageLength, 100)
        form.setProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth, whole)
        _block, low = self._style.nothing()
        self._begin(form, low)
        # An empty block would be taken over by the next one.
        self._cursor.insertText("\u200b", low)

    def _formula(self, token: Token) -> None:
        form = self._style.paragraph(above=STEP // 2, below=STEP + STEP // 2)
        if not token.hidden:
            form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._begin(form)
        if token.hidden:
            self._cursor.insertText(token.markup.replace("\n", "\u2028"), self._style.characters(FIXED))
        else:
            write_formula(self._cursor, token, self._style, self._formulas)

    # ---- tables ----------------------------------------------------------------------------------------------------

    def _table(self, tokens: Sequence[Token]) -> None:
        self._mark_item()
        self._hide_line()
        rows: list[list[tuple[Token, Token]]] = []
        for number, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append((tokens[number - 1], token))
        columns = max(len(row) for row in rows)
        table = self._cursor.insertTable(len(rows), columns, self._table_form())
        for row, cells in enumerate(rows):
            for column, (opening, inline) in enumerate(cells):
                self._cell(table.cellAt(row, column).firstCursorPosition(), opening, inline)
        self._cursor.setPosition(table.lastPosition() + 1)
        self._hide_line()

    def _table_form(self) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderBrush(self._style.line)
        form.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderCollapse(True)
        form.setCellPadding(STEP * 0.75)
        form.setCellSpacing(0)
        form.setHeaderRowCount(1)
        form.setLeftMargin(self._margin())
        form.setTopMargin(STEP // 2)
        form.setBottomMargin(STEP + STEP // 2)
        return form

    def _cell(self, cursor: QTextCursor, opening: Token, inline: Token) -> None:
        style = str(opening.attrGet("style") or "")
        form = QTextBlockFormat()
        if "right" in style:
            form.setAlignment(Qt.AlignmentFlag.AlignRight)
        elif "center" in style:
            form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        cursor.setBlockFormat(form)
        marks = ("strong",) if opening.type == "th_open" else ()
        write_inline(cursor, inline.children or (), self._style, self._formulas, marks)
