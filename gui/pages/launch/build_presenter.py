"""What the chosen engine accepts for the chosen model, told to the options; extra arguments are checked while they are
typed."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.engine.build import Build, guessed
from core.engine_options import checked
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo
from core.planning.spelling import Spelling
from gui.desk import Desk
from gui.pages.launch.launch_spelling import LaunchSpelling
from gui.pages.launch.options import Choice
from gui.pages.launch.page import LaunchPage


class BuildPresenter(QObject):
    def __init__(self, page: LaunchPage, desk: Desk, spelling: LaunchSpelling) -> None:
        super().__init__(page)
        self._options = page.options
        self._desk = desk
        self._spelling = spelling
        self._shown: tuple[Build, object] | None = None
        self._checked: object = None
        page.options.prompt_cache.default_folder = str(desk.services.paths.cache / "prompts")
        page.options.changed.connect(self._look)
        spelling.changed.connect(self._look)

    def _look(self) -> None:
        choice, engine = self._options.choice(), self._options.engine
        if engine is None:
            # What would be installed is the newest one.
            self._show(guessed("", "cpu" if self._options.on_cpu else "cuda"), Spelling())
            return
        known = self._spelling.of(choice.model_id, engine)
        self._show(known.build or guessed(engine.version, engine.platform), known)
        self._check(choice, engine, known)

    def _show(self, build: Build, known: Spelling) -> None:
        if (build, known.traits) != self._shown:
            self._shown = build, known.traits
            self._options.show_build(build, known.traits)

    def _check(self, choice: Choice, engine: EngineInfo, known: Spelling) -> None:
        field = self._options.more.extra
        key = (choice, engine, known, field.text)
        if key == self._checked:
            return
        self._checked = key
        self._options.more.show_trouble("extra", self._trouble(choice, engine, known))

    def _trouble(self, choice: Choice, engine: EngineInfo, known: Spelling) -> str:
        """The first thing that is wrong with the extra arguments, and what was probably meant."""
        if self._options.more.extra.error:
            return self.tr("A quote is not closed.")
        capabilities = known.build.capabilities if known.build is not None else None
        if capabilities is None or not choice.choices.more.extra:
            return ""
        try:
            checked(known.request(choice.model_id, "/", engine, choice.choices), capabilities)
        except AppError as error:
            words = self._desk.speech.explain(ErrorInfo.of(error))
            return f"{words.sentence} {words.next_step}".strip()
        return ""
