"""What to do first: launch a model, or ask it something."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from gui.icons import set_icon
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column
from gui.widgets.texts import heading, quiet


class Invitation(QWidget):
    launch_wanted = Signal()
    suggested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        picture = QLabel()
        set_icon(picture, "chat", QPalette.ColorRole.PlaceholderText)
        self._heading = heading()
        self._about = quiet()
        self._launch = button(self.tr("Choose and launch a model"), "goLaunchButton", kind="primary")
        self._launch.clicked.connect(self.launch_wanted)
        self._ideas = [
            button(text, f"suggestion{number}", kind="")
            for number, text in enumerate(
                (
                    self.tr("What is the capital of France?"),
                    self.tr("Explain unified memory in two sentences."),
                    self.tr("Write a short poem about the sea."),
                )
            )
        ]
        layout = column(self, spacing=STEP)
        layout.addStretch(2)
        middle = Qt.AlignmentFlag.AlignHCenter
        layout.addWidget(picture, 0, middle)
        for label in (self._heading, self._about):
            label.setAlignment(middle)
            layout.addWidget(label)
        layout.addSpacing(STEP)
        layout.addWidget(self._launch, 0, middle)
        for idea in self._ideas:
            idea.clicked.connect(self._suggest)
            layout.addWidget(idea, 0, middle)
        layout.addStretch(3)
        self.show_ready(False, "")

    def show_ready(self, ready: bool, model: str) -> None:
        if ready:
            self._heading.setText(self.tr("Ask {model} something").format(model=model))
            self._about.setText(self.tr("Nothing you write leaves this computer."))
        else:
            self._heading.setText(self.tr("No model is running yet"))
            self._about.setText(self.tr("Launch one first. Then you talk to it here."))
        self._launch.setVisible(not ready)
        for idea in self._ideas:
            idea.setVisible(ready)

    def _suggest(self) -> None:
        sender = self.sender()
        for idea in self._ideas:
            if idea is sender:
                self.suggested.emit(idea.text())
