"""The plan: a bar and its parts for each kind of memory, the speed, what would help, the command line."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QWidget

from gui.budget.view import BudgetView
from gui.pages.launch.lever_list import LeverList
from gui.pages.launch.plan_bar import TierBlock
from gui.pages.launch.plan_view import LeverLine, PlanView
from gui.pages.launch.precise_row import PreciseRow
from gui.pages.launch.skeleton import PlanSkeleton
from gui.theme import STEP, fixed_font
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.fold import Fold
from gui.widgets.one_line import OneLine
from gui.widgets.snug_stack import SnugStack
from gui.widgets.texts import plain, quiet, selectable

COMMAND_HEIGHT = 9 * STEP


class PlanCard(QFrame):
    """`lever_pulled` with the place in the list; `measure_wanted`; `budget_opened` with a budget's id;
    `copy_wanted` with the form of a command that is copied whole."""

    lever_pulled = Signal(int)
    measure_wanted = Signal()
    budget_opened = Signal(str)
    copy_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("planCard")
        self.setProperty("card", "true")
        self._skeleton = PlanSkeleton()
        self._message = quiet()
        self._message.setObjectName("planMessage")
        self._content = QWidget()
        self._tiers: list[TierBlock] = []
        self._blocks = column(spacing=STEP)
        self._speed = OneLine()
        self._speed.setObjectName("planSpeed")
        self._measure = button(self.tr("Measure…"), "measureButton", kind="small")
        self._measure.setToolTip(self.tr("Measure the memory of this computer; it takes up to 20 seconds"))
        self._measure.clicked.connect(self.measure_wanted)
        self._notes = quiet()
        self._notes.setObjectName("planNotes")
        self.levers = LeverList()
        self.levers.pulled.connect(self.lever_pulled)
        self.precise = PreciseRow()
        self._command = QPlainTextEdit()
        self._technical = selectable(quiet())
        self._technical.setObjectName("planTechnical")
        self._stack = SnugStack()
        self._build()

    def _build(self) -> None:
        line = row(spacing=STEP)
        label = plain(self.tr("Speed"), wrap=False)
        line.addWidget(label)
        line.addWidget(self._speed, 1)
        line.addWidget(self._measure)
        self._technical_fold = Fold(
            self.tr("What the planner noted (in English)"), self._technical, "planTechnicalFold"
        )
        inside = column(self._content, spacing=2 * STEP)
        inside.addLayout(self._blocks)
        inside.addLayout(line)
        inside.addWidget(self._notes)
        inside.addWidget(self.levers)
        inside.addWidget(self.precise)
        inside.addWidget(Fold(self.tr("Command line"), self._command_box(), "commandFold"))
        inside.addWidget(self._technical_fold)
        for part in (self._skeleton, self._content, self._message):
            self._stack.add(part)
        column(self, spacing=STEP, margin=2 * STEP).addWidget(self._stack)

    def _command_box(self) -> QWidget:
        box = QWidget()
        self._command.setObjectName("commandLine")
        self._command.setAccessibleName(self.tr("Command line"))
        self._command.setProperty("look", "log")
        self._command.setReadOnly(True)
        self._command.setTabChangesFocus(True)
        self._command.setFont(fixed_font())
        self._command.setFixedHeight(COMMAND_HEIGHT)
        copy = icon_button("copy", "copyCommandButton", self.tr("Copy the command"))
        copy.clicked.connect(self._copy)
        line = row(spacing=STEP)
        line.addWidget(self._command, 1)
        line.addWidget(copy)
        layout = column(box, spacing=STEP // 2)
        layout.addLayout(line)
        layout.addWidget(quiet(self.tr("Stowage adds a free port and a secret key of its own.")))
        layout.addLayout(self._copies())
        return box

    def _copies(self) -> QHBoxLayout:
        """For use without Stowage."""
        line = row(spacing=STEP)
        line.addWidget(quiet(self.tr("Without Stowage, copy as"), wrap=False))
        for form, text, meaning in (
            ("shell", self.tr("Shell"), self.tr("A line for the shell, with a fixed port")),
            ("yaml", self.tr("YAML"), self.tr("A file for vLLM's --config")),
            ("unit", self.tr("systemd"), self.tr("A service of your user that starts with your session")),
        ):
            press = button(text, f"copyAs-{form}", kind="small")
            press.setToolTip(meaning)
            press.setProperty("form", form)
            press.clicked.connect(self._copy_as)
            line.addWidget(press)
        line.addStretch(1)
        return line

    def _copy_as(self) -> None:
        self.copy_wanted.emit(str(self.sender().property("form")))

    def show_loading(self) -> None:
        self._stack.show_only(self._skeleton)

    def show_message(self, text: str) -> None:
        self._message.setText(text)
        self._stack.show_only(self._message)

    def show_plan(self, plan: PlanView, views: dict[str, BudgetView]) -> None:
        while len(self._tiers) < len(plan.tiers):
            block = TierBlock(len(self._tiers))
            block.opened.connect(self.budget_opened)
            self._tiers.append(block)
            self._blocks.addWidget(block)
        for number, block in enumerate(self._tiers):
            block.setVisible(number < len(plan.tiers))
            if number < len(plan.tiers):
                tier = plan.tiers[number]
                block.show_tier(tier, views.get(tier.budget_id))
        if self._speed.full_text != plan.speed:
            self._speed.set_full_text(plan.speed)
        self._speed.setToolTip(plan.speed_meaning)
        self._speed.setAccessibleDescription(plan.speed_meaning)
        self._measure.setVisible(plan.can_measure)
        self._notes.setText("\n".join(plan.notes))
        self._notes.setVisible(bool(plan.notes))
        self._technical.setText("\n".join(plan.technical))
        self._technical_fold.setVisible(bool(plan.technical))
        if self._command.toPlainText() != plan.command:
            self._command.setPlainText(plan.command)
        self._stack.show_only(self._content)

    def show_levers(self, levers: tuple[LeverLine, ...]) -> None:
        self.levers.show_levers(levers)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command.toPlainText())
