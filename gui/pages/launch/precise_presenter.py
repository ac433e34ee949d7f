"""Asks vLLM's own planner about the plan that is shown, and puts its figures beside ours."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.engine.precise import Precise
from core.events import ErrorInfo
from core.planner.plan import Plan
from core.precise_plan import Compared, compare
from core.words import term
from gui import figures
from gui.bridge import Call
from gui.desk import Desk
from gui.pages.launch.page import LaunchPage


class PrecisePresenter(QObject):
    """`plan_changed` tells it of each new plan, None when there is none; an answer belongs to one plan only."""

    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page = page
        self._desk = desk
        self._row = page.plan.precise
        self._plan: Plan | None = None
        self._call: Call | None = None
        self._row.asked.connect(self._ask)
        self._row.cancelled.connect(self._cancel)

    def plan_changed(self, plan: Plan | None) -> None:
        self._drop()
        self._plan = plan
        self._row.reset()
        self._row.setVisible(plan is not None and self._page.options.engine is not None)

    def _ask(self) -> None:
        engine = self._page.options.engine
        if self._plan is None or engine is None:
            return
        self._row.show_asking()
        self._call = self._desk.bridge.call(
            self._desk.services.check_plan,
            self._page.options.choice().model_id,
            engine.id,
            self._plan,
            owner=self,
            done=self._answered,
            failed=self._failed,
        )

    def _cancel(self) -> None:
        self._drop()
        self._row.reset()

    def _drop(self) -> None:
        """What is being asked is not wanted any more."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _answered(self, precise: Precise) -> None:
        self._call = None
        assert self._plan is not None
        lines = tuple(self._line(figure) for figure in compare(self._plan, precise))
        refused = precise.refused or (precise.figures.kv.refused if precise.figures is not None else None)
        if refused:
            lines = (*lines, self.tr("vLLM would refuse: {reason}").format(reason=" ".join(refused.split())))
        state = self.tr("vLLM {version} itself says:").format(version=precise.version)
        self._row.show_answer(state, lines)

    def _line(self, figure: Compared) -> str:
        language = self._desk.speech.language
        theirs, ours = (figures.count(number, language) for number in (figure.theirs, figure.ours))
        mark = term("plan", "equal" if figure.equal else "differs", language).format(ours=ours)
        return f"{term('plan', f'figure_{figure.id}', language)}: {theirs} · {mark}"

    def _failed(self, error: ErrorInfo) -> None:
        self._call = None
        words = self._desk.speech.explain(error)
        self._row.show_answer(words.title, (words.sentence, words.next_step))
