"""The snapshot as text for a terminal, in the person's language. Pure functions."""

from __future__ import annotations

from core import words
from core.machine.budget import Budget, MemoryLedger, Part, Segment
from core.machine.model import Cpu, Gpu, Machine, Platform
from core.machine.probe.result import Probe
from core.machine.reading import Known, Reading, Unknown

_WIDTH = 14


def as_text(machine: Machine, ledger: MemoryLedger, language: str, probe: Probe | None = None) -> str:
    """Some lines: the platform and CPU, a bar's worth of numbers for RAM, each GPU and each disk, then the notes."""
    say = _Say(language)
    lines = [_host(machine.platform, machine.cpu, say)]
    lines += _budget(say("ram"), ledger.ram, say)
    lines += [_line("", part) for part in _ram_extras(machine, say)]
    if not machine.gpus:
        lines.append(_line(say("gpu"), say("no_gpu")))
    for gpu in machine.gpus:
        lines += _gpu(gpu, ledger.find(gpu.id), say)
    for disk, budget in zip(machine.disks, ledger.disks, strict=True):
        kind = disk.kind.or_none()
        name = words.term("disk_kind", str(kind), language) if kind is not None else say("unknown")
        roles = ", ".join(words.term("disk_role", role, language) for role in disk.roles)
        lines += _budget(say("disk"), budget, say, f"{disk.mount} ({name}: {roles})")
    if probe is not None:
        lines += _probe(probe, say)
    for note in machine.notes:
        told = words.explain(note, language)
        lines += ["", f"! {told.title}", f"  {told.sentence}", f"  {told.next_step}"]
    return "\n".join(lines)


class _Say:
    """Terms of group "machine" in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, name: str, **values: object) -> str:
        return words.term("machine", name, self.language).format_map(values)

    def size(self, reading: Reading[int]) -> str:
        return self("unknown") if isinstance(reading, Unknown) else words.show_bytes(reading.value, self.language)

    def rate(self, reading: Reading[float]) -> str:
        if isinstance(reading, Unknown):
            return self("unknown")
        return self("per_s", rate=words.show_bytes(reading.value * 1e9, self.language))


def _line(head: str, text: str) -> str:
    return f"{head:<{_WIDTH}}{text}"


def _host(platform: Platform, cpu: Cpu, say: _Say) -> str:
    usable, logical = cpu.usable_cores.or_none(), cpu.logical_cores.or_none()
    parts = [platform.jetson or f"{platform.system} {platform.release}", cpu.name]
    if usable is not None and logical is not None:
        parts.append(say("cores", usable=f"{usable:g}", logical=logical))
    best = [name for name in ("amx_bf16", "avx512_bf16", "avx512f", "avx2", "asimd") if name in cpu.features]
    parts += best[:1]
    if platform.wsl:
        parts.append(say("wsl", version=platform.wsl))
    if platform.container:
        parts.append(say("container", kind=platform.container))
    traits = {"headless": platform.headless, "laptop": platform.laptop, "battery": platform.on_battery}
    parts += [say(name) for name, reading in traits.items() if reading == Known(True)]
    return ", ".join(parts)


def _ram_extras(machine: Machine, say: _Say) -> list[str]:
    ram = machine.ram
    extras: list[str] = []
    if isinstance(ram.limit, Known) and ram.total_bytes != ram.physical_total_bytes:
        extras.append(say("limit", total=say.size(ram.physical_total_bytes)))
    swap = ram.swap_total_bytes.or_none()
    if swap:
        extras.append(f"{say('swap')}: {say.size(ram.swap_free_bytes)} / {say.size(ram.swap_total_bytes)}")
    return extras


def _gpu(gpu: Gpu, budget: Budget | None, say: _Say) -> list[str]:
    name = f"{gpu.name} ({say('shared')})" if gpu.shares_ram else gpu.name
    if budget is None:
        return [_line(f"{say('gpu')} {gpu.index}", f"{name}: {say('mig')}")]
    lines = _budget(f"{say('gpu')} {gpu.index}", budget, say, name)
    facts: list[str] = []
    if gpu.asleep:
        facts.append(say("asleep"))
    if isinstance(gpu.utilisation_percent, Known):
        facts.append(f"{gpu.utilisation_percent.value} %")
    if isinstance(gpu.power_w, Known):
        facts.append(f"{gpu.power_w.value:.0f} W")
    if isinstance(gpu.temperature_c, Known):
        facts.append(f"{gpu.temperature_c.value} °C")
    generation, width = gpu.pcie.gen_max.or_none(), gpu.pcie.width_max.or_none()
    if generation and width:
        facts.append(f"{say('link')} {generation}.0 x{width}")
    return lines + ([_line("", " · ".join(facts))] if facts else [])


def _budget(head: str, budget: Budget, say: _Say, title: str = "") -> list[str]:
    totals = f"{say('total')} {say.size(budget.total)} · {say('free')} {say.size(budget.free)}"
    first = _line(head, f"{title}: {totals}" if title else totals)
    disk = budget.id.startswith("disk:")
    parts = [_segment(segment, disk, say) for segment in budget.segments if segment.part is not Part.FREE]
    return [first, _line("", " · ".join(parts))] if parts and not (disk and len(parts) == 1) else [first]


def _segment(segment: Segment, disk: bool, say: _Say) -> str:
    name = segment.name or say("ours_disk" if disk and segment.part is Part.OURS else str(segment.part))
    return f"{name} {words.show_bytes(segment.bytes, say.language)}"


def _probe(probe: Probe, say: _Say) -> list[str]:
    cached = "" if probe.cache_bypassed else f" ({say('cached')})"
    reads = probe.disk_random_iops.or_none()
    random = say("unknown") if reads is None else say("iops", count=round(reads)) + cached
    rows = [
        (say("ram_read"), say.rate(probe.ram_read_gb_s)),
        (say("disk_sequential"), say.rate(probe.disk_sequential_gb_s) + cached),
        (say("disk_random"), random),
    ]
    for link in probe.links:
        rows += [
            (say("h2d_pinned"), say.rate(Known(link.pinned_gb_s))),
            (say("h2d_pageable"), say.rate(Known(link.pageable_gb_s))),
        ]
    width = max(len(head) for head, _ in rows)
    return ["", say("probe"), *(f"  {head:<{width}}  {text}" for head, text in rows)]
