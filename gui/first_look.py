"""The three settings that the first paint needs, read with Qt alone.

`core.settings` owns and judges the file, but importing it costs a seventh of a cold start (measured: 16 of 107 ms).
A file that cannot be read is simply no answer here; `core.settings` reports it a moment later.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QFile, QIODevice, QJsonDocument

LANGUAGES = ("en", "ru")


class FirstLook(NamedTuple):
    language: str = "system"
    theme: str = "system"
    window_geometry: str = ""


def first_look(path: Path) -> FirstLook:
    """Language, theme and window geometry as the settings file has them; defaults where it has not."""
    file = QFile(str(path))
    if not file.open(QIODevice.OpenModeFlag.ReadOnly):
        return FirstLook()
    content = QJsonDocument.fromJson(file.readAll()).toVariant()
    file.close()
    if not isinstance(content, dict):
        return FirstLook()
    return FirstLook(
        str(content.get("language", "system")),
        str(content.get("theme", "system")),
        str(content.get("window_geometry", "")),
    )


def window_language(setting: str) -> str:
    """ "en" or "ru": the setting, else the system's own language, by the rule of `core.words.resolve_language`."""
    if setting in LANGUAGES:
        return setting
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "ru" if value.lower().startswith("ru") else "en"
    return "en"
