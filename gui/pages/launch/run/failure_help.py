"""What helps after a launch that failed: buttons that change one thing and launch, what was different when it last
went well, a report for somebody else."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from gui.pages.launch.run.run_view import FixLine
from gui.theme import STEP
from gui.widgets.buttons import button, retext
from gui.widgets.cards import column
from gui.widgets.flow import FlowLayout
from gui.widgets.fold import Fold
from gui.widgets.texts import quiet, selectable


class FailureHelp(QWidget):
    """`fix_wanted` with a fix's kind, `action_wanted` with what has to be done elsewhere first. Hidden while there is
    nothing to offer; `offered`: whether a fix is in sight, which then is the page's first button."""

    fix_wanted = Signal(str)
    action_wanted = Signal(str)
    report_wanted = Signal()
    offered = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("failureHelp")
        self._buttons: list[QPushButton] = []
        self._flow = FlowLayout(spacing=STEP)
        self._report = button(self.tr("Copy report"), "copyLaunchReportButton", kind="quiet", icon="copy")
        self._report.setToolTip(
            self.tr("Computer, engine, command, verdicts and log as one text to send; keys are left out")
        )
        self._report.clicked.connect(self.report_wanted)
        self._since = selectable(quiet())
        self._since.setObjectName("sinceGood")
        self._since_fold = Fold(self.tr("What is different from the last good launch"), self._since, "sinceGoodFold")
        layout = column(self, spacing=STEP // 2)
        layout.addLayout(self._flow)
        layout.addWidget(self._since_fold)
        self.hide()

    def show_fixes(self, fixes: tuple[FixLine, ...]) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None and widget is not self._report:
                widget.hide()
                widget.deleteLater()
        for number, fix in enumerate(fixes):
            made = button(fix.text, f"fix-{fix.kind}", kind="primary" if number == 0 else "", parent=self)
            made.setProperty("fix", fix.kind)
            made.setProperty("action", fix.action)
            made.clicked.connect(self._pressed)
            made.show()
            self._flow.addWidget(made)
        self._flow.addWidget(self._report)
        retext(self._report, self.tr("Copy report"))
        self._since_fold.hide()
        self.show()
        self.offered.emit(self.isVisible() and bool(fixes))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.offered.emit(self._flow.count() > 1)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.offered.emit(False)

    def show_since(self, text: str) -> None:
        self._since.setText(text)
        self._since_fold.setVisible(bool(text))

    def show_copied(self) -> None:
        retext(self._report, self.tr("Copied"))

    def _pressed(self) -> None:
        action = str(self.sender().property("action") or "")
        if action:
            self.action_wanted.emit(action)
        else:
            self.fix_wanted.emit(str(self.sender().property("fix")))
