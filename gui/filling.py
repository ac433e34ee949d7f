"""Fills the shown window: pages one per turn of the event loop, then opens the services."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from core.events import ErrorInfo, Notice, ServerState, ServerStatus
from gui import icons, shortcuts
from gui.budget.panel import BudgetPanel
from gui.budget.presenter import BudgetPresenter
from gui.desk import Desk
from gui.dialogs.shortcut_list import ShortcutList
from gui.theme import Theme
from gui.widgets.status_strip import StatusStrip
from gui.window import MainWindow

if TYPE_CHECKING:
    from gui.pages.launch.options import Choice
    from gui.pages.models.search_presenter import Looking


@dataclass(frozen=True, slots=True)
class State:
    """What is looked for among the models; `conversation` that is open; what the Launch page would start."""

    models: Looking
    conversation: str
    launch: Choice


class Filling(QObject):
    """Makes the pages and their presenters and connects them with each other. `done` when the services are open and
    everything is shown; `language_chosen` with what the settings say now.

    Args:
        before: what was filled in another language, and is on the screen until this has been made.
    """

    done = Signal()
    language_chosen = Signal(str)

    def __init__(
        self, window: MainWindow, desk: Desk, theme: Theme, parent: QObject, before: Filling | None = None
    ) -> None:
        super().__init__(parent)
        self._before = before.state if before is not None else None
        self._old = before
        self._window = window
        self._desk = desk
        self._theme = theme
        self._talk_to = ""
        self._status = StatusStrip(desk)
        self._budget_panel = BudgetPanel()
        self._budget = BudgetPresenter(self._budget_panel, window, desk)
        self._steps: list[Callable[[], None]] = [
            self._load_models,
            self._add_models,
            self._load_launch,
            self._add_launch,
            self._add_plan,
            self._add_chat,
            self._add_compare,
            self._add_engines,
            self._add_settings,
            self._connect,
        ]

    def begin(self) -> None:
        self._window.bottom_row.addWidget(self._status)
        self._window.budget_row.addWidget(self._budget_panel)
        self._desk.bridge.failed_unheard.connect(self._failed_unheard)
        self._desk.bridge.on(Notice, self._notice, owner=self)
        self._next()

    def show_closing(self, words: str) -> None:
        """The services are about to close: nothing more is asked of them."""
        self.end()
        self._status.show_words(words)

    def end(self) -> None:
        """Nothing more is asked of the services; what the user was writing is kept."""
        self._window.let_use(False)
        self._budget.end()
        self._models.end()
        self._chat.end()

    @property
    def state(self) -> State:
        """Where the user is, for another language's window."""
        return State(self._models.looking, self._chat.current.id, self._launch_page.options.choice())

    @property
    def answering(self) -> bool:
        return bool(self._chat.talk.writing_in)

    def refresh_settings(self) -> None:
        self._settings.refresh()

    def _next(self) -> None:
        self._steps.pop(0)()
        if self._steps:
            QTimer.singleShot(0, self, self._next)
        elif self._old is not None:
            self._old.deleteLater()
            self._old = None
            self._window.show_anew(self._shown_anew)
        else:
            self._desk.bridge.call(self._desk.services.open, owner=self, done=self._opened, failed=self._open_failed)

    def _opened(self, _nothing: None) -> None:
        self._budget.begin()
        self._models.begin()
        self._chat.begin()
        self.done.emit()

    def _shown_anew(self) -> None:
        """The services are open for long: hear from them how everything is."""
        self._desk.bridge.tell_again()
        self._budget.begin()
        self._models.begin()
        if self._before is not None:
            self._models.bring_back(self._before.models)
            self._chat.begin(self._before.conversation)
            self._launch_page.options.choose_model(self._before.launch.model_id)
            self._launch_page.options.take(self._before.launch.choices)
        self._settings_page.focus_language()
        self.done.emit()

    def _open_failed(self, error: ErrorInfo) -> None:
        self._failed_unheard(error)
        self.done.emit()

    # ---- pages -----------------------------------------------------------------------------------------------------

    def _load_models(self) -> None:
        """Reading a page's modules is a turn of its own, so that no turn is long."""
        import gui.pages.models.page
        import gui.pages.models.presenter  # noqa: F401

    def _add_models(self) -> None:
        from gui.pages.models.page import ModelsPage
        from gui.pages.models.presenter import ModelsPresenter

        page = ModelsPage(self._desk.speech)
        self._models_page = page
        self._models = ModelsPresenter(page, self._desk)
        self._window.add_page("models", page)

    def _load_launch(self) -> None:
        """The largest page: reading its modules is a turn of its own, so that no turn is long."""
        import gui.pages.launch.page
        import gui.pages.launch.plan_presenter
        import gui.pages.launch.presenter
        import gui.pages.launch.run.care_presenter  # noqa: F401

    def _add_launch(self) -> None:
        from gui.pages.launch.page import LaunchPage
        from gui.pages.launch.presenter import LaunchPresenter
        from gui.pages.launch.run.care_presenter import CarePresenter
        from gui.pages.launch.run.history_presenter import HistoryPresenter

        page = LaunchPage(self._desk.speech)
        self._launch = LaunchPresenter(page, self._desk)
        self._care = CarePresenter(page, self._desk)
        self._care.fix_wanted.connect(self._launch.relaunch)
        self._care.fetch_wanted.connect(self._launch.launch_fetching)
        self._care.page_wanted.connect(self._window.show_page)
        HistoryPresenter(page, self._desk)
        self._launch_page = page
        self._window.add_page("launch", page)

    def _add_plan(self) -> None:
        from gui.pages.launch.build_presenter import BuildPresenter
        from gui.pages.launch.paste_presenter import PastePresenter
        from gui.pages.launch.plan_presenter import PlanPresenter
        from gui.pages.launch.precise_presenter import PrecisePresenter
        from gui.pages.launch.profile_presenter import ProfilePresenter

        page = self._launch_page
        plan = PlanPresenter(page, self._desk)
        BuildPresenter(page, self._desk, plan.spelling)
        ProfilePresenter(page, self._desk)
        PastePresenter(page, self._desk)
        plan.plan_changed.connect(PrecisePresenter(page, self._desk).plan_changed)
        plan.ghost_changed.connect(self._budget.show_plan)
        page.plan.budget_opened.connect(self._budget.open_details)
        page.plan.measure_wanted.connect(self._measure)
        self._window.page_shown.connect(plan.page_shown)
        plan.page_shown(self._window.shown_page)

    def _add_chat(self) -> None:
        from gui.pages.chat.page import ChatPage
        from gui.pages.chat.presenter import ChatPresenter

        page = ChatPage(self._desk.speech.language)
        self._chat = ChatPresenter(page, self._desk)
        self._chat_page = page
        self._window.add_page("chat", page)

    def _add_compare(self) -> None:
        from gui.pages.compare.page import ComparePage
        from gui.pages.compare.presenter import ComparePresenter

        page = ComparePage(self._desk.speech)
        self._compare = ComparePresenter(page, self._desk)
        self._window.add_page("compare", page)

    def _add_engines(self) -> None:
        from gui.pages.engines.page import EnginesPage
        from gui.pages.engines.presenter import EnginesPresenter

        page = EnginesPage(self._desk.speech)
        self._engines = EnginesPresenter(page, self._desk)
        self._window.add_page("engines", page)

    def _add_settings(self) -> None:
        from gui.pages.settings.account_presenter import AccountPresenter
        from gui.pages.settings.page import SettingsPage
        from gui.pages.settings.presenter import SettingsPresenter

        page = SettingsPage(self._desk.services.paths)
        self._settings_page = page
        self._settings = SettingsPresenter(page, self._desk)
        AccountPresenter(page, self._desk)
        self._window.add_page("settings", page)

    # ---- wires between pages ---------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._models.launch_wanted.connect(self._launch_model)
        self._models.talk_wanted.connect(self._launch_and_talk)
        self._desk.bridge.on(ServerStatus, self._server_changed, owner=self)
        self._launch.chat_wanted.connect(self._show_chat)
        self._chat.launch_wanted.connect(self._show_launch)
        self._chat.relaunch_wanted.connect(self._launch.launch_model)
        self._chat.speed_changed.connect(self._status.show_speed)
        self._settings.theme_chosen.connect(self._theme.choose)
        self._settings.language_chosen.connect(self.language_chosen)
        self._status.downloads_wanted.connect(self._show_downloads)
        self._theme.changed.connect(self._chat_page.restyle)
        self._theme.changed.connect(self._models.restyle)
        self._theme.changed.connect(self._compare.redraw)
        shortcuts.add(self._window.inside, "shortcuts", self._show_shortcuts)
        icons.retint(self._window)

    def _show_shortcuts(self) -> None:
        if self._window.findChild(ShortcutList) is None:
            ShortcutList(self._window).open()

    def _launch_model(self, model_id: str) -> None:
        self._show_launch()
        self._launch.launch_model(model_id)

    def _launch_and_talk(self, model_id: str) -> None:
        """One click from an unknown model to a chat."""
        self._talk_to = model_id
        self._launch_model(model_id)

    def _server_changed(self, status: ServerStatus) -> None:
        if self._talk_to and status.state in (ServerState.READY, ServerState.FAILED):
            wanted, self._talk_to = self._talk_to, ""
            # Whoever went to another page meanwhile stays there.
            if status.state is ServerState.READY and status.model == wanted and self._window.shown_page == "launch":
                self._show_chat()

    def _show_downloads(self) -> None:
        self._window.show_page("models")
        self._models_page.bring_downloads()

    def _measure(self) -> None:
        self._budget.open_details("ram")

    def _show_launch(self) -> None:
        self._window.show_page("launch")

    def _show_chat(self) -> None:
        self._window.show_page("chat")
        self._chat_page.composer.focus()

    def _failed_unheard(self, error: ErrorInfo) -> None:
        self._banner_of_shown_page().show_words(self._desk.speech.explain(error))

    def _notice(self, event: Notice) -> None:
        self._failed_unheard(event.error)

    def _banner_of_shown_page(self):
        page: QWidget = self._window.page(self._window.shown_page or "models")
        return page.banner  # type: ignore[attr-defined]
