"""From a sample of the machine to the bars: one for each GPU, the RAM, and each disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QObject

from core.events import MachineChanged
from core.machine.budget import Budget, Part, Segment
from core.machine.history import History
from core.machine.model import Disk, Gpu, Machine, MemoryKind
from core.machine.reading import Known, Unknown, Why
from gui.budget.ghost import GhostPlan, Verdict, judge
from gui.budget.terms import BudgetTerms
from gui.budget.view import BudgetView, Look, Span

MIB: Final = 1 << 20
TRACE_S: Final = 300.0
TRACE_POINTS: Final = 60
# Programs below this share of the whole are shown as one part: they are named in the details.
SMALLEST_SHARE: Final = 0.025
_WORST_FIRST: Final = (Verdict.NO, Verdict.TIGHT, Verdict.FITS)
_LOOKS: Final = {
    Part.OURS: Look.OURS,
    Part.KV_FREE: Look.KV_FREE,
    Part.DRIVER: Look.DRIVER,
    Part.OTHER: Look.OTHER,
    Part.FREE: Look.FREE,
}


@dataclass(frozen=True, slots=True)
class _Head:
    """The words of one bar that do not come from its figures. `ids`: the budgets that it stands for."""

    title: str
    name: str
    whole: str
    facts: tuple[str, ...] = ()
    on_disk: bool = False
    ids: tuple[str, ...] = ()


class BudgetViews(QObject):
    def __init__(self, terms: BudgetTerms, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._terms = terms

    def all(self, sample: MachineChanged, plan: GhostPlan | None = None) -> tuple[BudgetView, ...]:
        """GPUs first, then the RAM, then the disks. A GPU whose memory *is* the RAM has no bar of its own."""
        machine, ledger = sample.machine, sample.ledger
        unified = tuple(gpu for gpu in machine.gpus if gpu.memory_kind is MemoryKind.UNIFIED)
        merged = {gpu.id for gpu in unified}
        views: list[BudgetView] = []
        for budget in ledger.gpus:
            gpu = machine.gpu(budget.id)
            if gpu is not None and budget.id not in merged:
                views.append(self._view(budget, self._gpu_head(gpu, machine), sample.history, plan))
        views.append(self._view(ledger.ram, self._ram_head(machine, unified), sample.history, plan))
        for disk, budget in zip(machine.disks, ledger.disks, strict=True):
            views.append(self._view(budget, self._disk_head(disk, machine), sample.history, plan))
        return tuple(views)

    # ---- heads -----------------------------------------------------------------------------------------------------

    def _gpu_head(self, gpu: Gpu, machine: Machine) -> _Head:
        several = sum(other.usable for other in machine.gpus) > 1
        facts = list(self.gpu_facts(gpu))
        if gpu.shares_ram:
            facts.append(self.tr("It uses a part of the RAM: the two are never added up."))
        title = self.tr("VRAM {number}").format(number=gpu.index) if several else self.tr("VRAM")
        return _Head(title, self._terms.gpu(gpu), gpu.name, tuple(facts), ids=(gpu.id,))

    def gpu_facts(self, gpu: Gpu) -> Iterable[str]:
        """ "3 % busy · 12 W · 41 °C"."""
        facts: list[str] = []
        if isinstance(gpu.utilisation_percent, Known):
            facts.append(self.tr("{percent} % busy").format(percent=gpu.utilisation_percent.value))
        if isinstance(gpu.power_w, Known):
            facts.append(self.tr("{watt} W").format(watt=round(gpu.power_w.value)))
        if isinstance(gpu.temperature_c, Known):
            facts.append(self.tr("{degrees} °C").format(degrees=gpu.temperature_c.value))
        return (" · ".join(facts),) if facts else ()

    def _ram_head(self, machine: Machine, unified: tuple[Gpu, ...]) -> _Head:
        ids = ("ram", *(gpu.id for gpu in unified))
        if unified:
            name = self._terms.gpu(unified[0])
            fact = self.tr("{gpu} has no memory of its own: it uses the RAM.").format(gpu=name)
            facts = (fact, *(line for gpu in unified for line in self.gpu_facts(gpu)))
            return _Head(self.tr("RAM and VRAM"), name, self.tr("Memory of this computer"), facts, ids=ids)
        limit = machine.ram.limit.or_none()
        physical = machine.ram.physical_total_bytes.or_none()
        facts: tuple[str, ...] = ()
        if limit is not None and physical is not None and limit.limit_bytes < physical:
            facts = (
                self.tr("Limited by the system; the computer has {total}.").format(total=self._terms.size(physical)),
            )
        return _Head(self._terms.term("ram"), "", self.tr("Memory of this computer"), facts, ids=ids)

    def _disk_head(self, disk: Disk, machine: Machine) -> _Head:
        kind = self._terms.disk_kind(disk)
        roles = {"models": self.tr("models"), "engines": self.tr("engines"), "temp": self.tr("temporary files")}
        holds = ", ".join(roles.get(role, role) for role in disk.roles)
        name = disk.mount if len(machine.disks) > 1 else kind
        facts = (self.tr("{kind}; here lie: {roles}").format(kind=kind, roles=holds),)
        whole = self.tr("Disk {mount}").format(mount=disk.mount)
        return _Head(self._terms.term("disk"), name, whole, facts, on_disk=True, ids=(f"disk:{disk.mount}",))

    # ---- one bar ---------------------------------------------------------------------------------------------------

    def _view(self, budget: Budget, head: _Head, history: History, plan: GhostPlan | None) -> BudgetView:
        total, free = budget.total.or_none(), budget.free.or_none()
        if total is None or free is None or total <= 0:
            return self._unknown(budget, head)
        used = max(0, total - free)
        spans = self._spans(budget, total, on_disk=head.on_disk)
        texts = {"used": self._terms.gib(used), "total": self._terms.gib(total), "free": self._terms.gib(free)}
        figure = (
            self.tr("{free} GiB free").format_map(texts)
            if head.on_disk
            else self.tr("{used} / {total} GiB").format_map(texts)
        )
        short = self.tr("{free} free") if head.on_disk else "{used} / {total}"
        line = self.tr("{used} of {total} GiB in use, {free} GiB free").format_map(texts)
        named = "; ".join(span.meaning.split("\n")[0] for span in spans if span.look is not Look.FREE)
        view = BudgetView(
            budget.id,
            head.title,
            head.name,
            figure,
            short.format_map(texts),
            spans,
            used_mib=used // MIB,
            total_mib=total // MIB,
            trace=trace_of(history, budget.id, total, TRACE_S, TRACE_POINTS),
            meaning="\n".join((head.whole, line, *head.facts)),
            description=f"{line}. {named}",
        )
        return view if plan is None else self._with_plan(view, plan, head.ids, used, total)

    def _unknown(self, budget: Budget, head: _Head) -> BudgetView:
        reason = budget.free if isinstance(budget.free, Unknown) else budget.total
        assert isinstance(reason, Unknown) or budget.total == Known(0)
        why = self._terms.why(reason if isinstance(reason, Unknown) else Unknown(Why.IMPOSSIBLE))
        asleep = isinstance(reason, Unknown) and reason.why is Why.ASLEEP
        figure = self._terms.term("asleep" if asleep else "unknown")
        meaning = "\n".join((head.whole, why, *head.facts))
        return BudgetView(
            budget.id, head.title, head.name, figure, figure, meaning=meaning, description=f"{figure}. {why}"
        )

    def _spans(self, budget: Budget, total: int, *, on_disk: bool) -> tuple[Span, ...]:
        spans: list[Span] = []
        at = 0
        programs = 0
        for segment in _without_crumbs(budget.segments, total):
            look = _LOOKS.get(segment.part, Look.PROCESS)
            if look is Look.PROCESS:
                look = Look.PROCESS if programs % 2 == 0 else Look.PROCESS_ODD
                programs += 1
            name = self._terms.label(segment, on_disk=on_disk)
            number = self._terms.gib(segment.bytes)
            meaning = self._terms.meaning(segment, on_disk=on_disk)
            key = f"{segment.part}:{segment.name}"
            end = at + segment.bytes
            labels = (f"{name} {number}", number if look is Look.FREE else name, *_shortest(look, number))
            spans.append(Span(key, look, at / total, end / total, labels, meaning))
            at = end
        return tuple(spans)

    # ---- the plan --------------------------------------------------------------------------------------------------

    def _with_plan(self, view: BudgetView, plan: GhostPlan, ids: tuple[str, ...], used: int, total: int) -> BudgetView:
        parts = [part for part in plan.parts if part.budget_id in ids and part.bytes > 0]
        verdicts = [plan.verdicts[budget_id] for budget_id in ids if budget_id in plan.verdicts]
        if not parts:
            return view
        if len(verdicts) > 1:
            # Two tiers in one memory: what fits each may not fit both.
            verdicts.append(judge(sum(part.bytes for part in parts), total - used))
        ghosts: list[Span] = []
        at = used
        for part in parts:
            number = self._terms.gib(part.bytes)
            meaning = self.tr("{part}: {size}").format(part=part.label, size=self._terms.size(part.bytes))
            told = f"{meaning}\n{self._plan_line(plan)}"
            start, end = min(at / total, 1.0), min((at + part.bytes) / total, 1.0)
            ghosts.append(
                Span(f"plan:{part.label}", Look.GHOST, start, end, (f"{part.label} {number}", part.label), told)
            )
            at += part.bytes
        verdict = next((one for one in _WORST_FIRST if one in verdicts), None)
        words = self.tr("it cannot be told whether it fits") if verdict is None else self._terms.verdict(verdict)
        short = max((plan.short.get(budget_id, 0) for budget_id in ids), default=0) or max(0, at - total)
        if short:
            words = self.tr("short by {size}").format(size=self._terms.size(short))
            ghosts.append(Span("plan:short", Look.OVERFLOW, 0.97, 1.0, (), words))
        wants = "; ".join(span.meaning.split("\n")[0] for span in ghosts)
        return replace(
            view,
            spans=(*(span for span in view.spans if span.look is not Look.FREE), *self._left(at, total)),
            ghosts=tuple(ghosts),
            verdict=verdict,
            verdict_text=words,
            meaning=f"{view.meaning}\n{self._plan_line(plan)}: {words}",
            description=f"{view.description}. {self._plan_line(plan)}: {wants}. {words}",
        )

    def _left(self, taken: int, total: int) -> tuple[Span, ...]:
        """What would be free beside the plan, in the place of what is free now."""
        if taken >= total:
            return ()
        number = self._terms.gib(total - taken)
        text = self.tr("Left beside the plan: {size}").format(size=self._terms.size(total - taken))
        return (
            Span(
                f"{Part.FREE}:",
                Look.FREE,
                taken / total,
                1.0,
                (self.tr("left {size}").format(size=number), number),
                text,
            ),
        )

    def _plan_line(self, plan: GhostPlan) -> str:
        text = self.tr("{model} would take about") if plan.about else self.tr("{model} would take")
        return text.format(model=plan.title)


def trace_of(history: History, key: str, total: int, seconds: float, points: int) -> tuple[tuple[float, float], ...]:
    """The use of the last `seconds` as (0 to 1 of the time, 0 to 1 of `total`), at most `points`: the highest value
    of each stretch, so that a short peak is seen."""
    highest: dict[int, float] = {}
    for age, value in history.last(key, seconds):
        place = round((1 - age / seconds) * (points - 1))
        highest[place] = max(highest.get(place, 0.0), value)
    return tuple((place / (points - 1), min(1.0, value / total)) for place, value in highest.items())


def _shortest(look: Look, number: str) -> tuple[str, ...]:
    return (f"KV {number}", "KV") if look is Look.KV_FREE else ()


def _without_crumbs(segments: tuple[Segment, ...], total: int) -> list[Segment]:
    """Programs too small to be seen, and the nameless rest, as one part after the named ones."""
    small = [
        segment
        for segment in segments
        if segment.part is Part.PROCESS and (not segment.name or segment.bytes < total * SMALLEST_SHARE)
    ]
    if not small:
        return list(segments)
    rest = Segment(Part.PROCESS, sum(one.bytes for one in small), "", sum(max(1, one.count) for one in small))
    kept = [segment for segment in segments if segment not in small]
    after = [n for n, segment in enumerate(kept) if segment.part in (Part.OURS, Part.KV_FREE, Part.PROCESS)]
    kept.insert(after[-1] + 1 if after else 0, rest)
    return kept
