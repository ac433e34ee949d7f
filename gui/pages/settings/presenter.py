"""What the Settings page does."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.events import ErrorInfo
from core.settings import Settings
from gui.desk import Desk
from gui.first_look import window_language
from gui.pages.settings.page import SettingsPage


class SettingsPresenter(QObject):
    theme_chosen = Signal(str)
    language_chosen = Signal(str)

    def __init__(self, page: SettingsPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        page.changed.connect(self._change)
        page.show_settings(desk.services.settings.current)

    def refresh(self) -> None:
        """Settings may have changed elsewhere (the remembered answer of the close question)."""
        self._page.show_settings(self._desk.services.settings.current)

    def _change(self, name: str, value: object) -> None:
        self._page.banner.dismiss()
        self._desk.bridge.call(
            self._desk.services.change_settings, owner=self, done=self._changed, failed=self._failed, **{name: value}
        )

    def _changed(self, settings: Settings) -> None:
        self._page.show_settings(settings)
        self._page.show_language_comes(window_language(settings.language) != self._desk.speech.language)
        self.theme_chosen.emit(settings.theme)
        self.language_chosen.emit(settings.language)

    def _failed(self, error: ErrorInfo) -> None:
        self._page.show_settings(self._desk.services.settings.current)
        self._page.banner.show_words(self._desk.speech.explain(error))
