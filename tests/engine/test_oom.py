"""Killed for lack of memory: by the kernel, in a real cgroup where one may be made, and as files of another system."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.fixes import fixes_for
from core.engine.oom import OomWatch
from core.errors import AppError
from core.machine.tree import Tree
from tests.support.cgroups import small_cgroup
from tests.support.serving import Serving

LIMIT_BYTES = 80 << 20
MOUNTS_V2 = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"


@pytest.fixture
def cgroup() -> Iterator[Path]:
    folder = small_cgroup(LIMIT_BYTES)
    if folder is None:
        pytest.skip("no cgroup may be made here")
    yield folder
    folder.rmdir()


def test_the_kernel_ends_a_server_whose_memory_is_used_up(serving: Serving, cgroup: Path) -> None:
    async def work() -> AppError:
        switches = ("--join-cgroup", str(cgroup / "cgroup.procs"), "--eat-megabytes", "400")
        with pytest.raises(AppError) as caught:
            await serving.supervisor().start(serving.request(*switches))
        return caught.value

    error = asyncio.run(work())
    assert error.code == "engine.fail.out_of_ram"
    assert serving.left() == []


def files(root: Path, v2_kills: int, kills: int) -> Tree:
    group = root / "sys/fs/cgroup/app.slice"
    for folder in (group, root / "proc/self"):
        folder.mkdir(parents=True, exist_ok=True)
    (root / "proc/self/cgroup").write_text("0::/app.slice\n", "ascii")
    (root / "proc/self/mountinfo").write_text(MOUNTS_V2, "ascii")
    (root / "proc/mounts").write_text("cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "ascii")
    (root / "proc/vmstat").write_text(f"pgfault 12\noom_kill {kills}\n", "ascii")
    (group / "memory.events").write_text(f"low 0\nmax 3\noom 1\noom_kill {v2_kills}\n", "ascii")
    (group / "memory.max").write_text("2147483648\n", "ascii")
    (group / "memory.current").write_text("100\n", "ascii")
    return Tree(root)


@pytest.mark.parametrize(("group", "system", "told"), [(5, 9, 0), (6, 9, 1), (5, 10, 1), (7, 11, 2)])
def test_kills_are_counted_from_the_start_on(tmp_path: Path, group: int, system: int, told: int) -> None:
    watch = OomWatch(files(tmp_path, 5, 9))
    files(tmp_path, group, system)
    assert watch.kills() == told
    assert watch.limit_bytes == 2 << 30


def test_a_system_that_does_not_count_has_no_kills(tmp_path: Path) -> None:
    watch = OomWatch(Tree(tmp_path))
    assert (watch.kills(), watch.limit_bytes) == (0, None)


def test_the_fix_is_a_smaller_cache(serving: Serving) -> None:
    request = replace(serving.request(), cpu_kv_cache_gib=4)
    assert [fix.kind for fix in fixes_for("engine.fail.out_of_ram", {}, request)] == ["kv_room"]
