"""A command line, docker line or YAML that somebody found: what each flag becomes, before anything is taken over."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QGridLayout, QPlainTextEdit, QWidget

from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import heading, plain, quiet, selectable, set_property

REST_MS = 200
MOST_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class PastedLine:
    """`taken`: it has an effect here."""

    flag: str
    text: str
    taken: bool


class PasteFlags(QDialog):
    """`typed` with the text when the hand rests; `apply_wanted` for what was shown last. Deletes itself when closed."""

    typed = Signal(str)
    apply_wanted = Signal()

    def __init__(self, parent: QWidget, engine: str) -> None:
        super().__init__(parent)
        self.setObjectName("pasteDialog")
        self.setWindowTitle(self.tr("Paste flags"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumSize(84 * STEP, 70 * STEP)
        self._text = QPlainTextEdit()
        self._note = quiet(self.tr("Nothing is changed until you apply it."))
        self._grid = QGridLayout()
        self._apply = button(self.tr("Apply"), "applyPasteButton", kind="primary")
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self._rested)
        self._build(engine)

    def _build(self, engine: str) -> None:
        self._text.setObjectName("pasteText")
        self._text.setAccessibleName(self.tr("Flags that you found"))
        self._text.setPlaceholderText("vllm serve Qwen/Qwen3-8B --max-model-len 32k --swap-space 4")
        self._text.setFont(fixed_font())
        self._text.setTabChangesFocus(True)
        self._text.setFixedHeight(15 * STEP)
        self._text.textChanged.connect(self._rest.start)
        self._note.setObjectName("pasteNote")
        self._apply.setEnabled(False)
        self._apply.clicked.connect(self._give)
        cancel = button(self.tr("Cancel"), "cancelPasteButton")
        cancel.clicked.connect(self.reject)
        self._grid.setContentsMargins(0, 0, STEP, 0)
        self._grid.setHorizontalSpacing(2 * STEP)
        self._grid.setVerticalSpacing(STEP)
        self._grid.setColumnStretch(1, 1)
        inside = QWidget()
        body = column(inside)
        body.addLayout(self._grid)
        body.addStretch(1)
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addWidget(heading(self.tr("Flags from an article")))
        about = self.tr("A command, a script, a Compose file or YAML. Each flag is explained in terms of {engine}.")
        layout.addWidget(quiet(about.format(engine=engine)))
        layout.addWidget(self._text)
        layout.addWidget(scrolled(inside), 1)
        bottom = row()
        bottom.addWidget(self._note, 1)
        bottom.addWidget(self._apply)
        bottom.addWidget(cancel)
        layout.addLayout(bottom)

    def show_lines(self, lines: tuple[PastedLine, ...], note: str) -> None:
        self._clear()
        for place, line in enumerate(lines):
            flag, text = selectable(plain(line.flag)), selectable(plain(line.text))
            flag.setFont(fixed_font())
            text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
            flag.setFixedWidth(28 * STEP)
            flag.setObjectName(f"pastedFlag-{place}")
            text.setObjectName(f"pastedText-{place}")
            set_property(flag, "tone", "" if line.taken else "quiet")
            set_property(text, "tone", "" if line.taken else "quiet")
            self._grid.addWidget(flag, place, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(text, place, 1)
        self._note.setText(note)
        self._apply.setEnabled(any(line.taken for line in lines))

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _rested(self) -> None:
        self._apply.setEnabled(False)
        self.typed.emit(self._text.toPlainText()[:MOST_CHARACTERS])

    def _give(self) -> None:
        self.apply_wanted.emit()
        self.accept()
