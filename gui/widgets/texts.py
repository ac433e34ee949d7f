"""Labels with a purpose: titles, headings, quiet lines. Wrapped, plain text, selectable where it is worth copying."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gui.theme import scaled_font


def plain(text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if wrap:
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        label.setSizePolicy(policy)
    return label


def title(text: str = "", parent: QWidget | None = None) -> QLabel:
    label = plain(text, parent)
    label.setFont(scaled_font(label.font(), 1.7, strong=True))
    return label


def heading(text: str = "", parent: QWidget | None = None) -> QLabel:
    label = plain(text, parent)
    label.setFont(scaled_font(label.font(), 1.12, strong=True))
    return label


def quiet(text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    return toned("quiet", text, parent, wrap=wrap)


def toned(tone: str, text: str = "", parent: QWidget | None = None, *, wrap: bool = True) -> QLabel:
    label = plain(text, parent, wrap=wrap)
    label.setProperty("tone", tone)
    return label


def selectable(label: QLabel) -> QLabel:
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Change a property that the style sheet looks at."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
