"""What `stowage machine` prints: JSON with its promised keys, and a table in both languages."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.machine.budget import MemoryLedger
from core.machine.model import Machine
from core.machine.monitor import take
from core.machine.probe.result import LinkProbe, Probe
from core.machine.reader import Sources
from core.machine.reading import Known
from core.machine.report import as_json
from core.machine.table import as_text
from core.paths import Paths
from tests.machine.test_other_gpus import radeon, sources
from tests.support.recorded import GIB, Recorded


def snapshot(computer: Recorded) -> tuple[Machine, MemoryLedger]:
    return asyncio.run(take(sources(computer)))


PROBE = Probe(
    ram_read_gb_s=Known(40.0),
    disk_sequential_gb_s=Known(3.0),
    disk_random_iops=Known(90000.0),
    links=(LinkProbe("GPU-1", 25.0, 5.0),),
)


def test_json_has_the_promised_keys_for_this_computer(home: Paths) -> None:
    home.ensure()
    report = json.loads(json.dumps(as_json(*asyncio.run(take(Sources.of_user(home))))))
    assert isinstance(report["gpus"], list)
    assert report["ram"]["total_bytes"] > report["ram"]["available_bytes"] > 0
    for disk in report["disks"]:
        assert disk["total_bytes"] >= disk["free_bytes"] > 0
        assert Path(disk["mount"]).is_mount()
        assert disk["kind"] is None or isinstance(disk["kind"], str)
    assert {role for disk in report["disks"] for role in disk["roles"]} == {"models", "engines", "temp"}
    assert report["platform"]["system"] in ("linux", "darwin", "windows")
    assert sum(part["bytes"] for part in report["ram"]["parts"]) == report["ram"]["total_bytes"]


def test_what_is_unknown_is_null_with_its_reason(computer: Recorded) -> None:
    computer.pci_gpu("0000:00:02.0", "0x8086", device="0x56a0")
    [card] = as_json(*snapshot(computer))["gpus"]
    assert card["total_bytes"] is None
    assert card["unknown"]["total_bytes"] == "not_yet"
    assert card["name"] == "Intel GPU [8086:56a0]"


def test_the_table_reads_well(computer: Recorded) -> None:
    radeon(computer, vram=(0.5, 0.25), gtt=(60, 2), metrics=2)
    computer.process(10, "firefox", 2048)
    machine, ledger = snapshot(computer)
    lines = as_text(machine, ledger, "en", PROBE).splitlines()
    assert lines[0] == "linux 6.8.0-45-generic, A Desktop CPU, 16 of 16 cores, avx512f, no display"
    assert lines[1:3] == [
        "RAM           total 64.0 GiB · free 48.0 GiB",
        "              firefox 2.0 GiB · other 14.0 GiB",
    ]
    assert lines[3] == "GPU 0         AMD GPU [1002:744c] (shared with RAM): total 60.5 GiB · free 48.2 GiB"
    assert "Disk          / (NVMe: models): total 100.0 GiB · free 40.0 GiB" in lines
    assert "  RAM to GPU, pinned       23.3 GiB/s" in lines
    assert "  Disk, sequential read    2.8 GiB/s (the page cache was not bypassed)" in lines


def test_no_gpu_is_one_calm_line(computer: Recorded) -> None:
    machine, ledger = snapshot(computer)
    assert "GPU           none found" in as_text(machine, ledger, "en").splitlines()
    assert machine.notes == ()


def test_russian_speaks_russian(computer: Recorded) -> None:
    machine, ledger = snapshot(computer)
    text = as_text(machine, ledger, "ru", PROBE)
    assert "ОЗУ           всего 64,0 ГиБ · свободно 48,0 ГиБ" in text
    assert "GPU           не найден" in text
    assert "total" not in text


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_limit_is_told_and_explained(computer: Recorded, language: str) -> None:
    computer.mounts("26 1 259:2 / / rw - ext4 /dev/x rw", "30 26 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
    computer.put("/proc/self/cgroup", "0::/\n")
    computer.put("/sys/fs/cgroup/memory.max", str(8 * GIB))
    computer.put("/sys/fs/cgroup/memory.current", str(GIB))
    machine, ledger = snapshot(computer)
    text = as_text(machine, ledger, language)
    assert [note.code for note in machine.notes] == ["machine.memory_limit"]
    assert ("64.0 GiB" if language == "en" else "64,0 ГиБ") in text
    assert as_json(machine, ledger)["ram"]["limit"]["limit_bytes"] == 8 * GIB


def test_small_shared_memory_is_noted(computer: Recorded) -> None:
    from core.machine.tree import Space, Tree

    small = Tree(computer.root, lambda path: Space(64 << 20, 64 << 20) if path == "/dev/shm" else Space(GIB, GIB))
    machine, _ = asyncio.run(take(replace(sources(computer), tree=small)))
    assert [note.code for note in machine.notes] == ["machine.shm_small"]
