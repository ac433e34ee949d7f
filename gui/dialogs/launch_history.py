"""Earlier launches: when, what, how each ended, what it took; exportable."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHeaderView,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.ledger.record import LaunchRecord
from gui.pages.launch.run.run_words import RunWords
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.texts import heading, quiet

DETAILS_HEIGHT = 21 * STEP


class LaunchHistory(QDialog):
    """`export_wanted` with whether only failures are to be written. Deletes itself when closed."""

    export_wanted = Signal(bool)

    def __init__(
        self, parent: QWidget, words: RunWords, records: tuple[LaunchRecord, ...], names: dict[str, str]
    ) -> None:
        super().__init__(parent)
        self.setObjectName("launchHistory")
        self.setWindowTitle(self.tr("Launches"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(104 * STEP, 66 * STEP)
        self._words, self._records, self._names = words, records, names
        self._failures = QCheckBox(self.tr("Only failures"))
        self._failures.setObjectName("onlyFailuresBox")
        self._failures.setAccessibleName(self._failures.text())
        self._failures.toggled.connect(self._filter)
        self._table = QTableWidget(0, 5)
        self._details = QPlainTextEdit()
        self._said = OneLine("quiet")
        self._said.setObjectName("historySaid")
        self._make_table()
        self._make_details()
        self._lay_out()
        self._fill()

    def _make_table(self) -> None:
        table = self._table
        table.setObjectName("historyTable")
        table.setAccessibleName(self.tr("Earlier launches"))
        heads = (self.tr("When"), self.tr("Model"), self.tr("Engine"), self.tr("End"), self.tr("Ready after"))
        table.setHorizontalHeaderLabels(list(heads))
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        table.currentCellChanged.connect(self._chosen)

    def _make_details(self) -> None:
        self._details.setObjectName("historyDetails")
        self._details.setAccessibleName(self.tr("What is known of this launch"))
        self._details.setProperty("look", "log")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setFixedHeight(DETAILS_HEIGHT)

    def _lay_out(self) -> None:
        export = button(self.tr("Export…"), "exportHistoryButton", icon="download")
        export.clicked.connect(lambda: self.export_wanted.emit(self._failures.isChecked()))
        close = button(self.tr("Close"), "closeHistoryButton", kind="primary")
        close.clicked.connect(self.accept)
        top = row()
        top.addWidget(heading(self.tr("Earlier launches")), 1)
        top.addWidget(self._failures)
        self._empty = quiet(self.tr("No launch has been remembered yet."))
        bottom = row()
        bottom.addWidget(self._said, 1)
        bottom.addWidget(export)
        bottom.addWidget(close)
        layout = column(self, spacing=STEP, margin=3 * STEP)
        layout.addLayout(top)
        layout.addWidget(self._empty)
        layout.addWidget(self._table, 1)
        layout.addWidget(self._details)
        layout.addLayout(bottom)

    def say(self, text: str) -> None:
        self._said.set_full_text(text)

    def _fill(self) -> None:
        self._empty.setVisible(not self._records)
        self._table.setRowCount(len(self._records))
        for line, record in enumerate(self._records):
            for place, text in enumerate(self._words.record_row(record, self._names)):
                self._table.setItem(line, place, QTableWidgetItem(text))
        if self._records:
            self._table.setCurrentCell(0, 0)

    def _filter(self, only_failures: bool) -> None:
        for line, record in enumerate(self._records):
            self._table.setRowHidden(line, only_failures and record.error is None)

    def _chosen(self, line: int) -> None:
        self._details.setPlainText(self._words.record_text(self._records[line]) if line >= 0 else "")
