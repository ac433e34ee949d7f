"""What is known of a launch besides its phases: verdicts, figures, vitals, what would help; and the verbs for it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from core.care import Sharing
from core.engine.diagnosis import PREFIX
from core.engine.fixes import Fix
from core.engine.launch_events import (
    FixesFound,
    LaunchFixed,
    LaunchRecorded,
    ProofChanged,
    SleepChanged,
    VitalsChanged,
)
from core.events import Notice, ServerState, ServerStatus
from core.launches import SinceGood
from core.ledger.record import LaunchRecord
from core.words import Words
from gui.desk import Desk
from gui.pages.launch.page import LaunchPage
from gui.pages.launch.run.run_words import FETCH, RunWords
from gui.pages.launch.run.server_view import PROOF


class CarePresenter(QObject):
    """`fix_wanted` with a `Fix` that a person chose; `fetch_wanted`: the launch, its model got before; `page_wanted`
    with the page where something has to be done first."""

    fix_wanted = Signal(object)
    fetch_wanted = Signal()
    page_wanted = Signal(str)

    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page, self._desk = page, desk
        self._words = RunWords(desk.speech, self)
        self._launch_id = ""
        self._status = ServerStatus()
        self._fixes: tuple[Fix, ...] = ()
        self._sharing = Sharing()
        server, serving = page.server, page.server.serving
        page.help.fix_wanted.connect(self._fix)
        page.help.action_wanted.connect(self._go_elsewhere)
        page.help.report_wanted.connect(self._copy_report)
        server.seen.connect(self._seen)
        serving.changed.connect(self._change)
        serving.sleep_wanted.connect(self._send_to_sleep)
        serving.wake_wanted.connect(self._wake)
        serving.show_settings(desk.services.settings.current)
        bridge = desk.bridge
        bridge.on(ServerStatus, self._server_changed, owner=self)
        bridge.on(ProofChanged, self._proof_changed, owner=self)
        bridge.on(LaunchRecorded, self._recorded, owner=self)
        bridge.on(VitalsChanged, self._vitals_changed, owner=self)
        bridge.on(SleepChanged, self._sleep_changed, owner=self)
        bridge.on(FixesFound, self._fixes_found, owner=self)
        bridge.on(LaunchFixed, self._fixed, owner=self)
        bridge.on(Notice, self._notice, owner=self)

    # ---- verbs -----------------------------------------------------------------------------------------------------

    def _fix(self, kind: str) -> None:
        if kind == FETCH:
            self.fetch_wanted.emit()
            return
        fix = next((fix for fix in self._fixes if fix.kind == kind), None)
        if fix is not None:
            self.fix_wanted.emit(fix)

    def _go_elsewhere(self, action: str) -> None:
        if action == "other_engine":
            self._page.banner.dismiss()
            self._page.options.choose_other_engine()
        else:
            self.page_wanted.emit({"repair_engine": "engines", "sign_in": "settings"}.get(action, "models"))

    def _copy_report(self) -> None:
        self._call(self._desk.services.care.report, done=self._have_report)

    def _have_report(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._page.help.show_copied()

    def _seen(self, seen: bool) -> None:
        self._call(self._desk.services.care.show_vitals, seen)

    def _change(self, name: str, value: object) -> None:
        if name == "api_key":
            endpoint = self._desk.services.endpoint
            value = endpoint.api_key if value and endpoint is not None else ""
        self._call(self._desk.services.change_settings, done=self._page.server.serving.show_settings, **{name: value})

    def _send_to_sleep(self) -> None:
        self._call(self._desk.services.care.sleep)

    def _wake(self) -> None:
        self._call(self._desk.services.care.wake)

    def _show_sleep(self, *, asleep: bool) -> None:
        self._page.server.serving.show_sleep(able=self._sharing.sleeps, asleep=asleep)

    def _call(self, verb: Any, *args: Any, done: Any = None, **kwargs: Any) -> None:
        self._desk.bridge.call(verb, *args, owner=self, done=done, **kwargs)

    # ---- what is heard ---------------------------------------------------------------------------------------------

    def _server_changed(self, status: ServerStatus) -> None:
        before, self._status = self._status, status
        if status.launch_id and status.launch_id != self._launch_id:
            self._begin(status.launch_id)
        if status.state is ServerState.READY and before.state is not ServerState.READY:
            self._page.server.serving.show_settings(self._desk.services.settings.current)
            self._call(self._desk.services.care.sharing, done=self._have_sharing)

    def _begin(self, launch_id: str) -> None:
        self._launch_id, self._fixes = launch_id, ()
        server = self._page.server
        for part in (server.ready.chips, server.note, server.proof):
            part.show_lines(())
        server.figures.show_lines(())
        server.ready.show_vitals("", "", "")
        server.ready.show_table("")
        server.tabs.show_page(PROOF)
        self._page.help.hide()

    def _have_sharing(self, sharing: Sharing) -> None:
        self._sharing = sharing
        elsewhere = self.tr("Only programs on this computer can reach it.")
        if sharing.shared and sharing.address:
            elsewhere = self.tr("Other computers reach it at {address}").format(address=sharing.address)
        elif sharing.shared:
            elsewhere = self.tr("Other computers may reach it; this computer has no address in a network now.")
        self._page.server.connect_card.show_endpoint(self._desk.services.endpoint, elsewhere)
        self._show_sleep(asleep=False)
        queue = self.tr(
            "One request at a time: the others wait, the chat's among them. More side by side is slower here; choose "
            "it as “Requests at once”."
        )
        self._page.server.serving.show_queue(queue if sharing.one_at_a_time else "")

    def _proof_changed(self, event: ProofChanged) -> None:
        if event.launch_id != self._launch_id:
            return
        lines = tuple(map(self._words.proof, event.findings))
        server = self._page.server
        server.ready.chips.show_lines(lines)
        server.note.show_lines(lines)
        server.proof.show_lines(lines, nothing=event.complete)

    def _recorded(self, event: LaunchRecorded) -> None:
        self._call(self._desk.services.launches.find, event.launch_id, done=self._have_record)

    def _have_record(self, record: LaunchRecord | None) -> None:
        if record is None or record.id != self._launch_id:
            return
        figures = [figure for figure in record.figures if figure.predicted is not None and figure.actual is not None]
        runs = self._desk.services.launches.runs
        lines = tuple(self._words.figure(figure, runs.get(figure.name, 0)) for figure in figures)
        self._page.server.figures.show_lines(lines)

    def _vitals_changed(self, event: VitalsChanged) -> None:
        if event.launch_id == self._launch_id:
            self._page.ready.show_vitals(self._words.vitals(event.vitals), *self._words.limits(event.vitals))
            self._page.ready.show_table(self._words.table(event.vitals.table))

    def _sleep_changed(self, event: SleepChanged) -> None:
        if event.launch_id == self._launch_id:
            self._show_sleep(asleep=event.asleep)

    def _fixes_found(self, event: FixesFound) -> None:
        if event.launch_id != self._launch_id:
            return
        self._fixes = event.fixes
        self._page.help.show_fixes(tuple(map(self._words.fix, event.fixes)))
        self._call(self._desk.services.launches.since_good, self._status.model, done=self._have_since)

    def _have_since(self, since: SinceGood | None) -> None:
        self._page.help.show_since(self._words.since_good(since) if since is not None else "")

    def _fixed(self, event: LaunchFixed) -> None:
        told = self._desk.speech.explain(event.error)
        text = self._words.fixed(told.title, event.fix)
        self._page.news.show_words(
            Words(self.tr("Stowage put something right by itself"), text, "", told.details), error=False
        )

    def _notice(self, event: Notice) -> None:
        """A server may be ready and yet refuse every message (no chat template): the launch has to change."""
        if event.error.code.startswith(PREFIX):
            self._page.banner.show_words(self._desk.speech.explain(event.error))
