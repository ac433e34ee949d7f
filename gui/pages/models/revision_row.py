"""Which revision of the repository is meant: a branch or tag, and the commit it stands for now."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from core.hub.model import RepoDetails
from gui.theme import FIELD_HEIGHT
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import row
from gui.widgets.texts import quiet


class RevisionRow(QWidget):
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._box = CalmComboBox()
        self._box.setObjectName("revisionBox")
        self._box.setAccessibleName(self.tr("Revision"))
        self._box.view().setAccessibleName(self.tr("Revision"))
        self._box.setMinimumHeight(FIELD_HEIGHT)
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._box.setMinimumContentsLength(8)
        self._box.activated.connect(self._activated)
        self._commit = quiet(wrap=False)
        self._commit.setToolTip(self.tr("The exact commit: everything shown here, and a download, is of this one"))
        layout = row(self)
        layout.addWidget(quiet(self.tr("Revision"), wrap=False))
        layout.addWidget(self._box, 1)
        layout.addWidget(self._commit)

    def show_revisions(self, details: RepoDetails, chosen: str) -> None:
        names = dict.fromkeys(("main", *details.branches, *details.tags))
        if chosen and chosen not in names:
            names[chosen] = None
        with QSignalBlocker(self._box):
            self._box.clear()
            self._box.addItems(list(names))
            self._box.setCurrentText(chosen or "main")
        self._commit.setText(details.row.commit[:8])

    def _activated(self) -> None:
        self.chosen.emit(self._box.currentText())
