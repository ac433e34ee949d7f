"""Fields inside a page that scrolls: the wheel turns them only when they have the focus, else the page scrolls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSlider, QSpinBox, QWidget

_FOCUS = Qt.FocusPolicy.StrongFocus


def _wheel(widget: QWidget, event: QWheelEvent) -> bool:
    if widget.hasFocus():
        return True
    event.ignore()
    return False


class CalmSlider(QSlider):
    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setFocusPolicy(_FOCUS)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if _wheel(self, event):
            super().wheelEvent(event)


class CalmSpinBox(QSpinBox):
    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(_FOCUS)

    def setValue(self, value: int) -> None:
        """Into its range first: a number beyond 32 bits (of a paste, of a profile) is an OverflowError to Qt."""
        super().setValue(max(self.minimum(), min(value, self.maximum())))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if _wheel(self, event):
            super().wheelEvent(event)


class CalmDoubleSpinBox(QDoubleSpinBox):
    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(_FOCUS)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if _wheel(self, event):
            super().wheelEvent(event)


class CalmComboBox(QComboBox):
    """With `shrinks` it may become narrower than its longest choice."""

    def __init__(self, *, shrinks: bool = False) -> None:
        super().__init__()
        self.setFocusPolicy(_FOCUS)
        if shrinks:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(8)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if _wheel(self, event):
            super().wheelEvent(event)
