"""The budget's words: what each part is called and means, why a figure is unknown, sizes with their unit."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QObject

from core.machine.budget import Part, Segment
from core.machine.model import Disk, Gpu
from core.machine.reading import Unknown, Why
from core.words import show_bytes, term
from gui import figures
from gui.budget.ghost import Verdict

GIB: Final = 1 << 30
_MAKERS: Final = re.compile(
    r"^(?:NVIDIA|AMD|ATI|Intel\(R\)|Intel|Apple|GeForce|Radeon|Quadro|Tesla|Graphics|\s)+(?=\S)"
)


class BudgetTerms(QObject):
    """One language."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language

    def size(self, count_bytes: float) -> str:
        """ "0.7 GiB", or MiB below 0.1 GiB."""
        return show_bytes(count_bytes, self.language)

    def gib(self, count_bytes: float) -> str:
        """The bare number of GiB with one decimal."""
        return figures.decimal(count_bytes / GIB, 1, self.language)

    def term(self, name: str) -> str:
        return term("machine", name, self.language)

    def part(self, segment: Segment, *, on_disk: bool) -> str:
        """ "firefox", "our server", "driver"."""
        if segment.name:
            return segment.name
        if on_disk and segment.part is Part.OURS:
            return self.term("ours_disk")
        if on_disk and segment.part is Part.OTHER:
            return self.tr("files")
        return self.term("free" if segment.part is Part.FREE else str(segment.part))

    def label(self, segment: Segment, *, on_disk: bool) -> str:
        """The part's name where there is little room."""
        return self.tr("KV unused") if segment.part is Part.KV_FREE else self.part(segment, on_disk=on_disk)

    def meaning(self, segment: Segment, *, on_disk: bool) -> str:
        """ "firefox: 0.7 GiB. 3 processes"."""
        head = self.tr("{part}: {size}").format(part=self.part(segment, on_disk=on_disk), size=self.size(segment.bytes))
        told = self._disk_meaning(segment.part) if on_disk else self._meaning(segment)
        head = head[:1].upper() + head[1:] if not segment.name else head
        return f"{head}\n{told}" if told else head

    def _meaning(self, segment: Segment) -> str:
        return {
            Part.OURS: self.tr("Held by the server that Stowage started."),
            Part.KV_FREE: self.tr("Set aside for the conversation and not in use at this moment."),
            Part.PROCESS: self.tr("%n process(es)", "", segment.count) if segment.count > 1 or not segment.name else "",
            Part.DRIVER: self.tr("The graphics driver keeps this for itself."),
            Part.OTHER: self.tr("In use, but by no program that can be seen: the system itself, or other users."),
            Part.FREE: self.tr("Nobody uses it."),
        }[segment.part]

    def _disk_meaning(self, part: Part) -> str:
        return {
            Part.OURS: self.tr("Engines and models of Stowage."),
            Part.OTHER: self.tr("Files on this disk, whoever's they are."),
            Part.FREE: self.tr("Room that you may still fill."),
        }.get(part, "")

    def why(self, unknown: Unknown) -> str:
        return {
            Why.NOT_SUPPORTED: self.tr("The driver does not tell."),
            Why.NO_PERMISSION: self.tr("Stowage is not allowed to read it."),
            Why.NOT_PRESENT: self.tr("There is nothing to read it from."),
            Why.IMPOSSIBLE: self.tr("The driver answered with a figure that cannot be."),
            Why.ASLEEP: self.tr("The graphics card sleeps to save power; it is not woken just to ask."),
            Why.LOST: self.tr("The driver does not answer any more."),
            Why.FAILED: self.tr("Reading it failed."),
            Why.NOT_YET: self.tr("It is not measured yet."),
            Why.AMBIGUOUS: self.tr("It cannot be told for certain."),
            Why.HIDDEN: self.tr("It is hidden from programs like this one."),
        }[unknown.why]

    def gpu(self, gpu: Gpu) -> str:
        """ "RTX 3060": without the maker's name, which everyone knows."""
        return _MAKERS.sub("", gpu.name).strip() or gpu.name

    def disk_kind(self, disk: Disk) -> str:
        kind = disk.kind.or_none()
        return self.term("unknown") if kind is None else term("disk_kind", str(kind), self.language)

    def verdict(self, verdict: Verdict) -> str:
        return {
            Verdict.FITS: self.tr("fits"),
            Verdict.TIGHT: self.tr("tight"),
            Verdict.NO: self.tr("does not fit"),
        }[verdict]
