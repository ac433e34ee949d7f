"""The files that go with a message, as chips that can be taken away again."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt, Signal
from PySide6.QtGui import QImageReader, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from core.chat.tree import Attachment
from core.words import show_bytes
from gui.icons import set_icon
from gui.theme import STEP
from gui.widgets.buttons import icon_button
from gui.widgets.cards import row
from gui.widgets.texts import plain

THUMB = 28
LONGEST_NAME = 22


class AttachmentRow(QWidget):
    """Hidden while there is nothing. `changed` when one was taken away."""

    changed = Signal()

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._chips: list[Chip] = []
        self._row = row(self, spacing=STEP // 2)
        self._row.addStretch(1)
        self.setObjectName("attachments")
        self.setAccessibleName(self.tr("Attachments"))
        self.hide()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(chip.attachment for chip in self._chips)

    def show_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        if attachments == self.attachments:
            return
        for chip in self._chips:
            self._drop(chip)
        self._chips = []
        for attachment in attachments:
            self.add(attachment)
        self.setVisible(bool(self._chips))

    def add(self, attachment: Attachment) -> None:
        chip = Chip(attachment, self._language, self)
        chip.removed.connect(self._removed)
        self._row.insertWidget(len(self._chips), chip)
        self._chips.append(chip)
        self.show()

    def _removed(self) -> None:
        chip = self.sender()
        assert isinstance(chip, Chip)
        self._chips.remove(chip)
        self._drop(chip)
        self.setVisible(bool(self._chips))
        self.changed.emit()

    def _drop(self, chip: Chip) -> None:
        self._row.removeWidget(chip)
        chip.hide()
        chip.deleteLater()


class Attached(QFrame):
    """One attachment: its picture or a sign, and its name."""

    def __init__(self, attachment: Attachment, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self.setObjectName("attachmentChip")
        self.setProperty("card", "chip")
        self.setToolTip(f"{attachment.name}\n{show_bytes(len(attachment.data), language)}")
        sign = QLabel()
        if attachment.kind == "image":
            sign.setPixmap(thumbnail(attachment.data, self.devicePixelRatio()))
        else:
            set_icon(sign, "text", QPalette.ColorRole.PlaceholderText)
        self.line = row(self, spacing=STEP // 2)
        self.line.setContentsMargins(STEP, STEP // 2, STEP, STEP // 2)
        self.line.addWidget(sign)
        self.line.addWidget(plain(shortened(attachment.name), wrap=False))
        self.setAccessibleName(attachment.name)


class Chip(Attached):
    """An attachment that can still be taken away."""

    removed = Signal()

    def __init__(self, attachment: Attachment, language: str, parent: QWidget) -> None:
        super().__init__(attachment, language, parent)
        away = icon_button("close", "removeAttachment", self.tr("Remove {name}").format(name=attachment.name), self)
        away.setProperty("kind", "tool")
        away.setFixedSize(3 * STEP, 3 * STEP)
        away.clicked.connect(self.removed)
        self.line.setContentsMargins(STEP, STEP // 2, STEP // 2, STEP // 2)
        self.line.addWidget(away)


def shortened(name: str) -> str:
    """The end of a file's name says what it is: the middle goes."""
    if len(name) <= LONGEST_NAME:
        return name
    half = (LONGEST_NAME - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def thumbnail(data: bytes, ratio: float) -> QPixmap:
    """Read at thumbnail size: JPEG decodes only what that needs."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    side = round(THUMB * ratio)
    size = reader.size().scaled(QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio)
    reader.setScaledSize(size.expandedTo(QSize(1, 1)))
    picture = QPixmap.fromImage(reader.read())
    picture.setDevicePixelRatio(ratio)
    return picture
