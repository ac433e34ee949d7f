"""The head of the details: the model's name and its facts, one line each."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from core.hub.model import RepoRow
from gui import figures
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP
from gui.widgets.buttons import icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, quiet, selectable


class FactsBox(QWidget):
    """`page_wanted`: the model's own page in the browser."""

    page_wanted = Signal()

    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self._words = words
        self._title = selectable(heading())
        self._title.setObjectName("detailsTitle")
        self._facts, self._more = quiet(), quiet()
        self._facts.setObjectName("detailsFacts")
        self._open = icon_button("outside", "openRepoPage", self.tr("Open its page in the browser"))
        self._open.clicked.connect(self.page_wanted)
        head = row()
        head.addWidget(self._title, 1)
        head.addWidget(self._open, 0, Qt.AlignmentFlag.AlignTop)
        layout = column(self, spacing=STEP // 4)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self._more)

    def show_row(self, shown: RepoRow) -> None:
        self._title.setText(breakable(shown.repo_id))
        words = self._words
        size = words.size(shown.weight_bytes)
        facts = (
            words.parameters(shown.parameters),
            f"{size} {words.format(shown)}".strip(),
            words.context(shown.context_tokens),
            words.licence(shown),
        )
        self._facts.setText(" · ".join(part for part in facts if part))
        more = (
            shown.architecture,
            words.downloads(shown.downloads) if shown.downloads else "",
            self._likes(shown.likes),
            self.tr("changed {day}").format(day=shown.updated[:10]) if shown.updated else "",
            words.gate(shown),
        )
        text = " · ".join(part for part in more if part)
        self._more.setText(text)
        self._more.setVisible(bool(text))

    def _likes(self, likes: int) -> str:
        return self.tr("{count} likes").format(count=figures.count(likes, self._words.language)) if likes else ""


def breakable(text: str) -> str:
    """A name that may wrap at its separators (a zero-width space after each)."""
    for mark in "/-_":
        text = text.replace(mark, f"{mark}\u200b")
    return text
