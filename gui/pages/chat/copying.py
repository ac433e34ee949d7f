"""A selection as plain text: formulas as their source, marks of lists, line ends as line ends."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextCursor

from gui.pages.chat.text_style import FORMULA


def selected_text(cursor: QTextCursor) -> str:
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    block = document.findBlock(start)
    lines: list[str] = []
    while block.isValid() and block.position() < end:
        lines.append(_mark(block, start) + _text(block, start, end))
        block = block.next()
    return "\n".join(lines).replace("\u2028", "\n").replace("\u200b", "").replace("\u00a0", " ")


def _mark(block: QTextBlock, start: int) -> str:
    marks = block.textList()
    if marks is None or block.position() < start:
        return ""
    shown = marks.itemText(block)
    return f"{shown or '•'} "


def _text(block: QTextBlock, start: int, end: int) -> str:
    parts: list[str] = []
    pieces = block.begin()
    while not pieces.atEnd():
        fragment = pieces.fragment()
        begin = fragment.position()
        # Positions count UTF-16 units.
        units = fragment.text().encode("utf-16-le")
        part = units[2 * max(0, start - begin) : 2 * max(0, end - begin)].decode("utf-16-le", "replace")
        form = fragment.charFormat()
        if form.isImageFormat():
            part = str(form.property(FORMULA) or "") * len(part)
        parts.append(part)
        pieces += 1
    return "".join(parts)
