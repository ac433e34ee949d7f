"""Models: the starter, and the checkpoint folders on this computer."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from core.events import ModelInfo
from core.words import Words
from gui import figures
from gui.pages.frame import PageFrame
from gui.theme import STEP
from gui.widgets.buttons import button, icon_button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet, toned
from gui.words import Speech


class ModelCard(QFrame):
    """One model. `launch` and `forget` carry its id."""

    launch = Signal(str)
    forget = Signal(str)

    def __init__(self, model: ModelInfo, about: str, problem: Words | None, *, primary: bool) -> None:
        super().__init__()
        self.setObjectName(f"model-{model.id}")
        self.setProperty("card", "true")
        self._id = model.id
        outer = row(self, spacing=2 * STEP)
        outer.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        texts = column(spacing=STEP // 2)
        texts.addWidget(heading(model.name))
        texts.addWidget(quiet(about))
        if model.path and model.id != "starter":
            texts.addWidget(quiet(model.path))
        if problem is not None:
            texts.addWidget(toned("bad", f"{problem.title}. {problem.sentence}"))
            texts.addWidget(plain(problem.next_step))
        outer.addLayout(texts, 1)
        if model.id != "starter":
            name = self.tr("Take {model} off the list (its files stay)").format(model=model.name)
            forget = icon_button("close", f"forget-{model.id}", name)
            forget.clicked.connect(self._forget)
            outer.addWidget(forget)
        start = button(self.tr("Launch"), f"launch-{model.id}", kind="primary" if primary else "", icon="")
        start.setAccessibleName(self.tr("Launch {model}").format(model=model.name))
        start.setEnabled(problem is None)
        start.clicked.connect(self._launch)
        outer.addWidget(start)

    def _launch(self) -> None:
        self.launch.emit(self._id)

    def _forget(self) -> None:
        self.forget.emit(self._id)


class ModelsPage(QWidget):
    """Signals carry what the user wants; `show_*` methods take snapshots."""

    launch_wanted = Signal(str)
    forget_wanted = Signal(str)
    folder_given = Signal(str)
    guide_wanted = Signal()

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self._speech = speech
        self._frame = PageFrame(
            self.tr("Models"), self.tr("Choose what to run. Everything stays on this computer."), scrolls=True
        )
        self.banner = self._frame.banner
        self._guide = GuideCard()
        self._guide.wanted.connect(self.guide_wanted)
        self._list = QWidget()
        self._rows = column(self._list, spacing=STEP + 4)
        self._adder = AddFolder()
        self._adder.given.connect(self.folder_given)
        body = self._frame.body
        body.addWidget(self._guide)
        body.addWidget(self._list)
        body.addWidget(self._adder)
        body.addStretch(1)
        column(self).addWidget(self._frame)
        self.setAcceptDrops(True)
        self._loading = quiet(self.tr("Looking at your models…"))
        self._rows.addWidget(self._loading)

    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        _empty(self._rows)
        for place, model in enumerate(models):
            problem = self._speech.explain(model.error) if model.error else None
            made = ModelCard(
                model, self._about(model), problem, primary=place == 0 and not self._guide.isVisibleTo(self)
            )
            made.launch.connect(self.launch_wanted)
            made.forget.connect(self.forget_wanted)
            self._rows.addWidget(made)

    def show_guide(self, sizes: str) -> None:
        """Offer the guided first start; "" takes the offer away."""
        self._guide.offer(sizes)

    def show_added(self) -> None:
        self._adder.clear()

    def _about(self, model: ModelInfo) -> str:
        language = self._speech.language
        if model.id == "starter":
            parts = [self.tr("Starter model"), self._size(model), self.tr("works without an account")]
        else:
            parts = [model.architecture, self._size(model)]
        if model.context_tokens:
            parts.append(
                self.tr("{tokens} tokens of context").format(tokens=figures.count(model.context_tokens, language))
            )
        return " · ".join(part for part in parts if part)

    def _size(self, model: ModelInfo) -> str:
        return figures.gib(model.size_bytes, self._speech.language) if model.size_bytes else ""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.folder_given.emit(url.toLocalFile())
        event.acceptProposedAction()


class GuideCard(QFrame):
    """The first start in one action."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("guideCard")
        self.setProperty("card", "chosen")
        self._about = plain()
        self._start = button(self.tr("Install engine and start the starter model"), "guideButton", kind="primary")
        self._start.clicked.connect(self.wanted)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("Your first answer, in one step")))
        layout.addWidget(self._about)
        layout.addWidget(self._start)
        self.hide()

    def offer(self, sizes: str) -> None:
        self._about.setText(sizes)
        self.setVisible(bool(sizes))


class AddFolder(QFrame):
    """A checkpoint folder by path, by dialog, or dropped on the page."""

    given = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._path = QLineEdit()
        self._path.setObjectName("folderPath")
        self._path.setAccessibleName(self.tr("Path of a checkpoint folder"))
        self._path.setPlaceholderText(self.tr("Paste a path, or drop a folder on this page"))
        self._path.returnPressed.connect(self._give)
        self._add = button(self.tr("Add"), "addFolderButton")
        self._add.setAccessibleName(self.tr("Add this folder"))
        self._add.setEnabled(False)
        self._add.clicked.connect(self._give)
        self._path.textChanged.connect(self._typed)
        browse = button(self.tr("Browse…"), "browseFolderButton", icon="folder")
        browse.clicked.connect(self._browse)
        layout = column(self, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("A model on this computer")))
        layout.addWidget(quiet(self.tr("A folder with config.json, the safetensors files and the tokenizer.")))
        line = row()
        line.addWidget(self._path, 1)
        line.addWidget(self._add)
        line.addWidget(browse)
        layout.addLayout(line)

    def clear(self) -> None:
        self._path.clear()

    def _typed(self, text: str) -> None:
        self._add.setEnabled(bool(text.strip()))

    def _give(self) -> None:
        if path := self._path.text().strip().strip("\"'").removeprefix("file://"):
            self.given.emit(path)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a checkpoint folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.given)
        dialog.open()


def _empty(rows: QVBoxLayout) -> None:
    while (item := rows.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
