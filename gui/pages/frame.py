"""The frame all pages share: a title, a quiet line under it, room for banners, a body of calm width."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.cards import column, row
from gui.widgets.scroll import scrolled
from gui.widgets.texts import quiet, title

WIDEST = 920


class PageFrame(QWidget):
    """`body` takes the page's parts. With `scrolls` the body scrolls as a whole; else it fills the page."""

    def __init__(self, heading: str, about: str, *, scrolls: bool) -> None:
        super().__init__()
        outer = column(self, spacing=2 * STEP)
        outer.setContentsMargins(4 * STEP, 3 * STEP, 4 * STEP, 2 * STEP)
        head = column(spacing=STEP // 2)
        head.addWidget(title(heading))
        self.about = quiet(about)
        self.about.setVisible(bool(about))
        head.addWidget(self.about)
        outer.addLayout(head)
        self.banner = Banner(self)
        news = row()
        news.addWidget(self.banner, 100)
        if scrolls:
            # No wider than the cards below it.
            self.banner.setMaximumWidth(WIDEST)
            news.addStretch(1)
        outer.addLayout(news)
        self.body: QVBoxLayout
        if scrolls:
            inside = QWidget()
            inside.setMaximumWidth(WIDEST)
            self.body = column(inside, spacing=2 * STEP)
            outer.addWidget(scrolled(inside), 1)
        else:
            self.body = column(spacing=2 * STEP)
            outer.addLayout(self.body, 1)
