"""Where there is no /proc (Windows, macOS) psutil answers. Here: a computer whose /proc is out of sight."""

from __future__ import annotations

import tempfile
from pathlib import Path

import psutil
import pytest

from core.machine.budget import ServerUse
from core.machine.reader import MachineReader, Sources
from core.machine.reading import Known, Unknown
from core.machine.tree import Tree


class Elsewhere(Tree):
    """The running system, but its `/proc` and `/sys` cannot be read."""

    @property
    def real(self) -> bool:
        return True

    def resolved(self, path: str) -> str:
        return str(Path(path).resolve())


@pytest.fixture
def reader(tmp_path: Path) -> MachineReader:
    folders = {"temp": Path(tempfile.gettempdir())}
    return MachineReader(Sources(folders, Elsewhere(tmp_path), environment={}))


def test_ram_cpu_and_disks_without_proc(reader: MachineReader) -> None:
    machine, ledger = reader.read()
    assert machine.ram.total_bytes == Known(psutil.virtual_memory().total)
    available = machine.ram.available_bytes.or_none()
    assert available is not None
    assert abs(available - psutil.virtual_memory().available) < psutil.virtual_memory().total / 50
    assert machine.cpu.logical_cores == Known(psutil.cpu_count())
    [disk] = machine.disks
    assert disk.total_bytes == Known(psutil.disk_usage(tempfile.gettempdir()).total)
    assert isinstance(disk.kind, Unknown)
    assert sum(segment.bytes for segment in ledger.ram.segments) == psutil.virtual_memory().total


def test_our_tree_is_found_without_proc(reader: MachineReader) -> None:
    parent = psutil.Process().pid
    _, ledger = reader.read(ServerUse(frozenset({parent})))
    mine = [row for row in ledger.ram.rows if row.pid == parent]
    assert [row.ours for row in mine] == [True]
    _, ledger = reader.read()
    assert not any(row.ours for row in ledger.ram.rows)
