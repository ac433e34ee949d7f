"""Code of a repository that loading the model would run: never without a yes that names the repository and revision."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QFrame

from gui.theme import STEP
from gui.widgets.cards import column
from gui.widgets.texts import heading, plain, quiet

SHOWN_FILES = 4


class ConsentCard(QFrame):
    """`changed` with whether the user consents, to this repository at this commit alone."""

    changed = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("consentCard")
        self.setProperty("card", "error")
        self._sentence, self._files = plain(), quiet()
        self._sentence.setObjectName("consentSentence")
        self._yes = QCheckBox(self.tr("I trust this code"))
        self._yes.setObjectName("consentBox")
        self._yes.toggled.connect(self.changed)
        layout = column(self, spacing=STEP // 2, margin=STEP + 4)
        layout.addWidget(heading(self.tr("It brings its own program code")))
        for part in (self._sentence, self._files, self._yes):
            layout.addWidget(part)
        self.hide()

    @property
    def given(self) -> bool:
        return self._yes.isChecked()

    def show_code(self, repo_id: str, commit: str, files: tuple[str, ...], *, allowed: bool) -> None:
        """Hidden when there are no files. `allowed`: the user said yes to this commit earlier."""
        with QSignalBlocker(self._yes):
            self._yes.setChecked(allowed)
        text = self.tr(
            "Starting it runs Python code from {repo}, revision {revision}, with your rights on this computer."
        )
        self._sentence.setText(text.format(repo=repo_id, revision=commit[:12]))
        shown = ", ".join(files[:SHOWN_FILES]) + (" …" if len(files) > SHOWN_FILES else "")
        self._files.setText(shown)
        self._yes.setAccessibleName(self.tr("I trust the code of {repo}").format(repo=repo_id))
        self.setVisible(bool(files))
