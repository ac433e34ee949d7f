"""What can be done with one message: small buttons in a row of their own below it, there when somebody is near.

`Question` and `Answer` each hold one as `tools`, the last thing of their layout, and tell it of the pointer; the page
wakes it when the keyboard focus comes into the message. Forty messages are alive at a time, so the buttons are
made only then; their room is there from the start, so that nothing jumps.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from gui.pages.chat.verbs import TOOL_VERBS, Verb
from gui.theme import STEP
from gui.widgets.buttons import icon_button
from gui.widgets.cards import row
from gui.widgets.texts import quiet

HEIGHT: Final = 28
INSET: Final = STEP
"""From the edge of a tool button to its picture: text that stands this far in is flush with the pictures below it."""

ICONS: Final = {
    Verb.COPY: "copy",
    Verb.EDIT: "edit",
    Verb.AGAIN: "again",
    Verb.GO_ON: "go-on",
    Verb.DELETE: "remove",
    Verb.OLDER: "older",
    Verb.NEWER: "newer",
}


class MessageTools(QWidget):
    """`wanted` with a `Verb`. `offer` says which verbs make sense now and which version of how many is shown.

    Args:
        at_end: on the side where a question's bubble stands.
    """

    wanted = Signal(object)

    def __init__(self, message: QWidget, *, at_end: bool = False) -> None:
        super().__init__(message)
        self.setObjectName("messageTools")
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._message = message
        self._of_question = at_end
        self._verbs: tuple[Verb, ...] = ()
        self._version = (1, 1)
        self._always = False
        self._near = False
        self._buttons: dict[Verb, QPushButton] = {}
        self._place: QLabel | None = None
        self._row = row(self, spacing=0)
        if at_end:
            self._row.addStretch(1)
        self._switch = QWidget(self)
        self._switch.hide()
        self._switch_row = row(self._switch, spacing=0)
        self._row.addWidget(self._switch)
        self._verb_row = QWidget(self)
        self._verb_row.hide()
        self._verb_line = row(self._verb_row, spacing=0)
        self._row.addWidget(self._verb_row)
        if not at_end:
            self._row.addStretch(1)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEIGHT)

    def offer(self, verbs: tuple[Verb, ...], *, version: int = 1, versions: int = 1, always: bool = False) -> None:
        """`version` counts from 1. With `always` the row is there without anybody near (the newest message)."""
        if (verbs, (version, versions), always) == (self._verbs, self._version, self._always):
            return
        self._verbs, self._version, self._always = verbs, (version, versions), always
        self._show_switch()
        self._arrange()

    def wake(self, near: bool = True) -> None:
        """Somebody came near with the pointer or the keyboard, or left."""
        self._near = near
        self._arrange()

    def left(self) -> None:
        """The pointer left the message: only the keyboard may keep them now."""
        self.wake(near=self._has_focus())

    def _has_focus(self) -> bool:
        focused = self.window().focusWidget()
        return focused is not None and self._message.isAncestorOf(focused)

    def _arrange(self) -> None:
        shown = bool(self._verbs) and (self._always or self._near)
        if shown:
            for verb in TOOL_VERBS:
                if verb in self._verbs or verb in self._buttons:
                    self._button(verb, self._verb_line).setVisible(verb in self._verbs)
        self._verb_row.setVisible(shown)

    def _show_switch(self) -> None:
        version, versions = self._version
        if versions > 1:
            older = self._button(Verb.OLDER, self._switch_row)
            if self._place is None:
                self._place = quiet(wrap=False)
                self._place.setObjectName("messageVersion")
                self._place.setAlignment(Qt.AlignmentFlag.AlignCenter)
                self._switch_row.addWidget(self._place)
            newer = self._button(Verb.NEWER, self._switch_row)
            self._place.setText(f"{version}/{versions}")
            self._place.setToolTip(self.tr("Version {number} of {count}").format(number=version, count=versions))
            older.setEnabled(version > 1)
            newer.setEnabled(version < versions)
        self._switch.setVisible(versions > 1)

    def _button(self, verb: Verb, line) -> QPushButton:
        if verb not in self._buttons:
            made = icon_button(ICONS[verb], f"message-{verb}", self._meaning(verb), self)
            made.setProperty("kind", "tool")
            made.setFixedSize(4 * STEP, HEIGHT)
            made.setProperty("verb", verb.value)
            made.clicked.connect(self._clicked)
            line.addWidget(made)
            self._buttons[verb] = made
            self._order()
        return self._buttons[verb]

    def _order(self) -> None:
        """Tab comes here from the lowest part of the message, though the buttons were made later than what follows."""
        before = self._lowest()
        for verb in (Verb.OLDER, Verb.NEWER, *TOOL_VERBS):
            if verb in self._buttons and before is not None:
                QWidget.setTabOrder(before, self._buttons[verb])
                before = self._buttons[verb]

    def _lowest(self) -> QWidget | None:
        """What takes the focus right above this row."""
        message = self._message
        found = [
            part
            for part in message.findChildren(QWidget)
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not self.isAncestorOf(part)
            and part.isVisibleTo(message)
        ]
        return max(found, key=lambda part: part.mapTo(message, part.rect().bottomLeft()).y(), default=None)

    def _clicked(self) -> None:
        self.wanted.emit(Verb(self.sender().property("verb")))

    def _meaning(self, verb: Verb) -> str:
        both, one = self.tr("Delete this question and its answer"), self.tr("Delete this answer")
        return {
            Verb.COPY: self.tr("Copy as Markdown"),
            Verb.EDIT: self.tr("Edit and send again"),
            Verb.AGAIN: self.tr("Write another answer"),
            Verb.GO_ON: self.tr("Continue this answer"),
            Verb.DELETE: both if self._of_question else one,
            Verb.OLDER: self.tr("Earlier version"),
            Verb.NEWER: self.tr("Later version"),
        }[verb]
