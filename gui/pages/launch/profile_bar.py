"""Where the choices of a launch come from, and the way to others: last time, presets, files, pasted flags."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import quiet


class ProfileBar(QWidget):
    """`picked` with the place of a preset in the list that is shown; the others say what was asked for."""

    picked = Signal(int)
    last_wanted = Signal()
    reset_wanted = Signal()
    save_wanted = Signal()
    remove_wanted = Signal()
    import_wanted = Signal()
    export_wanted = Signal()
    paste_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._says = OneLine("quiet")
        self._says.setObjectName("profileSays")
        self._notes = quiet()
        self._notes.setObjectName("profileNotes")
        self._notes.hide()
        self._last = button(self.tr("As last time"), "lastTimeButton", kind="small")
        self._last.setToolTip(self.tr("Back to what this model was launched with when it last went well"))
        self._last.clicked.connect(self.last_wanted)
        self._last.hide()
        self._reset = button(self.tr("Reset"), "resetButton", kind="small")
        self._reset.setToolTip(self.tr("Back to what Stowage suggests for this model on this computer"))
        self._reset.clicked.connect(self.reset_wanted)
        paste = button(self.tr("Paste flags…"), "pasteFlagsButton", kind="small")
        paste.setToolTip(self.tr("Read a command line, a docker line or YAML that you found somewhere"))
        paste.clicked.connect(self.paste_wanted)
        self._profiles = button(self.tr("Profiles"), "profilesButton", kind="small")
        self._profiles.setToolTip(self.tr("Choices saved under a name"))
        self._menu = QMenu(self)
        self._menu.setObjectName("profilesMenu")
        self._profiles.setMenu(self._menu)
        line = row(spacing=STEP)
        line.addWidget(self._says, 1)
        for widget in (self._last, self._reset, paste, self._profiles):
            line.addWidget(widget)
        layout = column(self, spacing=STEP // 2)
        layout.addLayout(line)
        layout.addWidget(self._notes)
        self.show_profiles((), "")

    def show_origin(self, text: str, *, last: bool) -> None:
        """`last`: whether there is a last time to go back to."""
        if text != self._says.full_text:
            self._says.set_full_text(text)
        self._last.setVisible(last)

    def show_notes(self, notes: tuple[str, ...]) -> None:
        """What changed on the way from the saved choices to these."""
        self._notes.setText("\n".join(notes))
        self._notes.setVisible(bool(notes))

    def show_profiles(self, names: tuple[str, ...], chosen: str) -> None:
        """Args: `chosen` the one that can be removed, "" for none."""
        self._menu.clear()
        for place, name in enumerate(names):
            action = self._menu.addAction(name.replace("&", "&&"))
            action.setObjectName(f"profile-{place}")
            action.setData(place)
            action.triggered.connect(self._picked)
        if names:
            self._menu.addSeparator()
        remove = self.tr("Remove “{name}”").format(name=chosen) if chosen else ""
        for text, name, signal in (
            (self.tr("Save as…"), "saveProfile", self.save_wanted),
            (remove, "removeProfile", self.remove_wanted),
            (self.tr("Import…"), "importProfiles", self.import_wanted),
            (self.tr("Export…") if names else "", "exportProfiles", self.export_wanted),
        ):
            if text:
                action = self._menu.addAction(text)
                action.setObjectName(name)
                action.triggered.connect(signal)

    def _picked(self) -> None:
        action = self.sender()
        self.picked.emit(int(action.data()))  # type: ignore[attr-defined]
