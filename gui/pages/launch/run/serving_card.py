"""How the server is kept: who may reach it, with which key, when it goes by itself, and its sleep."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from core.settings import Settings
from gui.pages.frame import WIDEST
from gui.theme import FIELD_HEIGHT, STEP
from gui.widgets.buttons import button
from gui.widgets.calm_inputs import CalmComboBox, CalmSpinBox
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import plain, quiet, toned

MINUTES = (0, 5, 15, 30, 60, 240)
# Ports below 1024 are the administrator's; one below stands for any.
ANY_PORT, LAST_PORT = 1023, 65535


class ServingCard(QWidget):
    """`changed` with a setting's name and its new value; `sleep_wanted`, `wake_wanted` of the running server."""

    changed = Signal(str, object)
    sleep_wanted = Signal()
    wake_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("servingCard")
        self._idle = CalmComboBox()
        self._idle.setObjectName("unloadAfterBox")
        self._idle.setAccessibleName(self.tr("End the server when nobody uses it"))
        self._idle.view().setAccessibleName(self._idle.accessibleName())
        self._idle.setMinimumHeight(FIELD_HEIGHT)
        for minutes in MINUTES:
            self._idle.addItem(self._minutes(minutes), minutes)
        self._idle.activated.connect(self._idle_chosen)
        self._shown_port: int | None = None
        self._port = self._port_box()
        self._share = self._check("shareBox", self.tr("Let other computers in this network use the server"))
        self._keep = self._check("keepKeyBox", self.tr("Keep the same key at every launch"))
        self._sleep_mode = self._check("sleepModeBox", self.tr("Let servers sleep (NVIDIA and AMD cards)"))
        self._warning = toned(
            "bad",
            self.tr("Everybody in the network who has the key can use this computer. Traffic is not encrypted."),
        )
        self._warning.setObjectName("shareWarning")
        self._sleep = button(self.tr("Send to sleep"), "sleepButton")
        self._sleep.setToolTip(self.tr("Gives the card's memory back; the weights wait in RAM"))
        self._wake = button(self.tr("Wake up"), "wakeButton")
        self._sleep.clicked.connect(self.sleep_wanted)
        self._wake.clicked.connect(self.wake_wanted)
        self._queue = quiet()
        self._queue.setObjectName("queueNote")
        self._build()

    def _build(self) -> None:
        line = row(spacing=2 * STEP)
        label = plain(self.tr("End it after"), wrap=False)
        label.setBuddy(self._idle)
        line.addWidget(label)
        line.addWidget(self._idle)
        line.addWidget(quiet(self.tr("without a request"), wrap=False))
        line.addStretch(1)
        ports = row(spacing=2 * STEP)
        label = plain(self.tr("Port"), wrap=False)
        label.setBuddy(self._port)
        for part in (label, self._port):
            ports.addWidget(part)
        ports.addStretch(1)
        sleeps = row(spacing=STEP)
        for part in (self._sleep, self._wake):
            sleeps.addWidget(part)
        sleeps.addStretch(1)
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        rows = column(inside, spacing=STEP)
        rows.addLayout(line)
        rows.addLayout(sleeps)
        rows.addWidget(self._queue)
        rows.addWidget(quiet(self.tr("From the next launch on:")))
        rows.addLayout(ports)
        for part in (self._sleep_mode, self._keep, self._share, self._warning):
            rows.addWidget(part)
        rows.addStretch(1)
        column(self).addWidget(scrolled(inside))

    def _port_box(self) -> CalmSpinBox:
        made = CalmSpinBox()
        made.setObjectName("portBox")
        made.setRange(ANY_PORT, LAST_PORT)
        made.setSpecialValueText(self.tr("any free one"))
        made.setGroupSeparatorShown(False)
        made.setAccessibleName(self.tr("Port of the server"))
        made.setMinimumHeight(FIELD_HEIGHT)
        made.editingFinished.connect(self._port_chosen)
        return made

    def _check(self, name: str, text: str) -> QCheckBox:
        made = QCheckBox(text)
        made.setObjectName(name)
        made.setAccessibleName(text)
        made.clicked.connect(self._ticked)
        return made

    def show_settings(self, settings: Settings) -> None:
        with QSignalBlocker(self._idle):
            if self._idle.findData(settings.unload_after_idle_minutes) < 0:
                minutes = settings.unload_after_idle_minutes
                self._idle.addItem(self._minutes(minutes), minutes)
            self._idle.setCurrentIndex(self._idle.findData(settings.unload_after_idle_minutes))
        with QSignalBlocker(self._port):
            self._port.setValue(settings.server_port or ANY_PORT)
        self._shown_port = settings.server_port
        self._share.setChecked(settings.share)
        self._keep.setChecked(bool(settings.api_key))
        self._sleep_mode.setChecked(settings.sleep_mode)
        self._warning.setVisible(settings.share)

    def show_sleep(self, *, able: bool, asleep: bool) -> None:
        self._sleep.setVisible(able and not asleep)
        self._wake.setVisible(able and asleep)

    def show_queue(self, text: str) -> None:
        self._queue.setText(text)
        self._queue.setVisible(bool(text))

    def _minutes(self, minutes: int) -> str:
        return self.tr("%n minute(s)", "", minutes) if minutes else self.tr("no time: it stays")

    def _idle_chosen(self) -> None:
        self.changed.emit("unload_after_idle_minutes", int(self._idle.currentData()))

    def _port_chosen(self) -> None:
        port = self._port.value() if self._port.value() > ANY_PORT else None
        if port != self._shown_port:
            self._shown_port = port
            self.changed.emit("server_port", port)

    def _ticked(self, ticked: bool) -> None:
        name = {"shareBox": "share", "keepKeyBox": "api_key", "sleepModeBox": "sleep_mode"}[self.sender().objectName()]
        self.changed.emit(name, ticked)
