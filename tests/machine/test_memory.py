"""RAM: true figures of this computer, and limits, pressure and swap of recorded ones."""

from __future__ import annotations

import mmap
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.machine.cgroup import CgroupMemory
from core.machine.memory import MemoryReader
from core.machine.model import MemoryLimit, Ram
from core.machine.reader import MachineReader, Sources
from core.machine.reading import Known, Unknown, Why
from core.machine.tree import Space, Tree
from tests.support.recorded import GIB, Recorded

ROOT = Path(__file__).parents[2]


def read(computer: Recorded) -> Ram:
    return MemoryReader(Tree(computer.root, lambda _path: Space(32 * GIB, 31 * GIB))).read()


def meminfo(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="compares with /proc")
def test_this_computers_ram_is_what_proc_says_in_the_same_second() -> None:
    before = meminfo("MemAvailable")
    ram = MemoryReader(Tree()).read()
    after = meminfo("MemAvailable")
    total = meminfo("MemTotal")
    assert ram.physical_total_bytes == Known(total)
    available = ram.physical_available_bytes.or_none()
    assert available is not None
    assert min(before, after) - total / 100 <= available <= max(before, after) + total / 100
    space = os.statvfs("/dev/shm")
    assert ram.shm_total_bytes == Known(space.f_blocks * space.f_frsize)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_available_ram_follows_what_is_taken() -> None:
    reader = MemoryReader(Tree())
    assert any(300 << 20 < taken_by_half_a_gib(reader) < 700 << 20 for _ in range(10)), "others may come and go"


def taken_by_half_a_gib(reader: MemoryReader) -> int:
    """How far the available RAM falls while 512 MiB are held."""
    before = reader.read().available_bytes.or_none()
    with mmap.mmap(-1, 512 << 20) as taken:
        for page in range(0, 512 << 20, mmap.PAGESIZE):
            taken[page] = 1
        during = reader.read().available_bytes.or_none()
    assert before is not None
    assert during is not None
    return before - during


def test_a_plain_computer_without_limits(computer: Recorded) -> None:
    ram = read(computer)
    assert (ram.total_bytes, ram.available_bytes) == (Known(64 * GIB), Known(48 * GIB))
    assert isinstance(ram.limit, Unknown)
    assert ram.memlock_bytes == Known(8388608)
    assert (ram.shm_total_bytes, ram.shm_free_bytes) == (Known(32 * GIB), Known(31 * GIB))
    assert (ram.swap_in_bytes_per_s, ram.swap_out_bytes_per_s) == (Known(0.0), Known(0.0))
    assert ram.pressure_some_percent == Unknown(Why.NOT_PRESENT, "/proc/pressure/memory")


def test_unlimited_memlock_is_known_and_none(computer: Recorded) -> None:
    computer.put("/proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n")
    assert read(computer).memlock_bytes == Known(None)


V2_MOUNT = "30 26 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
ROOT_MOUNT = "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw"


def test_a_v2_limit_wins_and_inactive_file_cache_counts_as_free(computer: Recorded) -> None:
    computer.mounts(ROOT_MOUNT, V2_MOUNT)
    computer.put("/proc/self/cgroup", "0::/\n")
    computer.put("/sys/fs/cgroup/memory.max", f"{8 * GIB}\n")
    computer.put("/sys/fs/cgroup/memory.current", f"{5 * GIB}\n")
    computer.put("/sys/fs/cgroup/memory.stat", f"anon {3 * GIB}\nfile {2 * GIB}\ninactive_file {GIB}\n")
    computer.put("/sys/fs/cgroup/memory.pressure", "some avg10=12.50 avg60=0.00 total=1\nfull avg10=3.25 total=1\n")
    ram = read(computer)
    assert (ram.total_bytes, ram.available_bytes) == (Known(8 * GIB), Known(4 * GIB))
    assert (ram.physical_total_bytes, ram.physical_available_bytes) == (Known(64 * GIB), Known(48 * GIB))
    assert ram.limit == Known(MemoryLimit(8 * GIB, 4 * GIB, 2, "/sys/fs/cgroup"))
    assert (ram.pressure_some_percent, ram.pressure_full_percent) == (Known(12.5), Known(3.25))


