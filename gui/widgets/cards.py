"""Layout helpers: cards, rows and columns on the 8 px grid."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from gui.theme import STEP


def card(kind: str = "true", parent: QWidget | None = None) -> tuple[QFrame, QVBoxLayout]:
    frame = QFrame(parent)
    frame.setProperty("card", kind)
    layout = column(frame, spacing=STEP, margin=2 * STEP)
    return frame, layout


def column(parent: QWidget | None = None, *, spacing: int = STEP, margin: int = 0) -> QVBoxLayout:
    layout = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    layout.setContentsMargins(margin, margin, margin, margin)
    layout.setSpacing(spacing)
    return layout


def row(parent: QWidget | None = None, *, spacing: int = STEP) -> QHBoxLayout:
    layout = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    return layout
