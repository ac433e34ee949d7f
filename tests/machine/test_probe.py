"""The probe: real reads on this computer, an engine's answers, cancelling, remembering."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import AppError
from core.events import Event, EventBus, JobDone, Progress
from core.machine.model import DiskKind, Machine
from core.machine.monitor import take
from core.machine.probe.disk import Times, large_file, measure_disk
from core.machine.probe.link import SCRIPT, measure_links
from core.machine.probe.ram import last_level_cache, measure_ram
from core.machine.probe.result import LinkProbe, Probe, ProbeStore, machine_key
from core.machine.probe.run import WHOLE_S, MachineProbe
from core.machine.reader import Sources
from core.machine.reading import Known, Unknown
from core.machine.tree import Tree
from core.paths import Paths

SHORT = Times(sequential_s=0.3, random_s=0.2, write_s=3.0)


@pytest.fixture
def user(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A user whose model cache is empty."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    home.ensure()
    return home


def here(paths: Paths) -> Machine:
    machine, _ = asyncio.run(take(Sources.of_user(paths)))
    return machine


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def test_a_whole_probe_measures_remembers_and_leaves_nothing(user: Paths, tmp_path: Path) -> None:
    machine = here(user)
    events: list[Event] = []
    bus = EventBus()
    bus.subscribe(events.append)
    probe = MachineProbe(user, bus, SHORT, ram_s=0.3)
    assert probe.remembered(machine) is None
    began = time.monotonic()
    found: Probe = run(probe.run(machine))
    assert time.monotonic() - began < WHOLE_S
    ram, disk = found.ram_read_gb_s.or_none(), found.disk_sequential_gb_s.or_none()
    assert ram is not None
    assert 0.5 < ram < 2000
    assert disk is not None
    assert 0.005 < disk < 100
    assert (found.disk_random_iops.or_none() or 0) > 10
    assert 0 < (found.disk_random_latency_us.or_none() or 0) < 1e6
    assert found.links == ()
    assert [event.step for event in events if isinstance(event, Progress)] == ["probe_ram", "probe_disk"]
    assert events[-1] == JobDone("probe")
    assert MachineProbe(user, bus).remembered(machine) == found
    assert MachineProbe(user, bus).remembered(replace(machine, cpu=replace(machine.cpu, name="other"))) is None
    assert list(tmp_path.rglob(".stowage-probe-*")) == []


@pytest.mark.parametrize("step", ["probe_ram", "probe_disk", "probe_link"])
def test_cancelling_ends_at_once_and_keeps_nothing(user: Paths, tmp_path: Path, step: str) -> None:
    machine = here(user)
    long = {"probe_ram": (10.0, Times(10.0, 10.0, 10.0)), "probe_disk": (0.1, Times(10.0, 10.0, 10.0))}
    ram_s, times = long.get(step, (0.1, SHORT))
    events: list[Event] = []
    bus = EventBus()
    bus.subscribe(events.append)
    probe = MachineProbe(user, bus, times, ram_s)
    python = engine(tmp_path, "import time; time.sleep(60)")

    async def work() -> float:
        reached = asyncio.Event()
        bus.subscribe(lambda event: reached.set() if isinstance(event, Progress) and event.step == step else None)
        task = asyncio.create_task(probe.run(machine, python))
        async with asyncio.timeout(30):
            await reached.wait()
        with pytest.raises(AppError) as second:
            await probe.run(machine)
        assert second.value.code == "machine.probe_busy"
        await asyncio.sleep(0.1)  # into the middle of the step
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    assert run(work()) < 2.0
    ended = events[-1]
    assert isinstance(ended, JobDone)
    assert ended.error is not None
    assert ended.error.code == "machine.probe_cancelled"
    assert probe.remembered(machine) is None
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith(("probe", "stowage"))] == []


def test_the_disk_is_read_around_the_cache_or_says_so(tmp_path: Path) -> None:
    rate = measure_disk(tmp_path, DiskKind.NVME, threading.Event(), SHORT)
    assert isinstance(rate.sequential_gb_s, Known)
    assert rate.cache_bypassed == _takes_o_direct(tmp_path)
    shm = Path("/dev/shm")
    if shm.is_dir() and not _takes_o_direct(shm):
        cached = measure_disk(shm, DiskKind.TMPFS, threading.Event(), SHORT)
        assert isinstance(cached.sequential_gb_s, Known)
        assert not cached.cache_bypassed


def _takes_o_direct(folder: Path) -> bool:
    path = folder / f"stowage-test-{os.getpid()}"
    path.write_bytes(bytes(4096))
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError:
        return False
    finally:
        path.unlink()
    return True


def test_a_large_model_file_is_read_instead_of_writing_one(tmp_path: Path) -> None:
    blob = tmp_path / "models--a--b" / "blobs" / "abc"
    blob.parent.mkdir(parents=True)
    piece = os.urandom(1 << 20)
    with blob.open("wb") as file:
        for _ in range(256):
            file.write(piece)
        os.fsync(file.fileno())
    assert large_file(tmp_path) == blob
    times = Times(sequential_s=0.3, random_s=0.2, write_s=0.0)  # nothing could be written in no time
    assert isinstance(measure_disk(tmp_path, None, threading.Event(), times).sequential_gb_s, Known)
    blob.unlink()
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    assert large_file(tmp_path) is None, "a sparse file reads as fast as memory"
    assert isinstance(measure_disk(tmp_path, None, threading.Event(), times).sequential_gb_s, Unknown)


def test_ram_is_read_from_ram_and_not_from_the_cache(user: Paths) -> None:
    machine = here(user)
    assert last_level_cache(Tree()) >= 1 << 20
    rate = measure_ram(machine, Tree(), threading.Event(), 0.3)
    assert rate.threads == max(1, int(machine.cpu.usable_cores.or_none() or 1))
    full = replace(machine, ram=replace(machine.ram, available_bytes=Known(100 << 20)))
    assert isinstance(measure_ram(full, Tree(), threading.Event(), 0.3).read_gb_s, Unknown)
    stopped = threading.Event()
    stopped.set()
    assert isinstance(measure_ram(machine, Tree(), stopped, 5.0).read_gb_s, Unknown)


def engine(tmp_path: Path, body: str) -> str:
    """An interpreter that does `body` instead of what it is told."""
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\n{body}\n")
    program.chmod(0o755)
    return str(program)


def test_links_come_from_the_engine(tmp_path: Path) -> None:
    answer = '{"links": [{"gpu_id": "GPU-1", "pinned_gb_s": 25.1, "pageable_gb_s": 5.5}]}'
    python = engine(tmp_path, f"print('a warning')\nprint('''{answer}''')")
    assert run(measure_links(python, 10)) == ((LinkProbe("GPU-1", 25.1, 5.5),), "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('print(\'{"error": "this engine sees no CUDA device"}\')', "this engine sees no CUDA device"),
        ("raise SystemExit('ModuleNotFoundError: torch')", "ModuleNotFoundError: torch"),
        ("print('not json')", "Expecting value"),
        ("pass", "the engine gave no answer"),
    ],
)
def test_an_engine_that_cannot_measure_says_why(tmp_path: Path, body: str, reason: str) -> None:
    links, why = run(measure_links(engine(tmp_path, body), 10))
    assert links == ()
    assert why.startswith(reason)


def test_an_engine_that_hangs_is_ended_at_the_deadline(tmp_path: Path) -> None:
    began = time.monotonic()
    links, why = run(measure_links(engine(tmp_path, "import time; time.sleep(60)"), 0.5))
    assert (links, why) == ((), "no answer within 0 s")
    assert time.monotonic() - began < 10


def test_no_interpreter_is_a_reason(tmp_path: Path) -> None:
    assert run(measure_links(str(tmp_path / "none"), 5)) == ((), "No such file or directory")


def test_the_script_for_the_engine_is_python() -> None:
    compile(SCRIPT, "probe", "exec")


def test_the_store_keeps_several_machines_and_survives_nonsense(user: Paths) -> None:
    path = user.state / "probe.json"
    store = ProbeStore(path)
    probe = Probe(
        taken_at=5.0,
        ram_read_gb_s=Known(40.0),
        disk_sequential_gb_s=Known(3.0),
        disk_random_iops=Known(9e4),
        disk_random_latency_us=Known(80.0),
        links=(LinkProbe("GPU-1", 25.0, 5.0),),
        cache_bypassed=True,
    )
    store.keep("one", probe)
    for number in range(10):
        store.keep(f"n{number}", replace(probe, taken_at=100.0 + number))
    assert store.find("n9") == replace(probe, taken_at=109.0)
    assert store.find("one") is None, "the oldest goes"
    path.write_text("{broken")
    assert store.find("n9") is None
    store.keep("one", probe)
    assert store.find("one") == probe


def test_the_key_changes_with_the_parts(user: Paths) -> None:
    machine = here(user)
    assert machine_key(machine) == machine_key(here(user))
    more = replace(machine, ram=replace(machine.ram, physical_total_bytes=Known(999 << 30)))
    assert machine_key(more) != machine_key(machine)