@pytest.mark.parametrize(
    ("own", "above", "limit"),
    [
        (("max", "max"), ("max", "max"), None),
        ((str(16 * GIB), "max"), ("max", "max"), 16),
        (("max", str(12 * GIB)), ("max", "max"), 12),  # memory.high throttles
        ((str(16 * GIB), "max"), (str(8 * GIB), "max"), 8),
        ((str(4 * GIB), "max"), (str(8 * GIB), "max"), 4),
        ((str(100 * GIB), "max"), ("max", "max"), 64),  # more than there is
    ],
)
def test_the_tightest_level_of_v2_counts(
    computer: Recorded, own: tuple[str, str], above: tuple[str, str], limit: int | None
) -> None:
    computer.mounts(ROOT_MOUNT, V2_MOUNT)
    computer.put("/proc/self/cgroup", "0::/user.slice/app.scope\n")
    for folder, (most, high) in (("/user.slice/app.scope", own), ("/user.slice", above)):
        computer.put(f"/sys/fs/cgroup{folder}/memory.max", most)
        computer.put(f"/sys/fs/cgroup{folder}/memory.high", high)
        computer.put(f"/sys/fs/cgroup{folder}/memory.current", str(GIB))
    assert read(computer).total_bytes == Known((limit or 64) * GIB)


def test_a_limit_changed_while_running_is_seen(computer: Recorded) -> None:
    computer.mounts(ROOT_MOUNT, V2_MOUNT)
    computer.put("/proc/self/cgroup", "0::/\n")
    computer.put("/sys/fs/cgroup/memory.current", "0")
    computer.put("/sys/fs/cgroup/memory.max", "max")
    reader = MemoryReader(Tree(computer.root, lambda _path: Space(1, 1)))
    assert reader.read().total_bytes == Known(64 * GIB)
    computer.put("/sys/fs/cgroup/memory.max", str(2 * GIB))
    assert reader.read().total_bytes == Known(2 * GIB)


