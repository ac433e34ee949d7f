"""The snapshot as a JSON object and as text, for `stowage machine`. Pure functions.

In JSON an unknown figure is null, and its object has a map `unknown` from the key to the reason.
"""

from __future__ import annotations

from typing import Any

from core import words
from core.events import ErrorInfo
from core.machine.budget import Budget, MemoryLedger, Segment
from core.machine.links import host_to_device, link_rate
from core.machine.model import Cpu, Disk, Gpu, Machine, Pcie, Platform, Ram
from core.machine.probe.result import Probe
from core.machine.reading import Known, Reading, Unknown

Object = dict[str, Any]


def as_json(machine: Machine, ledger: MemoryLedger, probe: Probe | None = None) -> Object:
    """The whole snapshot. Bytes are integers, rates GB/s of 10^9 bytes, `taken_at` Unix seconds."""
    return {
        "taken_at": machine.taken_at,
        "platform": _platform(machine.platform),
        "cpu": _cpu(machine.cpu),
        "ram": _ram(machine.ram) | {"parts": _parts(ledger.ram)},
        "gpus": [_gpu(machine, gpu, ledger.find(gpu.id), probe) for gpu in machine.gpus],
        "disks": [_disk(disk) for disk in machine.disks],
        "driver": _object(version=machine.driver.version, cuda_version=machine.driver.cuda_version)
        | {"problem": _note(machine.driver.problem)},
        "notes": [_note(note) for note in machine.notes],
        "probe": probe.as_json() if probe is not None else None,
    }


def _object(**readings: Reading[Any]) -> Object:
    """Known values by key, null for the others with their reasons beside."""
    unknown = {key: str(reading) for key, reading in readings.items() if isinstance(reading, Unknown)}
    values: Object = {key: reading.or_none() for key, reading in readings.items()}
    return values | ({"unknown": unknown} if unknown else {})


def _platform(platform: Platform) -> Object:
    return {
        "system": platform.system,
        "release": platform.release,
        "wsl": platform.wsl,
        "container": platform.container,
        "host_pids": platform.host_pids,
        "jetson": platform.jetson,
    } | _object(headless=platform.headless, laptop=platform.laptop, on_battery=platform.on_battery)


def _cpu(cpu: Cpu) -> Object:
    nodes = [{"node": node.number} | _object(total_bytes=node.total_bytes) for node in cpu.numa]
    return {
        "name": cpu.name,
        "architecture": cpu.architecture,
        "features": sorted(cpu.features),
        "numa": nodes,
    } | _object(physical_cores=cpu.physical_cores, logical_cores=cpu.logical_cores, usable_cores=cpu.usable_cores)


def _ram(ram: Ram) -> Object:
    limit = ram.limit.or_none()
    return _object(
        total_bytes=ram.total_bytes,
        available_bytes=ram.available_bytes,
        physical_total_bytes=ram.physical_total_bytes,
        physical_available_bytes=ram.physical_available_bytes,
        pressure_some_percent=ram.pressure_some_percent,
        pressure_full_percent=ram.pressure_full_percent,
        swap_total_bytes=ram.swap_total_bytes,
        swap_free_bytes=ram.swap_free_bytes,
        swap_in_bytes_per_s=ram.swap_in_bytes_per_s,
        swap_out_bytes_per_s=ram.swap_out_bytes_per_s,
        memlock_bytes=ram.memlock_bytes,
        shm_total_bytes=ram.shm_total_bytes,
        shm_free_bytes=ram.shm_free_bytes,
    ) | {
        "memlock_unlimited": ram.memlock_bytes == Known(None),
        "limit": None
        if limit is None
        else {
            "limit_bytes": limit.limit_bytes,
            "used_bytes": limit.used_bytes,
            "cgroup_version": limit.version,
            "path": limit.path,
        },
    }


def _gpu(machine: Machine, gpu: Gpu, budget: Budget | None, probe: Probe | None) -> Object:
    total, free = machine.gpu_budget(gpu)
    ram_read = probe.ram_read_gb_s.or_none() if probe is not None else None
    processes = gpu.processes.or_none()
    return {
        "id": gpu.id,
        "index": gpu.index,
        "vendor": str(gpu.vendor),
        "name": gpu.name,
        "memory_kind": str(gpu.memory_kind),
        "shares_ram": gpu.shares_ram,
        "usable": gpu.usable,
        "parent": gpu.parent,
        "asleep": gpu.asleep,
        "pcie": _pcie(gpu.pcie),
        "parts": _parts(budget) if budget is not None else [],
        "processes": None
        if processes is None
        else [{"pid": one.pid, "used_bytes": one.used.or_none(), "graphics": one.graphics} for one in processes],
    } | _object(
        total_bytes=gpu.memory.total,
        used_bytes=gpu.memory.used,
        free_bytes=gpu.memory.free,
        driver_reserved_bytes=gpu.memory.driver_reserved,
        gtt_total_bytes=gpu.memory.gtt_total,
        gtt_used_bytes=gpu.memory.gtt_used,
        budget_total_bytes=total,
        budget_free_bytes=free,
        pci_bus_id=gpu.pci_bus_id,
        cuda_index=gpu.cuda_index,
        utilisation_percent=gpu.utilisation_percent,
        power_w=gpu.power_w,
        power_limit_w=gpu.power_limit_w,
        temperature_c=gpu.temperature_c,
        compute_capability=gpu.compute_capability,
        mig_enabled=gpu.mig_enabled,
        host_to_device_gb_s=host_to_device(gpu, ram_read),
    )


def _pcie(pcie: Pcie) -> Object:
    generation, width = pcie.gen_max.or_none(), pcie.width_max.or_none()
    rate = link_rate(generation, width) if generation and width else None
    return _object(
        gen_now=pcie.gen_now,
        width_now=pcie.width_now,
        gen_max=pcie.gen_max,
        width_max=pcie.width_max,
        card_gen=pcie.card_gen,
        card_width=pcie.card_width,
        slot_gen=pcie.slot_gen,
        slot_width=pcie.slot_width,
    ) | {"theoretical_gb_s": rate.theoretical_gb_s if rate is not None else None}


def _disk(disk: Disk) -> Object:
    return {
        "mount": disk.mount,
        "filesystem": disk.filesystem,
        "roles": list(disk.roles),
        "devices": list(disk.devices),
        "windows_drive": disk.windows_drive,
    } | _object(total_bytes=disk.total_bytes, free_bytes=disk.free_bytes, kind=disk.kind)


def _parts(budget: Budget) -> list[Object]:
    return [_part(segment) for segment in budget.segments]


def _part(segment: Segment) -> Object:
    return {"part": str(segment.part), "name": segment.name, "bytes": segment.bytes, "count": segment.count}


def _note(note: ErrorInfo | None) -> Object | None:
    if note is None:
        return None
    told = words.explain(note, "en")
    return {"code": note.code, "title": told.title, "facts": note.facts, "detail": note.detail}
