"""One model of the shared cache: size, last use, whole or what is missing; launch, verify, delete."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton

from core.hub.model import CachedRepo
from gui.pages.models.cache_words import CacheWords, is_model, newest
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button, retext
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import heading, quiet, toned


class CacheRow(QFrame):
    """`wanted` with the repository's id and a verb: "launch", "get", "verify", "stop", "delete"."""

    wanted = Signal(str, str)

    def __init__(self, repo: CachedRepo, words: CacheWords) -> None:
        super().__init__()
        self._words = words
        self._id = repo.repo_id
        self.setObjectName(f"cached-{repo.repo_id}")
        self.setProperty("card", "true")
        self._facts = OneLine("quiet")
        self._state = quiet()
        self._state.setObjectName(f"cachedState-{repo.repo_id}")
        self._problem = toned("bad")
        name = repo.repo_id
        self._launch = self._verb("launch", self.tr("Launch"), self.tr("Launch {model}").format(model=name))
        self._get = self._verb("get", self.tr("Get the rest"), self.tr("Get the rest of {model}").format(model=name))
        self._verify = self._verb(
            "verify", self.tr("Verify"), self.tr("Read all files of {model} and check their hashes").format(model=name)
        )
        meaning = self.tr("Delete {model} from this computer").format(model=name)
        self._delete = icon_button("remove", f"delete-{name}", meaning)
        self._delete.setProperty("verb", "delete")
        self._delete.clicked.connect(self._clicked)
        texts = column(spacing=STEP // 2)
        for part in (heading(name), self._facts, self._state, self._problem):
            texts.addWidget(part)
        outer = row(self, spacing=STEP)
        outer.setContentsMargins(2 * STEP, STEP + 4, STEP + 4, STEP + 4)
        outer.addLayout(texts, 1)
        for part in (self._verify, self._delete, self._get, self._launch):
            outer.addWidget(part)
        self._busy = False
        self.show_repo(repo)

    def show_repo(self, repo: CachedRepo) -> None:
        self._facts.set_full_text(self._words.facts(repo))
        self._state.setText(self._words.state(repo))
        self._state.setVisible(bool(self._state.text()))
        problem = self._words.problem(repo)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        revision = newest(repo)
        whole = revision is not None and revision.whole
        self._launch.setVisible(is_model(repo) and whole)
        # What is being downloaded is stopped and goes on among the downloads.
        self._get.setVisible(is_model(repo) and not whole and not repo.in_use)
        self._verify.setVisible(revision is not None and (whole or not repo.in_use))
        self._delete.setEnabled(not repo.in_use and not self._busy)

    def show_busy(self, words: str) -> None:
        """Long work on it, "" none: its state tells what, and Verify becomes Stop."""
        self._busy = bool(words)
        retext(self._verify, self.tr("Stop") if words else self.tr("Verify"))
        self._verify.setProperty("verb", "stop" if words else "verify")
        self._delete.setEnabled(not words)
        if words:
            self._state.setText(words)
            self._state.show()

    def _verb(self, verb: str, text: str, meaning: str) -> QPushButton:
        made = button(text, f"{verb}-{self._id}", kind="" if verb in ("launch", "get") else "quiet")
        made.setToolTip(meaning)
        made.setProperty("verb", verb)
        made.clicked.connect(self._clicked)
        return made

    def _clicked(self) -> None:
        self.wanted.emit(self._id, str(self.sender().property("verb")))
