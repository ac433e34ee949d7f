"""Settings: few choices, each in force at once."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QWidget

from core.paths import Paths
from core.settings import Settings
from core.version import __version__
from gui.pages.frame import PageFrame
from gui.pages.settings.account_section import AccountSection
from gui.pages.settings.hub_section import HubSection
from gui.pages.settings.parts import ChoiceBox, breakable, grid_card
from gui.theme import STEP
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column
from gui.widgets.texts import heading, plain, quiet, selectable


class SettingsPage(QWidget):
    changed = Signal(str, object)

    def __init__(self, paths: Paths) -> None:
        super().__init__()
        frame = PageFrame(self.tr("Settings"), "", scrolls=True)
        self.banner = frame.banner
        system = self.tr("Like the system")
        self._language = ChoiceBox(
            "language", self.tr("Language"), (("system", system), ("en", "English"), ("ru", "Русский"))
        )
        self._theme = ChoiceBox(
            "theme",
            self.tr("Appearance"),
            (("system", system), ("light", self.tr("Light")), ("dark", self.tr("Dark"))),
        )
        self._close = ChoiceBox(
            "keep_server_on_close",
            self.tr("When Stowage is closed"),
            (
                ("ask", self.tr("Ask what happens to the server")),
                ("stop", self.tr("Stop the server")),
                ("keep", self.tr("Keep the server running")),
            ),
        )
        self._comes = quiet(self.tr("The language changes as soon as what is running has ended."))
        self._comes.setObjectName("languageComes")
        self._comes.hide()
        for box in (self._language, self._theme, self._close):
            box.picked.connect(self._picked)
        frame.body.addWidget(self._choices())
        self.hub = HubSection()
        self.account = AccountSection()
        frame.body.addWidget(self.hub)
        frame.body.addWidget(self.account)
        frame.body.addWidget(self._folders(paths))
        frame.body.addWidget(self._about())
        frame.body.addStretch(1)
        self.hub.changed.connect(self.changed)
        column(self).addWidget(frame)

    def _choices(self) -> QFrame:
        card, grid = grid_card(self.tr("Behaviour"))
        lines = (
            (self.tr("Language"), self._language),
            (self.tr("Appearance"), self._theme),
            (self.tr("When Stowage is closed"), self._close),
        )
        for place, (words, box) in enumerate(lines):
            grid.addWidget(quiet(words, wrap=False), place, 0)
            grid.addWidget(box, place, 1)
        grid.addWidget(self._comes, len(lines), 0, 1, 3)
        grid.setColumnStretch(2, 1)
        return card

    def _folders(self, paths: Paths) -> QFrame:
        card, grid = grid_card(self.tr("Folders"))
        folders = (
            ("config", self.tr("Settings"), paths.config),
            ("engines", self.tr("Engines"), paths.engines),
            ("models", self.tr("Models made here"), paths.models),
            ("logs", self.tr("Logs"), paths.logs),
        )
        for place, (name, words, folder) in enumerate(folders):
            grid.addWidget(quiet(words, wrap=False), place, 0)
            grid.addWidget(selectable(plain(breakable(str(folder)))), place, 1)
            grid.addWidget(self._opener(name, words, folder), place, 2)
        grid.setColumnStretch(1, 1)
        return card

    def _opener(self, name: str, words: str, folder: Path) -> QWidget:
        show = icon_button("folder", f"open-{name}", self.tr("Open the folder “{folder}”").format(folder=words))
        show.setProperty("folder", str(folder))
        show.clicked.connect(self._open_folder)
        return show

    def _about(self) -> QFrame:
        card = QFrame()
        card.setProperty("card", "true")
        layout = column(card, spacing=STEP // 2, margin=2 * STEP)
        layout.addWidget(heading(self.tr("About")))
        layout.addWidget(selectable(plain(self.tr("Stowage {version}").format(version=__version__))))
        layout.addWidget(quiet(self.tr("Runs language models on this computer with vLLM. Apache-2.0 licence.")))
        return card

    def _picked(self, setting: str, value: str) -> None:
        self.changed.emit(setting, value)

    def show_settings(self, settings: Settings) -> None:
        self._language.show_value(settings.language)
        self._theme.show_value(settings.theme)
        self._close.show_value(settings.keep_server_on_close)
        self.hub.show_settings(settings)

    def show_language_comes(self, shown: bool) -> None:
        self._comes.setVisible(shown)

    def focus_language(self) -> None:
        """Back to where it was chosen, when that is in sight."""
        if self.isVisible():
            self._language.setFocus()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.sender().property("folder"))))
