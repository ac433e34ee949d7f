"""What the look before a launch found: why it was stopped, what a button does about it, and launching all the same."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from core.preflight.finding import Severity
from gui.icons import set_icon
from gui.pages.launch.run.run_view import CheckLine
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet


class CheckRow(QWidget):
    """One finding. `remedy_wanted` with its code."""

    remedy_wanted = Signal(str)

    def __init__(self, line: CheckLine) -> None:
        super().__init__()
        self.setObjectName(f"check-{line.code}")
        self._code = line.code
        bad = line.severity is Severity.BLOCK
        sign = QLabel()
        sign.setFixedWidth(3 * STEP)
        role = QPalette.ColorRole.BrightText if bad else QPalette.ColorRole.PlaceholderText
        set_icon(sign, "info" if line.severity is Severity.INFO else "warning", role)
        sign.setToolTip(line.kind)
        title = plain(line.title if bad else f"{line.kind}: {line.title}")
        text = quiet(line.text)
        self.setAccessibleName(f"{line.kind}: {line.title}")
        self.setAccessibleDescription(line.text)
        texts = column(spacing=STEP // 4)
        texts.addWidget(title)
        texts.addWidget(text)
        layout = row(self, spacing=STEP)
        layout.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        if line.remedy:
            press = button(line.remedy, f"remedy-{line.code}", kind="small")
            press.setAccessibleDescription(f"{line.title}. {line.text}")
            press.clicked.connect(self._pressed)
            layout.addWidget(press, 0, Qt.AlignmentFlag.AlignTop)

    def _pressed(self) -> None:
        self.remedy_wanted.emit(self._code)


class CheckCard(QFrame):
    """Hidden until `show_checks`. `anyway_wanted`: the person launches in spite of it."""

    remedy_wanted = Signal(str)
    anyway_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("checkCard")
        self.setProperty("card", "error")
        self._title = heading(self.tr("The launch was stopped before it began"))
        self._why = quiet(self.tr("It would fail, and vLLM would need a minute to say so."))
        self._rows: QVBoxLayout = column(spacing=STEP)
        self._anyway = button(self.tr("Launch anyway"), "launchAnywayButton")
        self._anyway.setToolTip(self.tr("vLLM has the last word. Nothing on this computer can break."))
        self._anyway.clicked.connect(self.anyway_wanted)
        self._never = quiet(self.tr("This has to be put right first: no launch could succeed."))
        close = icon_button("close", "checkCardClose", self.tr("Close this message"))
        close.clicked.connect(self.hide)
        top = row()
        top.addWidget(self._title, 1)
        top.addWidget(close)
        bottom = row(spacing=STEP)
        bottom.addWidget(self._anyway, 0, Qt.AlignmentFlag.AlignLeft)
        bottom.addWidget(self._never, 1)
        bottom.addStretch(0)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addLayout(top)
        layout.addWidget(self._why)
        layout.addLayout(self._rows)
        layout.addLayout(bottom)
        self.hide()

    def show_checks(self, lines: tuple[CheckLine, ...], *, anyway: bool) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for line in lines:
            made = CheckRow(line)
            made.remedy_wanted.connect(self.remedy_wanted)
            self._rows.addWidget(made)
        self._anyway.setVisible(anyway)
        self._never.setVisible(not anyway)
        self.setAccessibleName(self._title.text())
        self.show()
