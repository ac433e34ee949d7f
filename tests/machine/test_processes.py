"""Who uses the RAM: real children of this test, and recorded process lists."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.machine.processes import NAMED_FROM_BYTES, ProcessScan
from core.machine.tree import Tree
from tests.support.recorded import Recorded

HOLD = """
import mmap, subprocess, sys
held = mmap.mmap(-1, int(sys.argv[1]) << 20)
for page in range(0, len(held), mmap.PAGESIZE):
    held[page] = 1
child = subprocess.Popen([sys.executable, "-c", sys.argv[3], *sys.argv[2:3], "0", ""]) if sys.argv[3] else None
print("holding", flush=True)
sys.stdin.readline()
if child:
    child.kill()
    child.wait()
"""
CHILD = """
import sys, time
held = b'x' * (int(sys.argv[1]) << 20)
time.sleep(60)
"""


@contextmanager
def holder(mib: int, child_mib: int = 0, *, own_session: bool) -> Iterator[int]:
    """A process that holds `mib` of shared anonymous memory, with a child that holds `child_mib`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(mib), str(child_mib), CHILD if child_mib else ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=own_session,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"holding\n"
    try:
        yield process.pid
    finally:
        process.communicate(b"\n", timeout=20)


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_ours_is_the_servers_whole_tree_with_its_shared_memory() -> None:
    clock = [0.0]
    with holder(200, 100, own_session=True) as root:
        scan = ProcessScan(Tree(), lambda: clock[0])
        ours: list[int] = []
        deadline = time.monotonic() + 20
        while sum(ours) < 290 << 20 and time.monotonic() < deadline:  # the child takes its memory on its own time
            clock[0] += 60
            ours = [process.bytes for process in scan.read(frozenset({root})) if process.ours]
        assert len(ours) == 2
        assert 290 << 20 < sum(ours) < 360 << 20
        assert not any(process.ours for process in scan.read())
    clock[0] += 60
    assert not any(process.ours for process in scan.read(frozenset({root})))


FORK = """
import os, sys, time
held = b"x" * (200 << 20)
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
print("holding", flush=True)
sys.stdin.readline()
os.kill(0, 15)
"""


def test_what_forked_processes_share_counts_once() -> None:
    """vLLM forks its workers: the kernel says 200 MiB for each, yet there is one copy."""
    process = subprocess.Popen(
        [sys.executable, "-c", FORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"holding\n"
    found = ProcessScan(Tree(), lambda: 0.0).read(frozenset({process.pid}))
    ours = [one.bytes for one in found if one.ours]
    process.communicate(b"\n", timeout=20)
    assert len(ours) == 2
    assert 200 << 20 < sum(ours) < 260 << 20


def test_the_share_is_measured_seldom_and_may_be_missing(tmp_path: Path) -> None:
    computer = computer_with(tmp_path, (100, "python", 300, {"session": 100}))
    clock = [0.0]
    scan = ProcessScan(Tree(computer.root), lambda: clock[0], lambda: 0.0)
    assert scan.read(frozenset({100}))[0].bytes == 300 << 20
    computer.put("/proc/100/smaps_rollup", "00400000-7fff [rollup]\nPss:  1 kB\nPss_Anon:     102400 kB\n")
    clock[0] = 9.0
    assert scan.read(frozenset({100}))[0].bytes == 300 << 20
    clock[0] = 11.0
    assert scan.read(frozenset({100}))[0].bytes == 100 << 20


def test_a_process_that_ends_between_two_scans_is_gone_from_ours() -> None:
    with holder(50, own_session=True) as root:
        scan = ProcessScan(Tree(), lambda: 0.0)
        assert [process.pid for process in scan.read(frozenset({root})) if process.ours] == [root]
    assert [process for process in scan.read(frozenset({root})) if process.ours] == []


def computer_with(tmp_path: Path, *processes: tuple[int, str, int, dict[str, object]]) -> Recorded:
    computer = Recorded(tmp_path / "computer")
    for pid, name, mib, more in processes:
        computer.process(pid, name, mib, **more)  # pyright: ignore[reportArgumentType]
    return computer


def test_names_come_from_the_program_but_for_pythons(tmp_path: Path) -> None:
    computer = computer_with(
        tmp_path,
        (10, "Isolated Web Co", 100, {"program": "/usr/lib/firefox/firefox"}),
        (11, "VLLM::EngineCor", 100, {"program": "/usr/bin/python3.12"}),
        (12, "old", 100, {"program": "/opt/app/app (deleted)"}),
        (13, "a) (b", 100, {}),
        (14, "tiny", 1, {}),
    )
    found = ProcessScan(Tree(computer.root)).read()
    assert [(process.pid, process.name, process.bytes >> 20) for process in found] == [
        (10, "firefox", 100),
        (11, "VLLM::EngineCor", 100),
        (12, "app", 100),
        (13, "a) (b", 100),
    ]
    assert NAMED_FROM_BYTES > 1 << 20


def test_an_engine_core_whose_parent_died_is_still_ours_by_session(tmp_path: Path) -> None:
    computer = computer_with(
        tmp_path,
        (100, "guardian", 20, {"session": 100}),
        (110, "VLLM::EngineCor", 500, {"parent": 1, "session": 100}),
        (120, "VLLM::Worker", 300, {"parent": 110, "session": 120}),  # a worker that made a session of its own
        (130, "python", 300, {"parent": 1, "session": 130}),
    )
    found = ProcessScan(Tree(computer.root)).read(frozenset({100}))
    assert {process.pid for process in found if process.ours} == {100, 110, 120}


def test_a_reused_pid_gets_its_own_name(tmp_path: Path) -> None:
    computer = computer_with(tmp_path, (10, "first", 100, {"started": 100}))
    clock = [0.0]
    scan = ProcessScan(Tree(computer.root), lambda: clock[0])
    assert scan.read()[0].name == "first"
    computer.process(10, "second", 100, started=900)
    assert scan.read()[0].name == "first", "within a second nothing is scanned again"
    clock[0] = 2.0
    assert scan.read()[0].name == "second"


def test_a_costly_scan_is_repeated_less_often(tmp_path: Path) -> None:
    """10 ms of CPU may come every 5 s; at most 30 s pass."""
    computer = computer_with(tmp_path, (10, "first", 100, {}))
    clock, cpu = [0.0], [0.0]

    def cpu_clock() -> float:
        cpu[0] += 0.010
        return cpu[0]

    scan = ProcessScan(Tree(computer.root), lambda: clock[0], cpu_clock)
    scan.read()
    computer.process(11, "new", 100)
    for now, seen in ((1.0, 1), (4.9, 1), (5.1, 2)):
        clock[0] = now
        assert len(scan.read()) == seen
