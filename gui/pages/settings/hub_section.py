"""How the Hub is reached and where its models lie."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFrame, QLineEdit

from core.settings import Settings
from gui.pages.settings.parts import ChoiceBox, grid_card
from gui.theme import FIELD_HEIGHT
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column
from gui.widgets.limit_box import LimitBox
from gui.widgets.texts import quiet


class TextSetting(QLineEdit):
    """`entered` with the setting's name and its text, when the user left the field or pressed Enter."""

    entered = Signal(str, str)

    def __init__(self, setting: str, meaning: str, empty: str, hint: str) -> None:
        super().__init__()
        self._setting = setting
        self._known = ""
        self.setObjectName(f"{setting}Field")
        self.setAccessibleName(meaning)
        self.setPlaceholderText(empty)
        self.setToolTip(hint)
        self.setMinimumHeight(FIELD_HEIGHT)
        self.editingFinished.connect(self._finished)

    def show_value(self, text: str) -> None:
        self._known = text
        if text != self.text():
            self.setText(text)

    def enter(self, text: str) -> None:
        self.setText(text)
        self._finished()

    def _finished(self) -> None:
        if self.text().strip() != self._known:
            self._known = self.text().strip()
            self.entered.emit(self._setting, self._known)


class HubSection(QFrame):
    """`changed` with a setting's name and its new value."""

    changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        usual = self.tr("What the system says")
        self._endpoint = TextSetting(
            "hub_endpoint",
            self.tr("Address of the Hub"),
            "https://huggingface.co",
            self.tr("A mirror's address, for example https://hf-mirror.com. Your token goes to it too."),
        )
        self._proxy = TextSetting(
            "hub_proxy", self.tr("Proxy"), usual, self.tr("For example http://proxy.example:3128; empty: HTTPS_PROXY")
        )
        self._bundle = TextSetting(
            "hub_ca_bundle",
            self.tr("Certificates (CA bundle)"),
            usual,
            self.tr("A PEM file, for a network that looks into encrypted connections"),
        )
        self._cache = TextSetting(
            "hub_cache",
            self.tr("Cache folder"),
            usual,
            self.tr(
                "Where models lie, shared with other tools. To take models along, move the cache on the Models page."
            ),
        )
        self._offline = QCheckBox(self.tr("Work offline: ask the Hub nothing"))
        self._limit = LimitBox("hubSpeedLimit")
        self._after = ChoiceBox(
            "downloads_after_close",
            self.tr("Downloads when Stowage is closed"),
            (("pause", self.tr("Pause until the next start")), ("go_on", self.tr("Go on in the background"))),
        )
        self._connect()
        self._build()

    def _connect(self) -> None:
        for field in (self._endpoint, self._proxy, self._bundle, self._cache):
            field.entered.connect(self._told)
        self._offline.setObjectName("hubOffline")
        self._offline.setAccessibleName(self._offline.text())
        self._offline.toggled.connect(self._offline_toggled)
        self._limit.picked.connect(self._limit_picked)
        self._after.picked.connect(self._told)

    def _build(self) -> None:
        card, grid = grid_card(self.tr("Hugging Face"))
        lines = (
            (self.tr("Address"), self._endpoint),
            (self.tr("Proxy"), self._proxy),
            (self.tr("Certificates"), self._bundle),
            (self.tr("Cache folder"), self._cache),
            (self.tr("Speed limit"), self._limit),
            (self.tr("Downloads after closing"), self._after),
        )
        for place, (words, field) in enumerate(lines):
            grid.addWidget(quiet(words, wrap=False), place, 0)
            grid.addWidget(field, place, 1)
        file = icon_button("folder", "browseBundle", self.tr("Choose a file of certificates"))
        file.clicked.connect(self._browse_bundle)
        folder = icon_button("folder", "browseCache", self.tr("Choose the cache folder"))
        folder.clicked.connect(self._browse_cache)
        grid.addWidget(file, 2, 2)
        grid.addWidget(folder, 3, 2)
        grid.addWidget(self._offline, len(lines), 1)
        grid.setColumnStretch(1, 1)
        column(self).addWidget(card)

    def show_settings(self, settings: Settings) -> None:
        self._endpoint.show_value(settings.hub_endpoint)
        self._proxy.show_value(settings.hub_proxy)
        self._bundle.show_value(settings.hub_ca_bundle)
        self._cache.show_value(settings.hub_cache)
        self._limit.show_value(settings.download_limit_bytes_per_s)
        self._after.show_value(settings.downloads_after_close)
        with QSignalBlocker(self._offline):
            self._offline.setChecked(settings.hub_offline)

    def _told(self, setting: str, value: str) -> None:
        self.changed.emit(setting, value)

    def _offline_toggled(self, offline: bool) -> None:
        self.changed.emit("hub_offline", offline)

    def _limit_picked(self, bytes_per_s: int) -> None:
        self.changed.emit("download_limit_bytes_per_s", bytes_per_s)

    def _browse_bundle(self) -> None:
        self._browse(self._bundle, self.tr("Choose a file of certificates"), QFileDialog.FileMode.ExistingFile)

    def _browse_cache(self) -> None:
        self._browse(self._cache, self.tr("Choose the cache folder"), QFileDialog.FileMode.Directory)

    def _browse(self, field: TextSetting, title: str, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, title)
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(field.enter)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
