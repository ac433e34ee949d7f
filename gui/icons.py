"""Line icons from `resources/icons`, drawn in the palette's colours. Call `retint` after a change of theme."""

from __future__ import annotations

import functools
from pathlib import Path

from PySide6.QtCore import QByteArray, QSize
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "icons"
INK = b"currentColor"
SIZE = 20
_NAME = "iconName"
_ROLE = "iconRole"


def set_icon(
    widget: QAbstractButton | QLabel, name: str, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText
) -> None:
    """Give a button or a label the icon `resources/icons/<name>.svg`, and remember it for `retint`."""
    widget.setProperty(_NAME, name)
    widget.setProperty(_ROLE, int(role.value))
    _draw(widget)


def retint(root: QWidget) -> None:
    """Draw every icon below `root` again in the present palette."""
    for kind in (QAbstractButton, QLabel):
        for widget in root.findChildren(kind):
            if widget.property(_NAME):
                _draw(widget)


def icon_of(name: str, palette: QPalette, role: QPalette.ColorRole, size: int = SIZE) -> QIcon:
    icon = QIcon()
    states = (
        (QIcon.Mode.Normal, QIcon.State.Off, palette.color(role)),
        (QIcon.Mode.Normal, QIcon.State.On, palette.color(QPalette.ColorRole.Accent)),
        (QIcon.Mode.Disabled, QIcon.State.Off, palette.color(QPalette.ColorGroup.Disabled, role)),
    )
    for mode, state, colour in states:
        for ratio in (1, 2, 3):
            icon.addPixmap(_pixmap(name, colour.name(), size, ratio), mode, state)
    return icon


def _draw(widget: QAbstractButton | QLabel) -> None:
    name = str(widget.property(_NAME))
    role = QPalette.ColorRole(int(widget.property(_ROLE)))
    if isinstance(widget, QLabel):
        widget.setPixmap(_pixmap(name, widget.palette().color(role).name(), SIZE, widget.devicePixelRatio()))
    else:
        widget.setIcon(icon_of(name, widget.palette(), role))
        widget.setIconSize(QSize(SIZE, SIZE))


@functools.cache
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    # Imported late: QtSvg is not needed for the first paint.
    from PySide6.QtSvg import QSvgRenderer

    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(QColor(0, 0, 0, 0))
    renderer = QSvgRenderer(QByteArray(_source(name).replace(INK, colour.encode())))
    painter = QPainter(picture)
    renderer.render(painter)
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


@functools.cache
def _source(name: str) -> bytes:
    return (FOLDER / f"{name}.svg").read_bytes()
