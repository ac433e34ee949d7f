"""How the shown model sits on this computer: sign, words, speed, and what takes the room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.hub.model import FitBadge
from gui.pages.launch.part_words import PartWords
from gui.pages.launch.plan_ghost import SMALLEST
from gui.pages.models.fit_sign import FitSign
from gui.pages.models.repo_words import RepoWords
from gui.theme import STEP, scaled_font
from gui.widgets.cards import column, row
from gui.widgets.texts import plain, quiet

FIRST = ("weights", "pinned_weights", "kv_cache")


class FitBox(QWidget):
    def __init__(self, words: RepoWords) -> None:
        super().__init__()
        self._words = words
        self._parts = PartWords(words.language, self)
        self._sign = FitSign()
        self._text: QLabel = plain()
        self._text.setObjectName("detailsFit")
        self._text.setFont(scaled_font(self._text.font(), 1.0, strong=True))
        self._split = quiet()
        self._split.setObjectName("detailsSplit")
        head = row()
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self._text, 1)
        layout = column(self, spacing=STEP // 4)
        layout.addLayout(head)
        layout.addWidget(self._split)

    def show_badge(self, badge: FitBadge | None) -> None:
        words = self._words.badge(badge)
        text = " · ".join(part for part in (words.text, words.speed) if part)
        self._sign.show_fit(words.fit)
        self._text.setText(text[:1].upper() + text[1:])
        self._text.setToolTip(words.meaning)
        split = self._split_of(badge)
        self._split.setText(split)
        self._split.setVisible(bool(split))

    def _split_of(self, badge: FitBadge | None) -> str:
        plan = badge.plan if badge is not None else None
        tier = (plan.vram or plan.host.tier) if plan is not None else None
        if tier is None:
            return ""
        # What a person can choose stands first: the model and the room for the conversation.
        items = sorted(tier.items, key=lambda item: FIRST.index(item.id) if item.id in FIRST else len(FIRST))
        return " · ".join(
            f"{self._parts.name(item.id)} {self._words.size(item.amount.likely)}"
            for item in items
            if item.amount.likely >= SMALLEST
        )
