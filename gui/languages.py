"""The window's language: Qt's own texts and ours, from compiled catalogues."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QObject, QTranslator
from PySide6.QtWidgets import QApplication

FOLDER = Path(__file__).resolve().parent.parent / "resources" / "translations"


def speak(application: QApplication, language: str, owner: QObject) -> tuple[QTranslator, ...]:
    """Make the application speak "en" or "ru" for as long as `owner` lives, or until the translators that this gives
    are `silence`d. Texts already shown stay as they are."""
    qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    speaking: list[QTranslator] = []
    for name, folder in ((f"qtbase_{language}", qt_folder), (f"stowage_{language}", str(FOLDER))):
        translator = QTranslator(owner)
        if translator.load(name, folder):
            application.installTranslator(translator)
            speaking.append(translator)
    return tuple(speaking)


def silence(application: QApplication, speaking: Iterable[QTranslator]) -> None:
    for translator in speaking:
        application.removeTranslator(translator)
        translator.deleteLater()


def count_like(language: str) -> None:
    """Numbers in spin boxes and the like follow the language too. After the first paint: `QLocale` is slow to load."""
    from PySide6.QtCore import QLocale

    QLocale.setDefault(QLocale(QLocale.Language.Russian if language == "ru" else QLocale.Language.English))
