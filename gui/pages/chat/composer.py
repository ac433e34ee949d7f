"""Where a message is written: its text, its attachments, how full the context is, and the one button that sends."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from core.chat.tree import Attachment
from gui.pages.chat.attachment_row import AttachmentRow
from gui.pages.chat.context_button import ContextButton
from gui.pages.chat.message_input import MessageInput
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button, retext
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import set_property


class Composer(QWidget):
    """`sent` with the text; `stop_wanted` while an answer is being written; `edited` when the draft is another;
    `files_given` (paths) and `picture_given` (a `QImage`) when something is attached; `edit_ended` when the change of
    an earlier message is given up."""

    sent = Signal(str)
    stop_wanted = Signal()
    edited = Signal()
    edit_ended = Signal()
    files_given = Signal(object)
    picture_given = Signal(object)
    controls_wanted = Signal(bool)

    def __init__(self, language: str) -> None:
        super().__init__()
        self._input = MessageInput()
        self._chips = AttachmentRow(language)
        self.context = ContextButton(language)
        self._attach = icon_button("attach", "attachButton", self.tr("Attach files (Ctrl+U)"))
        self.controls = icon_button("sliders", "controlsButton", self.tr("System prompt and sampling (Ctrl+.)"))
        self._send = button(self.tr("Send"), "sendButton", kind="primary")
        self._stop = button(self.tr("Stop"), "stopAnswerButton", icon="stop")
        self._editing = QFrame()
        self._editing_text = OneLine("quiet")
        self._ready = False
        self._answering = False
        self._quiet = False
        self._build()
        self._connect()
        self._arrange()

    def _build(self) -> None:
        self._stop.setToolTip(self.tr("Stop the answer (Esc)"))
        self._stop.hide()
        for small in (self._attach, self.controls):
            small.setProperty("kind", "tool")
            small.setFixedSize(4 * STEP, 4 * STEP)
        self.controls.setCheckable(True)
        self._frame = QFrame()
        self._frame.setProperty("card", "composer")
        inside = column(self._frame, spacing=STEP // 2)
        inside.setContentsMargins(STEP, STEP, STEP, STEP)
        inside.addWidget(self._editing_row())
        inside.addWidget(self._chips)
        inside.addWidget(self._input)
        foot = row(spacing=STEP // 2)
        foot.addWidget(self._attach)
        foot.addWidget(self.controls)
        foot.addWidget(self.context)
        foot.addStretch(1)
        foot.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        foot.addWidget(self._stop, 0, Qt.AlignmentFlag.AlignBottom)
        inside.addLayout(foot)
        column(self).addWidget(self._frame)

    def _editing_row(self) -> QFrame:
        self._editing.setObjectName("editingBar")
        line = row(self._editing, spacing=STEP // 2)
        line.setContentsMargins(STEP // 2, 0, 0, 0)
        self._editing_text.set_full_text(self.tr("You are changing an earlier message: sending makes a new version."))
        cancel = button(self.tr("Cancel"), "cancelEditButton", kind="small")
        cancel.clicked.connect(self.edit_ended)
        line.addWidget(self._editing_text, 1)
        line.addWidget(cancel)
        self._editing.hide()
        return self._editing

    def _connect(self) -> None:
        self._input.submitted.connect(self._submit)
        self._input.cancelled.connect(self._escape)
        self._input.textChanged.connect(self._text_changed)
        self._input.focused.connect(self._focused)
        self._input.files_given.connect(self.files_given)
        self._input.picture_given.connect(self.picture_given)
        self._chips.changed.connect(self._draft_changed)
        self._send.clicked.connect(self._submit)
        self._stop.clicked.connect(self.stop_wanted)
        self._attach.clicked.connect(self.choose_files)
        self.controls.toggled.connect(self.controls_wanted)

    # ---- snapshots -------------------------------------------------------------------------------------------------

    def show_state(self, *, ready: bool, answering: bool) -> None:
        self._ready, self._answering = ready, answering
        self._arrange()

    def show_draft(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """Put a kept draft into the field; it does not count as an edit."""
        self._quiet = True
        if text != self._input.toPlainText():
            self._input.setPlainText(text)
            self._input.moveCursor(self._input.textCursor().MoveOperation.End)
        self._chips.show_attachments(attachments)
        self._quiet = False
        self._arrange()

    def show_editing(self, editing: bool) -> None:
        self._editing.setVisible(editing)
        retext(self._send, self.tr("Send again") if editing else self.tr("Send"))

    def add_attachment(self, attachment: Attachment) -> None:
        self._chips.add(attachment)
        self._draft_changed()

    @property
    def text(self) -> str:
        return self._input.toPlainText()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return self._chips.attachments

    @property
    def editing(self) -> bool:
        return not self._editing.isHidden()

    # ---- hands -----------------------------------------------------------------------------------------------------

    def focus(self) -> None:
        self._input.setFocus()

    def choose_files(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Attach files"))
        dialog.setObjectName("attachDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.open()

    def take(self, given: QMimeData) -> None:
        """What was dropped beside the field."""
        self._input.insertFromMimeData(given)

    def _files_chosen(self, paths: list[str]) -> None:
        self.files_given.emit(tuple(paths))

    def _text_changed(self) -> None:
        self._arrange()
        self._draft_changed()

    def _draft_changed(self) -> None:
        if not self._quiet:
            self.edited.emit()
        self._arrange()

    def _arrange(self) -> None:
        self._send.setVisible(not self._answering)
        self._stop.setVisible(self._answering)
        self._send.setEnabled(self._ready and self._something())

    def _something(self) -> bool:
        return bool(self.text.strip() or self.attachments)

    def _submit(self) -> None:
        if self._ready and not self._answering and self._something():
            self.sent.emit(self.text.strip())

    def _escape(self) -> None:
        if self._answering:
            self.stop_wanted.emit()
        elif self.editing:
            self.edit_ended.emit()

    def _focused(self, focused: bool) -> None:
        set_property(self._frame, "focused", "true" if focused else "false")
