"""Files for a message: what is taken and how it is prepared, in a thread."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QImageReader

from core.chat.tree import Attachment
from core.errors import AppError

LONGEST_SIDE: Final = 1536
"""Pixels. Larger pictures cost tokens and memory, and vision encoders shrink them anyway."""
MOST_IMAGE_BYTES: Final = 64 * 1024**2
MOST_TEXT_BYTES: Final = 1024**2
JPEG_QUALITY: Final = 88


def prepare_file(path: str, pictures: bool, model: str) -> Attachment:
    """Read a file. Runs in a thread.

    Args:
        pictures: whether the running `model` sees pictures.

    Raises:
        AppError: `chat.no_images`, `chat.file_too_large`, `chat.file_unreadable`.
    """
    place = Path(path)
    try:
        looks_like_picture = bool(QImageReader.imageFormat(path))
        if looks_like_picture and not pictures:
            raise AppError("chat.no_images", model=model)
        most = MOST_IMAGE_BYTES if looks_like_picture else MOST_TEXT_BYTES
        if (size := place.stat().st_size) > most:
            raise AppError("chat.file_too_large", name=place.name, size_bytes=size, limit_bytes=most)
        data = place.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("chat.file_unreadable", str(error), name=place.name, reason=reason) from error
    return prepare_picture(data, place.name) if looks_like_picture else _text_of(data, place.name)


def prepare_picture(picture: bytes | QImage, name: str) -> Attachment:
    """Shrink a picture to `LONGEST_SIDE` and encode it: JPEG, or PNG where it has see-through parts. Runs in a thread.

    Raises:
        AppError: `chat.file_unreadable` for bytes that are no picture.
    """
    image = picture if isinstance(picture, QImage) else _decoded(picture)
    if image.isNull():
        raise AppError("chat.file_unreadable", name=name, reason=None)
    if max(image.width(), image.height()) > LONGEST_SIDE:
        image = image.scaled(
            LONGEST_SIDE,
            LONGEST_SIDE,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    kind = "PNG" if image.hasAlphaChannel() else "JPEG"
    encoded = QByteArray()
    buffer = QBuffer(encoded)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind, -1 if kind == "PNG" else JPEG_QUALITY)  # pyright: ignore[reportArgumentType, reportCallIssue]
    buffer.close()
    return Attachment("image", name, f"image/{kind.lower()}", bytes(encoded.data()))


def _decoded(data: bytes) -> QImage:
    """Turned as the camera says."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    return reader.read()


def _text_of(data: bytes, name: str) -> Attachment:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise AppError("chat.file_unreadable", str(error), name=name, reason=None) from error
    if "\0" in text:
        raise AppError("chat.file_unreadable", "a NUL byte", name=name, reason=None)
    return Attachment("text", name, "text/plain", text.encode())
