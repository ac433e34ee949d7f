"""Launch: choose with the plan in sight, start, watch, stop. The timeline takes the place of the choices while a launch
runs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.pages.frame import WIDEST, PageFrame
from gui.pages.launch.options import LaunchOptions
from gui.pages.launch.plan_card import PlanCard
from gui.pages.launch.run.check_card import CheckCard
from gui.pages.launch.run.failure_help import FailureHelp
from gui.pages.launch.run.run_view import CheckLine
from gui.pages.launch.run.server_view import ServerView
from gui.pages.launch.running import StartingCard
from gui.pages.launch.verdict_bar import VerdictBar
from gui.theme import STEP
from gui.widgets.banner import Banner
from gui.widgets.cards import column, row
from gui.widgets.log_view import LogView
from gui.widgets.scroll import scrolled
from gui.widgets.snug_stack import SnugStack
from gui.words import Speech

LOG_HEIGHT = 22 * STEP


class LaunchPage(QWidget):
    def __init__(self, speech: Speech) -> None:
        super().__init__()
        frame = PageFrame(self.tr("Launch"), "", scrolls=False)
        self.banner = frame.banner
        self.help = FailureHelp()
        self.banner.setMaximumWidth(WIDEST)
        self.banner.extend(self.help)
        self.banner.dismissed.connect(self.help.hide)
        self.news = Banner(name="launchNews")
        self.news.setMaximumWidth(WIDEST)
        self.checks = CheckCard()
        self.options = LaunchOptions(speech)
        self.plan = PlanCard()
        self.verdict = VerdictBar()
        self.starting = StartingCard(speech)
        self.server = ServerView()
        self.ready = self.server.ready
        self.log = LogView(speech.language)
        self._choosing = self._make_choosing()
        self._stack = SnugStack()
        for part in (self.starting, self.server):
            self._stack.add(part)
        self._log_wished = False
        self.verdict.log_wanted.connect(self._wish_log)
        self.help.offered.connect(self.verdict.step_back)
        frame.body.addWidget(self.news)
        frame.body.addWidget(self._choosing, 1)
        frame.body.addWidget(self._stack)
        frame.body.addWidget(self.log, 1)
        self._body = frame.body
        column(self).addWidget(frame)
        self.show_options()

    def _make_choosing(self) -> QWidget:
        inside = QWidget()
        inside.setMaximumWidth(WIDEST)
        cards = column(inside, spacing=2 * STEP)
        # Room for the scroll bar beside the cards.
        cards.setContentsMargins(0, 0, STEP // 2, 0)
        cards.addWidget(self.checks)
        cards.addWidget(self.options)
        cards.addWidget(self.plan)
        cards.addStretch(1)
        self.verdict.setMaximumWidth(WIDEST)
        bottom = row(spacing=0)
        bottom.addWidget(self.verdict, 100)
        bottom.addStretch(1)
        choosing = QWidget()
        layout = column(choosing, spacing=STEP)
        self._area = scrolled(inside)
        layout.addWidget(self._area, 1)
        layout.addLayout(bottom)
        return choosing

    def show_checks(self, lines: tuple[CheckLine, ...], *, anyway: bool) -> None:
        """Why the launch did not begin, at the top of the choices."""
        self.checks.show_checks(lines, anyway=anyway)
        self._area.verticalScrollBar().setValue(0)

    def show_options(self) -> None:
        self._take_log()
        self._choosing.show()
        self._stack.hide()
        self.log.setVisible(self._log_wished)
        self.log.setMaximumHeight(LOG_HEIGHT)

    def show_starting(self) -> None:
        self._take_log()
        self._watch(self.starting)

    def show_ready(self) -> None:
        """The log goes behind a word of its own: it is not what a person wants of a server that runs."""
        if self.server.log_place.indexOf(self.log) < 0:
            self.server.log_place.addWidget(self.log)
        self._body.setStretchFactor(self._stack, 1)
        self._watch(self.server)

    def _take_log(self) -> None:
        if self._body.indexOf(self.log) < 0:
            self._body.addWidget(self.log, 1)
        self._body.setStretchFactor(self._stack, 0)

    def _watch(self, card: QWidget) -> None:
        self._choosing.hide()
        self._stack.show_only(card)
        self._stack.show()
        self.log.setMaximumHeight(16_777_215)
        self.log.show()

    def _wish_log(self, wished: bool) -> None:
        self._log_wished = wished
        self.log.setVisible(wished)
