"""Buttons that say verbs. Every one has an object name for tests and a tooltip or text for a screen reader."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gui.icons import set_icon
from gui.theme import STEP


def button(text: str, name: str, *, kind: str = "", icon: str = "", parent: QWidget | None = None) -> QPushButton:
    made = QPushButton(text, parent)
    made.setObjectName(name)
    made.setAccessibleName(text)
    made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    made.setAutoDefault(False)
    if kind:
        made.setProperty("kind", kind)
    if icon:
        set_icon(made, icon)
    return made


def icon_button(icon: str, name: str, meaning: str, parent: QWidget | None = None) -> QPushButton:
    """A button with a picture only; `meaning` is its tooltip and its accessible name."""
    made = button("", name, kind="icon", icon=icon, parent=parent)
    made.setFixedWidth(5 * STEP)
    made.setToolTip(meaning)
    made.setAccessibleName(meaning)
    return made


def retext(made: QPushButton, text: str) -> None:
    made.setText(text)
    made.setAccessibleName(text)
