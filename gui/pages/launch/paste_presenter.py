"""The dialog "Paste flags": what was pasted goes to the services, what each flag becomes comes back."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.engine.found.translate import Found, Taken
from core.events import ErrorInfo, MachineChanged
from core.planning.found_choices import explained, free_of_share, with_found
from core.planning.hardware import CardMemory, card_memory
from core.planning.option_facts import FLAGS
from gui import figures
from gui.bridge import Call
from gui.desk import Desk
from gui.dialogs.paste_flags import PastedLine, PasteFlags
from gui.pages.launch.page import LaunchPage

_SHARE = "--gpu-memory-utilization"
_OPTIONS = {flag: option for option, flag in FLAGS.items()}


class PastePresenter(QObject):
    def __init__(self, page: LaunchPage, desk: Desk) -> None:
        super().__init__(page)
        self._page, self._desk = page, desk
        self._found: Found | None = None
        self._text = ""
        self._dialog: PasteFlags | None = None
        self._call: Call | None = None
        self._card: CardMemory | None = None
        page.options.profile.paste_wanted.connect(self.open)
        desk.bridge.on(MachineChanged, self._machine_changed, owner=self)

    def open(self) -> None:
        engine = self._page.options.engine
        name = self._desk.speech.engine(engine) if engine is not None else "vLLM"
        self._found = None
        self._dialog = PasteFlags(self._page.window(), name)
        self._dialog.typed.connect(self._read)
        self._dialog.apply_wanted.connect(self._apply)
        self._dialog.finished.connect(self._closed)
        self._dialog.open()

    def _closed(self) -> None:
        if self._call is not None:
            self._call.cancel()
        self._dialog = self._call = None

    def _machine_changed(self, sample: MachineChanged) -> None:
        self._card = card_memory(sample.machine)

    def _read(self, text: str) -> None:
        """The latest wins."""
        if self._call is not None:
            self._call.cancel()
        self._found, self._text = None, text.replace("-", "_")
        if self._dialog is not None and not text.strip():
            self._dialog.show_lines((), self.tr("Nothing is changed until you apply it."))
            return
        engine = self._page.options.choice().engine_id
        self._call = self._desk.bridge.call(
            self._desk.services.options.read_flags, text, engine, owner=self, done=self._have, failed=self._not_read
        )

    def _have(self, found: Found) -> None:
        self._call, self._found = None, found
        if self._dialog is None:
            return
        language = self._desk.speech.language
        remarked = {remark.flag for remark in found.remarks}
        lines = [self._taken(taken, found) for taken in found.taken if taken.argument.flag not in remarked]
        names = {name for name, _value in found.options.env}
        lines += [PastedLine(name, self.tr("Stays a variable of this server."), True) for name in sorted(names)]
        for remark in found.remarks:
            helps = bool(_gain(found, remark.flag)) or remark.facts.get("gib") is not None
            lines.append(PastedLine(remark.flag, explained(remark, language), helps or remark.id in _HELPFUL))
        note = self.tr("Nothing is changed until you apply it.")
        if found.model:
            note = self.tr("It speaks of the model {model}; the model is chosen on the page.").format(model=found.model)
        self._dialog.show_lines(tuple(sorted(lines, key=self._place_of)), note)

    def _place_of(self, line: PastedLine) -> int:
        """Lines stand as in the text; what was rewritten comes last."""
        place = self._text.find(line.flag.split()[0].lstrip("-").replace("-", "_"))
        return place if place >= 0 else len(self._text)

    def _taken(self, taken: Taken, found: Found) -> PastedLine:
        argument = taken.argument
        shown = " ".join(argument.words)
        if argument.flag == _SHARE:
            return self._share(shown, found)
        if not taken.own:
            return PastedLine(shown, self.tr("Stays as it is, among the extra arguments."), True)
        option = _OPTIONS.get(argument.flag.replace("--no-", "--"), "")
        name = self._page.options.name_of(option)
        text = self.tr("Becomes the choice “{name}”.").format(name=name) if name else self.tr("Becomes a choice.")
        return PastedLine(shown, text, True)

    def _share(self, shown: str, found: Found) -> PastedLine:
        free = free_of_share(found.tuning.gpu_memory_utilization, self._card)
        if free is None:
            return PastedLine(
                shown, self.tr("Left out: Stowage counts what stays free on a card, and sees none."), False
            )
        size = figures.gib(int(free * (1 << 30)), self._desk.speech.language)
        return PastedLine(
            shown, self.tr("Becomes “Leave free”: {size} besides what other programs use.").format(size=size), True
        )

    def _not_read(self, error: ErrorInfo) -> None:
        self._call = None
        if self._dialog is not None:
            words = self._desk.speech.explain(error)
            self._dialog.show_lines((), f"{words.sentence} {words.next_step}".strip())

    def _apply(self) -> None:
        if self._found is not None:
            options = self._page.options
            options.take(with_found(options.choice().choices, self._found, self._card))


# Remarks about flags that are taken over in spite of them.
_HELPFUL = (
    "abbreviated", "switch_value", "commas", "bare_number", "first_name", "other_context", "other_requests",
    "invented_tables",
)  # fmt: skip


def _gain(found: Found, flag: str) -> bool:
    return any(taken.argument.flag == flag for taken in found.taken)
