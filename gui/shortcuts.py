"""Every shortcut of the window, said once: the keys that work are the keys that the list shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

WINDOW: Final = {
    "pages": ("Ctrl+1", "Ctrl+5"),
    "shortcuts": ("Ctrl+/",),
}
CHAT: Final = {
    "send": ("Return",),
    "new_line": ("Shift+Return",),
    "stop": ("Esc",),
    "new": ("Ctrl+N",),
    "search": ("Ctrl+F", "Ctrl+K"),
    "sidebar": ("Ctrl+B",),
    "controls": ("Ctrl+.",),
    "attach": ("Ctrl+U",),
    "write": ("Ctrl+L",),
    "edit_last": ("Ctrl+E",),
    "again": ("Ctrl+R",),
    "copy_last": ("Ctrl+Shift+C",),
    "previous": ("Alt+Up",),
    "next": ("Alt+Down",),
    "larger": ("Ctrl++", "Ctrl+="),
    "smaller": ("Ctrl+-",),
    "usual_size": ("Ctrl+0",),
}
LIST: Final = {
    "rename": ("F2",),
    "delete": ("Del",),
    "menu": ("Shift+F10",),
}


def add(owner: QWidget, name: str, action: Callable[[], object]) -> None:
    """Make the shortcut `name` work while `owner` is on the screen."""
    for keys in (WINDOW | CHAT)[name]:
        shortcut = QShortcut(QKeySequence(keys), owner)
        shortcut.setObjectName(f"shortcut-{name}")
        shortcut.activated.connect(action)


def keys_text(keys: tuple[str, ...]) -> str:
    """As they stand on this computer's keyboard."""
    joint = " … " if keys == WINDOW["pages"] else "   "
    return joint.join(QKeySequence(one).toString(QKeySequence.SequenceFormat.NativeText) for one in keys)


def groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Headings with (what it does, keys)."""
    words = _words()
    return [
        (heading, [(words[name], keys_text(keys)) for name, keys in table.items()])
        for heading, table in (
            (QCoreApplication.translate("Shortcuts", "Everywhere"), WINDOW),
            (QCoreApplication.translate("Shortcuts", "Chat"), CHAT),
            (QCoreApplication.translate("Shortcuts", "In the list of conversations"), LIST),
        )
    ]


def _words() -> dict[str, str]:
    return {
        "pages": QCoreApplication.translate("Shortcuts", "Go to a page"),
        "shortcuts": QCoreApplication.translate("Shortcuts", "This list"),
        "send": QCoreApplication.translate("Shortcuts", "Send the message"),
        "new_line": QCoreApplication.translate("Shortcuts", "New line in the message"),
        "stop": QCoreApplication.translate("Shortcuts", "Stop the answer"),
        "new": QCoreApplication.translate("Shortcuts", "New conversation"),
        "search": QCoreApplication.translate("Shortcuts", "Search conversations"),
        "sidebar": QCoreApplication.translate("Shortcuts", "Show or hide the conversations"),
        "controls": QCoreApplication.translate("Shortcuts", "System prompt and sampling"),
        "attach": QCoreApplication.translate("Shortcuts", "Attach files"),
        "write": QCoreApplication.translate("Shortcuts", "Write a message"),
        "edit_last": QCoreApplication.translate("Shortcuts", "Edit your last message"),
        "again": QCoreApplication.translate("Shortcuts", "Write another answer"),
        "copy_last": QCoreApplication.translate("Shortcuts", "Copy the last answer"),
        "previous": QCoreApplication.translate("Shortcuts", "Conversation above"),
        "next": QCoreApplication.translate("Shortcuts", "Conversation below"),
        "larger": QCoreApplication.translate("Shortcuts", "Larger text"),
        "smaller": QCoreApplication.translate("Shortcuts", "Smaller text"),
        "usual_size": QCoreApplication.translate("Shortcuts", "Usual text size"),
        "rename": QCoreApplication.translate("Shortcuts", "Rename"),
        "delete": QCoreApplication.translate("Shortcuts", "Delete"),
        "menu": QCoreApplication.translate("Shortcuts", "More"),
    }