def test_only_processes_in_the_limited_cgroup_share_its_memory(computer: Recorded) -> None:
    """A session limit on a desktop: the browser outside does not count against it, the server inside does."""
    computer.mounts(ROOT_MOUNT, V2_MOUNT)
    computer.put("/proc/self/cgroup", "0::/user.slice/limited.scope\n")
    computer.put("/sys/fs/cgroup/user.slice/limited.scope/memory.max", str(8 * GIB))
    computer.put("/sys/fs/cgroup/user.slice/limited.scope/memory.current", str(5 * GIB))
    for pid, name, cgroup in (
        (10, "firefox", "/user.slice/app.scope"),
        (11, "inside", "/user.slice/limited.scope"),
        (12, "below", "/user.slice/limited.scope/deeper"),
        (13, "beside", "/user.slice/limited.scope2"),
    ):
        computer.process(pid, name, 1024)
        computer.put(f"/proc/{pid}/cgroup", f"0::{cgroup}\n")
    sources = Sources({}, Tree(computer.root, lambda _path: Space(GIB, GIB)), environment={})
    ledger = MachineReader(sources).read()[1]
    shown = {segment.name or str(segment.part): segment.bytes // GIB for segment in ledger.ram.segments}
    assert shown == {"inside": 1, "below": 1, "other": 3, "free": 3}


V1_MOUNT = "33 26 0:30 {root} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"
UNLIMITED = "9223372036854771712"


@pytest.mark.parametrize(
    ("mount_root", "path", "folder"),
    [
        ("/", "/slurm/job_7", "/slurm/job_7"),
        ("/docker/abc", "/docker/abc", ""),  # the container's own part is mounted
        ("/", "/docker/abc", ""),  # the path is the host's and not visible here
    ],
)
def test_a_v1_limit_wins(computer: Recorded, mount_root: str, path: str, folder: str) -> None:
    computer.mounts(ROOT_MOUNT, V1_MOUNT.format(root=mount_root))
    computer.put("/proc/self/cgroup", f"12:pids:/\n4:memory:{path}\n0::/\n")
    base = "/sys/fs/cgroup/memory"
    computer.put(f"{base}/memory.limit_in_bytes", UNLIMITED)
    computer.put(f"{base}{folder}/memory.limit_in_bytes", str(6 * GIB))
    computer.put(f"{base}{folder}/memory.usage_in_bytes", str(3 * GIB))
    computer.put(f"{base}{folder}/memory.stat", f"inactive_file 7\ntotal_inactive_file {GIB}\n")
    ram = read(computer)
    assert (ram.total_bytes, ram.available_bytes) == (Known(6 * GIB), Known(4 * GIB))
    assert ram.limit == Known(MemoryLimit(6 * GIB, 2 * GIB, 1, base + folder))


def test_v1_without_a_limit_says_2_63(computer: Recorded) -> None:
    computer.mounts(ROOT_MOUNT, V1_MOUNT.format(root="/"))
    computer.put("/proc/self/cgroup", "4:memory:/\n")
    computer.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", UNLIMITED)
    ram = read(computer)
    assert ram.total_bytes == Known(64 * GIB)
    assert isinstance(ram.limit, Unknown)


def test_swap_traffic_is_a_rate(computer: Recorded) -> None:
    computer.meminfo(total_gib=64, available_gib=1, swap_gib=8)
    clock = iter([10.0, 12.0])
    reader = MemoryReader(Tree(computer.root, lambda _path: Space(1, 1)), lambda: next(clock))
    assert isinstance(reader.read().swap_in_bytes_per_s, Unknown)
    computer.put("/proc/vmstat", "pswpin 100\npswpout 500\n")
    ram = reader.read()
    assert ram.swap_in_bytes_per_s == Known(50.0 * mmap.PAGESIZE)
    assert ram.swap_out_bytes_per_s == Known(250.0 * mmap.PAGESIZE)


def test_without_meminfo_the_figures_are_unknown(tmp_path: Path) -> None:
    ram = MemoryReader(Tree(tmp_path)).read()
    assert isinstance(ram.total_bytes, Unknown)
    assert ram.total_bytes.why is Why.NOT_PRESENT


CHILD = """
import json, sys
from core.machine.memory import MemoryReader
from core.machine.tree import Tree
sys.stdin.readline()
ram = MemoryReader(Tree()).read()
taken = bytearray(64 << 20)
after = MemoryReader(Tree()).read()
print(json.dumps([r.or_none() for r in (ram.total_bytes, ram.available_bytes, after.available_bytes)]))
"""


@pytest.fixture
def own_cgroup() -> Iterator[tuple[Path, int]]:
    """A real cgroup with a memory limit of 512 MiB, and its version."""
    version = CgroupMemory(Tree()).version
    base = Path("/sys/fs/cgroup" if version == 2 else "/sys/fs/cgroup/memory")
    folder = base / f"stowage-test-{uuid.uuid4().hex[:8]}"
    limit = folder / ("memory.max" if version == 2 else "memory.limit_in_bytes")
    try:
        folder.mkdir()
        limit.write_text(str(512 << 20))
    except OSError as error:
        if folder.exists():
            folder.rmdir()
        pytest.skip(f"not run: no cgroup can be made here ({error}); recorded trees stand for it")
    yield folder, version
    folder.rmdir()


def test_a_real_cgroup_limit_wins(own_cgroup: tuple[Path, int]) -> None:
    folder, version = own_cgroup
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    (folder / "cgroup.procs").write_text(str(child.pid))
    output, _ = child.communicate("go\n", timeout=30)
    total, available, after = (int(part) for part in output.strip("[]\n ").split(","))
    assert version in (1, 2)
    assert total == 512 << 20
    assert 300 << 20 < available <= 512 << 20
    assert 50 << 20 < available - after < 80 << 20
