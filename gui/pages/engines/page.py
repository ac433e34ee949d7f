"""Engines: what is installed, what is recommended, and adding one's own."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from core.events import EngineInfo, EngineState, Progress
from gui import figures
from gui.pages.frame import PageFrame
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.progress_row import ProgressRow
from gui.widgets.status_dot import Sign, StatusDot
from gui.widgets.texts import heading, plain, quiet, selectable, toned
from gui.words import Speech

SIGNS = {
    EngineState.READY: Sign.ON,
    EngineState.INSTALLING: Sign.BUSY,
    EngineState.BROKEN: Sign.BAD,
    EngineState.UNVERIFIED: Sign.OFF,
}


class EngineCard(QFrame):
    """One engine. `wanted` with what to do ("select", "verify", "repair", "remove") and its id."""

    wanted = Signal(str, str)

    def __init__(self, engine: EngineInfo, speech: Speech, *, selected: bool) -> None:
        super().__init__()
        self.setObjectName(f"engine-{engine.id}")
        self.setProperty("card", "chosen" if selected else "true")
        self._id = engine.id
        dot = StatusDot()
        dot.show_sign(SIGNS[engine.state])
        layout = column(self, spacing=STEP, margin=2 * STEP)
        top = row()
        top.addWidget(dot)
        top.addWidget(heading(speech.engine(engine)), 1)
        if selected:
            top.addWidget(toned("chip", self.tr("in use"), wrap=False))
        layout.addLayout(top)
        layout.addWidget(quiet(self._about(engine, speech)))
        layout.addWidget(selectable(quiet(engine.python)))
        if engine.error is not None:
            problem = speech.explain(engine.error)
            layout.addWidget(toned("bad", f"{problem.title}. {problem.sentence}"))
            layout.addWidget(plain(problem.next_step))
        layout.addLayout(self._buttons(engine, selected=selected))

    def _about(self, engine: EngineInfo, speech: Speech) -> str:
        parts = [speech.engine_state(engine.state)]
        if engine.python_version:
            parts.append(self.tr("Python {version}").format(version=engine.python_version))
        if engine.size_bytes:
            parts.append(figures.gib(engine.size_bytes, speech.language))
        parts.append(self.tr("installed by Stowage") if engine.ours else self.tr("your own environment"))
        return " · ".join(parts)

    def _buttons(self, engine: EngineInfo, *, selected: bool):
        idle = engine.state is not EngineState.INSTALLING
        verbs = [("verify", self.tr("Check"), self.tr("Import it and see what it says"), idle)]
        if not selected:
            verbs.insert(0, ("select", self.tr("Use"), self.tr("Launch models on this engine"), idle))
        if engine.ours:
            verbs.append(("repair", self.tr("Repair"), self.tr("Install it again, keeping what is good"), idle))
        words = self.tr("Remove…") if engine.ours else self.tr("Take off the list…")
        verbs.append(("remove", words, "", True))
        line = row(spacing=STEP)
        for verb, text, hint, enabled in verbs:
            made = button(text, f"{verb}-{engine.id}", kind="quiet")
            made.setToolTip(hint)
            made.setProperty("verb", verb)
            made.setEnabled(enabled)
            made.clicked.connect(self._clicked)
            line.addWidget(made)
        line.addStretch(1)
        return line

    def _clicked(self) -> None:
        self.wanted.emit(str(self.sender().property("verb")), self._id)


class InstallCard(QFrame):
    """The recommended engine, its size said before anything is fetched."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._title = heading()
        self._about = quiet()
        self._install = button(self.tr("Install"), "installEngineButton", kind="primary", icon="")
        self._install.clicked.connect(self.wanted)
        texts = column(spacing=STEP // 2)
        texts.addWidget(self._title)
        texts.addWidget(self._about)
        outer = row(self, spacing=2 * STEP)
        outer.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        outer.addLayout(texts, 1)
        outer.addWidget(self._install)
        self.hide()

    def offer(self, title: str, about: str) -> None:
        self._title.setText(title)
        self._about.setText(about)
        self.setVisible(bool(title))

    def show_busy(self, busy: bool) -> None:
        self._install.setEnabled(not busy)


class AddEngine(QFrame):
    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._path = QLineEdit()
        self._path.setObjectName("enginePath")
        self._path.setAccessibleName(self.tr("Path of a Python or of an environment with vLLM"))
        self._path.setPlaceholderText(self.tr("/path/to/venv or /path/to/python"))
        self._path.returnPressed.connect(self._give)
        self._path.textChanged.connect(self._typed)
        self._add = button(self.tr("Add"), "addEngineButton")
        self._add.setAccessibleName(self.tr("Add this engine"))
        self._add.setEnabled(False)
        self._add.clicked.connect(self._give)
        browse = button(self.tr("Browse…"), "browseEngineButton", icon="folder")
        browse.clicked.connect(self._browse)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("A vLLM you already have")))
        layout.addWidget(
            quiet(self.tr("Its Python or its environment's folder. Stowage uses it and never changes it."))
        )
        line = row()
        line.addWidget(self._path, 1)
        line.addWidget(self._add)
        line.addWidget(browse)
        layout.addLayout(line)

    def clear(self) -> None:
        self._path.clear()

    def show_busy(self, busy: bool) -> None:
        self._path.setEnabled(not busy)
        self._add.setEnabled(not busy and bool(self._path.text().strip()))

    def _typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        if path := self._path.text().strip().strip("\"'"):
            self.given.emit(path)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose an environment's folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.given)
        dialog.open()


class EnginesPage(QWidget):
    engine_wanted = Signal(str, str)
    install_wanted = Signal()
    path_given = Signal(str)
    cancel_wanted = Signal(str)

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self._speech = speech
        frame = PageFrame(
            self.tr("Engines"), self.tr("Installed vLLM builds. Models run on the one in use."), scrolls=True
        )
        self.banner = frame.banner
        self.install = InstallCard()
        self.install.wanted.connect(self.install_wanted)
        self.adder = AddEngine()
        self.adder.given.connect(self.path_given)
        self._progress_card = QFrame()
        self._progress_card.setProperty("card", "chosen")
        self._progress = ProgressRow(speech, "engineProgress")
        self._progress.cancelled.connect(self.cancel_wanted)
        column(self._progress_card, margin=2 * STEP).addWidget(self._progress)
        self._progress_card.hide()
        self._rows = column(spacing=STEP + 4)
        self._rows.addWidget(quiet(self.tr("Looking for engines…")))
        frame.body.addWidget(self._progress_card)
        frame.body.addLayout(self._rows)
        frame.body.addWidget(self.install)
        frame.body.addWidget(self.adder)
        frame.body.addStretch(1)
        column(self).addWidget(frame)

    def show_engines(self, engines: tuple[EngineInfo, ...], selected: str | None) -> None:
        _empty(self._rows)
        if not engines:
            self._rows.addWidget(quiet(self.tr("No engine yet. Install the recommended one, or add your own.")))
        for engine in engines:
            made = EngineCard(engine, self._speech, selected=engine.id == selected)
            made.wanted.connect(self.engine_wanted)
            self._rows.addWidget(made)

    def show_progress(self, progress: Progress | None) -> None:
        if progress is not None:
            self._progress.show_progress(progress)
        self._progress_card.setVisible(progress is not None)
        self.install.show_busy(progress is not None)


def _empty(rows: QVBoxLayout) -> None:
    while (item := rows.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
