"""A scroll area without a frame of its own, and what is inside it laid out at once."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolled(inside: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.viewport().setAutoFillBackground(False)
    area.setWidget(inside)
    inside.setAutoFillBackground(False)
    return area


def lay_out_above(widget: QWidget) -> None:
    """Give a widget that grew inside a scroll area its new place now. Left to itself Qt paints the old place first,
    then the new one, then once more after scrolling."""
    parent = widget.parentWidget()
    while parent is not None:
        if (layout := parent.layout()) is not None:
            layout.activate()
        above = parent.parentWidget()
        if above is not None and isinstance(above.parentWidget(), QScrollArea):
            QCoreApplication.sendEvent(parent, QEvent(QEvent.Type.LayoutRequest))
            return
        parent = above
