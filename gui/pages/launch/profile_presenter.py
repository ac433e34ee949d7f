"""Remembered choices: the last good launch of a model comes back when the model is chosen, presets when they are asked
for."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QDateTime, QLocale, QObject, Qt
from PySide6.QtWidgets import QFileDialog

from core.events import ErrorInfo, ModelsChanged, ServerState, ServerStatus
from core.planning.choices import Choices, of_settings
from core.planning.found_choices import explained
from core.profiles.profile import Profile
from core.profiles.profiles import Imported, Recalled
from gui import figures
from gui.bridge import Call
from gui.desk import Desk
from gui.dialogs.save_profile import SaveProfile
from gui.pages.launch.page import LaunchPage

_FILE = "stowage-profiles.json"


class ProfilePresenter(QObject):
    """One origin at a time: what the form was filled from, as long as its choices are those. Nothing that a person
    changed is overwritten: an answer that comes after a change is only offered."""

    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page, self._options, self._bar, self._desk = page, page.options, page.options.profile, desk
        self._names: dict[str, str] = {}
        self._asked: tuple[str, str | None] | None = None
        self._untouched: Choices | None = None
        self._call: Call | None = None
        self._last: Recalled | None = None
        self._origin: tuple[str, Choices] | None = None
        self._profiles: tuple[Profile, ...] = ()
        self._chosen: Profile | None = None
        self._options.changed.connect(self._look)
        self._options.refitted.connect(self._refitted)
        for signal, slot in (
            (self._bar.last_wanted, self._take_last),
            (self._bar.reset_wanted, self._reset),
            (self._bar.picked, self._pick),
            (self._bar.save_wanted, self._save),
            (self._bar.remove_wanted, self._remove),
            (self._bar.import_wanted, self._import),
            (self._bar.export_wanted, self._export),
        ):
            signal.connect(slot)
        desk.bridge.on(ModelsChanged, self._models_changed, owner=self)
        desk.bridge.on(ServerStatus, self._server_changed, owner=self)

    # ---- what it hears ---------------------------------------------------------------------------------------------

    def _models_changed(self, event: ModelsChanged) -> None:
        self._names = {model.id: model.name for model in event.models}
        self._look()

    def _server_changed(self, status: ServerStatus) -> None:
        if status.state is ServerState.READY and self._asked is not None:
            self._desk.bridge.call(self._desk.services.profiles.last, *self._asked, owner=self, done=self._have_newer)

    def _look(self) -> None:
        if not self._names:
            return
        choice = self._options.choice()
        key = (choice.model_id, choice.engine_id)
        if key != self._asked:
            self._ask(key)
        self._tell()

    def _ask(self, key: tuple[str, str | None]) -> None:
        """The latest wins."""
        same_model = self._asked is not None and self._asked[0] == key[0]
        mine = self._choices()
        if not same_model:
            self._origin, self._last, self._chosen = None, None, None
            self._bar.show_notes(())
        # On another engine the same origin comes back in its terms.
        fresh = not same_model or (self._origin is not None and self._origin[1] == mine and self._chosen is None)
        self._asked, self._untouched = key, mine if fresh else None
        if self._call is not None:
            self._call.cancel()
        services, bridge = self._desk.services, self._desk.bridge
        self._call = bridge.call(services.profiles.last, *key, owner=self, done=self._have_last)
        bridge.call(services.profiles.all, key[0], owner=self, done=self._have_profiles)

    def _have_last(self, last: Recalled | None) -> None:
        self._call, self._last = None, last
        if last is not None and self._untouched == self._choices():
            self._take_last()
        self._tell()

    def _have_newer(self, last: Recalled | None) -> None:
        """A launch that went well is the last one from now on."""
        self._last = last
        if last is not None and self._origin is None:
            self._origin = self._time_of(last), self._choices()
        self._tell()

    def _have_profiles(self, profiles: tuple[Profile, ...]) -> None:
        self._profiles = profiles
        self._tell()

    # ---- choices ---------------------------------------------------------------------------------------------------

    def _choices(self) -> Choices:
        """Of the form."""
        return self._wished(self._options.choice().choices)

    def _wished(self, choices: Choices) -> Choices:
        """What is left free counts only where somebody wished for it."""
        return choices if self._options.free_wished else replace(choices, leave_free_gib=None)

    def _refitted(self, before: Choices) -> None:
        """What a build cannot do counts as not chosen, and the build is often known after the model: no person's
        change."""
        was, now = self._wished(before), self._choices()
        if self._untouched == was:
            self._untouched = now
        if self._origin is not None and self._origin[1] == was:
            self._origin = self._origin[0], now

    def _take(self, recalled: Recalled, origin: str) -> None:
        self._options.take(recalled.choices)
        self._origin = origin, self._choices()
        language = self._desk.speech.language
        told = [f"{remark.flag}: {explained(remark, language)}" for remark in recalled.remarks]
        told += [self._desk.speech.explain(note).sentence for note in recalled.notes]
        self._bar.show_notes(tuple(told))
        self._tell()

    def _take_last(self) -> None:
        if self._last is not None:
            self._chosen = None
            self._take(self._last, self._time_of(self._last))

    def _time_of(self, last: Recalled) -> str:
        moment = QDateTime.fromSecsSinceEpoch(int(last.began_at or 0))
        locale = figures.locale_of(self._desk.speech.language)
        when = locale.toString(moment, QLocale.FormatType.ShortFormat)
        return self.tr("As last time, {when}, with {engine}.").format(when=when, engine=last.engine)

    def _reset(self) -> None:
        model_id, engine_id = self._options.choice().model_id, self._options.choice().engine_id
        self._desk.bridge.call(
            self._desk.services.suggest, model_id, engine_id, owner=self, done=self._suggested,
            failed=lambda _error: self._suggested(None),
        )  # fmt: skip

    def _suggested(self, choices: Choices | None) -> None:
        self._chosen = None
        self._take(Recalled(choices or of_settings(self._desk.services.settings.current)), self.tr("As suggested."))

    def _pick(self, place: int) -> None:
        if place < len(self._profiles):
            profile = self._profiles[place]
            engine = self._options.choice().engine_id
            self._desk.bridge.call(
                self._desk.services.profiles.fit, profile, engine, owner=self,
                done=lambda recalled: self._picked(profile, recalled),
            )  # fmt: skip

    def _picked(self, profile: Profile, recalled: Recalled) -> None:
        self._chosen = profile
        self._take(recalled, self._called(profile))

    def _called(self, profile: Profile) -> str:
        return self.tr("Profile “{name}”.").format(name=profile.name)

    # ---- presets ---------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        choice = self._options.choice()
        name = self._chosen.name if self._chosen is not None else ""
        dialog = SaveProfile(self._page.window(), self._names.get(choice.model_id, choice.model_id), name)
        dialog.named.connect(self._named)
        dialog.open()

    def _named(self, name: str, general: bool) -> None:
        choice, engine = self._options.choice(), self._options.engine
        build = f"{engine.platform} {engine.version}" if engine is not None else ""
        model = "" if general else choice.model_id
        self._desk.bridge.call(
            self._desk.services.profiles.save, name, self._choices(), model, build, owner=self, done=self._saved,
            failed=self._failed,
        )  # fmt: skip

    def _saved(self, profile: Profile) -> None:
        self._chosen, self._origin = profile, (self._called(profile), self._choices())
        self._refresh()

    def _remove(self) -> None:
        if self._chosen is not None:
            gone, self._chosen, self._origin = self._chosen, None, None
            self._desk.bridge.call(
                self._desk.services.profiles.remove, gone.name, gone.model, owner=self, done=self._refresh,
                failed=self._failed,
            )  # fmt: skip

    def _refresh(self, _nothing: None = None) -> None:
        model_id = self._options.choice().model_id
        self._desk.bridge.call(self._desk.services.profiles.all, model_id, owner=self, done=self._have_profiles)

    def _import(self) -> None:
        dialog = self._dialog(self.tr("Import profiles"), QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(self.import_from)
        dialog.open()

    def import_from(self, path: str) -> None:
        self._desk.bridge.call(
            self._desk.services.profiles.import_file, path, owner=self, done=self._imported, failed=self._failed
        )

    def _imported(self, imported: Imported) -> None:
        names = ", ".join(imported.names)
        told = [self.tr("Imported: {names}.").format(names=names)]
        told += [self._desk.speech.explain(note).sentence for note in imported.notes]
        self._bar.show_notes(tuple(told))
        self._refresh()

    def _export(self) -> None:
        dialog = self._dialog(self.tr("Export these profiles"), QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(_FILE)
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    def export_to(self, path: str) -> None:
        self._desk.bridge.call(
            self._desk.services.profiles.export, path, self._profiles, owner=self, done=self._exported,
            failed=self._failed,
        )  # fmt: skip

    def _exported(self, _nothing: None) -> None:
        self._bar.show_notes((self.tr("The profiles are written down."),))

    def _dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self._page.window(), title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(mode)
        dialog.setNameFilter(self.tr("Profiles (*.json)"))
        dialog.setDefaultSuffix("json")
        return dialog

    def _failed(self, error: ErrorInfo) -> None:
        self._page.banner.show_words(self._desk.speech.explain(error))

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        mine = self._origin is not None and self._origin[1] == self._choices()
        text = ""
        if self._origin is not None and mine:
            text = self._origin[0]
        elif self._origin is not None or self._last is not None:
            text = self.tr("Changed since last time.") if self._last is not None else self.tr("Changed by you.")
        as_last = self._last is not None and not (mine and self._chosen is None and self._is_last())
        self._bar.show_origin(text, last=as_last)
        general = self.tr("{name} (every model)")
        names = tuple(each.name if each.model else general.format(name=each.name) for each in self._profiles)
        self._bar.show_profiles(names, self._chosen.name if self._chosen is not None else "")

    def _is_last(self) -> bool:
        return self._origin is not None and self._last is not None and self._origin[0] == self._time_of(self._last)
