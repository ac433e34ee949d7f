"""The queue, the speed limit, the disk that fills up, and what a worker costs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.download.downloads import AT_ONCE
from core.hub.download.job import JobStore
from core.hub.download.rate import Rate
from core.hub.model import DownloadState, RepoRef
from core.paths import Paths
from core.words import terms
from tests.fakes.fake_hub import made_up_model
from tests.support.downloads import Rig, downloading
from tests.support.hub import bodies, running_hub

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of 48 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no filesystem of its own may be made here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path, left: int) -> None:
    """Write until only `left` bytes are free."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while (free := os.statvfs(path.parent)).f_bavail * free.f_frsize > left:
            file.write(bytes(1 << 16))


def test_a_few_at_once_and_the_others_in_their_turn(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            keys = [(await rig.downloads.get(RepoRef(name))).key for name in names]
            states = [info.state for info in rig.downloads.list()]
            assert states[AT_ONCE:] == [DownloadState.QUEUED] * (len(names) - AT_ONCE)
            assert DownloadState.QUEUED not in states[:AT_ONCE]
            assert rig.downloads.in_use().busy == frozenset(names)
            await rig.downloads.pause(keys[0])
            assert rig.downloads.in_use().busy == frozenset(names[1:])
            assert rig.downloads.in_use().claimed == frozenset(names)
            for key in keys[1:]:
                assert (await rig.wait(key)).state is DownloadState.DONE
            ended = [info.repo_id for infos in rig.history for info in infos if info.state is DownloadState.DONE]
            assert ended.index(names[-1]) > ended.index(names[1])
            await rig.downloads.cancel(keys[0])
            assert rig.downloads.in_use().claimed == frozenset()

    names = ("org/a", "org/b", "org/c", "org/d")
    with running_hub() as hub:
        for number, name in enumerate(names):
            hub.add(name, made_up_model(8 * MIB, seed=number))
        hub.rate = 20 * MIB
        asyncio.run(run())


def test_the_speed_limit_holds_for_all_together_and_may_change(home: Paths, tmp_path: Path) -> None:
    """Two models of four files each share 8 MiB/s; without the limit the rest is there at once."""

    def done(rig: Rig) -> int:
        return sum(info.done_bytes for info in rig.downloads.list())

    async def run() -> None:
        async with downloading(hub, home, tmp_path, settings={"download_limit_bytes_per_s": 8 * MIB}) as rig:
            keys = [(await rig.downloads.get(RepoRef(name))).key for name in ("org/a", "org/b")]
            await rig.until(lambda _: all(info.done_bytes > MIB for info in rig.downloads.list()))
            began, before = time.monotonic(), done(rig)
            await rig.until(lambda _: time.monotonic() - began > 3)
            # Both figures may be a quarter of a second old; a limit for each of the two would be 16 MiB/s.
            assert 4 * MIB < (done(rig) - before) / (time.monotonic() - began) < 12 * MIB
            rig.settings.change(download_limit_bytes_per_s=0)
            for key in keys:
                assert (await rig.wait(key, 10)).state is DownloadState.DONE

    with running_hub() as hub:
        for seed, name in enumerate(("org/a", "org/b")):
            hub.add(name, made_up_model(128 * MIB, 4, seed=10 * seed))
        asyncio.run(run())


def test_a_disk_that_is_too_small_is_said_before_the_first_byte(home: Paths, small_disk: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, small_disk / "not" / "there") as rig:
            with pytest.raises(AppError) as caught:
                await rig.downloads.get(RepoRef("org/a"))
            assert caught.value.code == "download.disk_full"
            assert caught.value.facts["needed_bytes"] == 60 * MIB + small
            assert 0 < int(caught.value.facts["free_bytes"] or 0) <= 48 * MIB
            assert rig.downloads.list() == ()

    with running_hub() as hub:
        repo = hub.add("org/a", made_up_model(60 * MIB))
        small = sum(found.size for path, found in repo.head.files.items() if path != "model.safetensors")
        asyncio.run(run())
        assert bodies(hub) == []


def test_two_that_fit_alone_do_not_fit_together(home: Paths, small_disk: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, small_disk) as rig:
            info = await rig.downloads.get(RepoRef("org/a"))
            with pytest.raises(AppError) as caught:
                await rig.downloads.get(RepoRef("org/b"))
            assert caught.value.code == "download.disk_full"
            await rig.downloads.cancel(info.key)
            other = await rig.downloads.get(RepoRef("org/b"))
            await rig.downloads.cancel(other.key)

    with running_hub() as hub:
        hub.add("org/a", made_up_model(30 * MIB))
        hub.add("org/b", made_up_model(30 * MIB, seed=1))
        hub.rate = MIB
        asyncio.run(run())


@pytest.mark.parametrize("left", [0, 16 * MIB], ids=["to the last byte", "to less than the rest needs"])
def test_a_disk_that_fills_up_on_the_way(home: Paths, small_disk: Path, left: int) -> None:
    """What is there stays, the download waits and says for what, and goes on when there is space."""

    async def run() -> None:
        async with downloading(hub, home, small_disk / "cache") as rig:
            info = await rig.downloads.get(RepoRef("org/a"))
            await rig.until(lambda info: info.done_bytes > 4 * MIB)
            fill(filler, left)
            waiting = await rig.until(lambda info: info.waits_for == "disk")
            assert waiting.state is DownloadState.WAITING
            assert left == 0 or os.statvfs(small_disk).f_bavail > 0  # it stops before the disk is full
            assert waiting.done_bytes > 4 * MIB
            [kept] = [path.stat().st_size for path in small_disk.glob("cache/*/blobs/*.incomplete")]
            assert kept > 4 * MIB
            filler.unlink()
            assert (await rig.wait(info.key)).state is DownloadState.DONE

    filler = small_disk / "filler"
    with running_hub() as hub:
        hub.add("org/a", made_up_model(32 * MIB))
        hub.rate = 8 * MIB
        asyncio.run(run())
        asked = [request.range for request in bodies(hub, "model.safetensors")]
        assert asked[0] == ""
        assert all(int(text.removeprefix("bytes=").rstrip("-")) > 4 * MIB for text in asked[1:])


def test_a_cache_that_cannot_be_written_to(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path / "file" / "cache") as rig:
            info = await rig.get("org/a")
            assert info.error is not None
            assert (info.state, info.error.code) == (DownloadState.FAILED, "download.not_writable")
            await rig.downloads.cancel(info.key)
            assert rig.downloads.list() == ()

    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        asyncio.run(run())


def test_a_worker_stays_small(home: Paths, tmp_path: Path) -> None:
    """Peak memory with four files in flight: 80 MB are allowed."""

    async def run() -> int:
        async with downloading(hub, home, tmp_path) as rig:
            info = await rig.downloads.get(RepoRef("org/a"))
            await rig.until(lambda info: info.done_bytes > 60 * MIB)
            [job] = JobStore(home.state / "downloads").all()
            assert job.worker is not None
            peak = Path(f"/proc/{job.worker.pid}/status").read_text("utf-8")
            await rig.wait(info.key)
            return next(int(line.split()[1]) * 1024 for line in peak.splitlines() if line.startswith("VmHWM"))

    with running_hub() as hub:
        hub.add("org/a", made_up_model(128 * MIB, 4))
        hub.rate = 30 * MIB
        assert asyncio.run(run()) < 60e6


def test_unknown_downloads_are_named(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            for verb in (rig.downloads.pause, rig.downloads.resume, rig.downloads.cancel, rig.downloads.wait):
                with pytest.raises(AppError) as caught:
                    await verb("org/a@main")
                assert caught.value.code == "download.unknown"

    with running_hub() as hub:
        asyncio.run(run())


def test_a_broken_job_file_costs_only_itself(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            assert rig.downloads.list() == ()
            assert (await rig.get("org/a")).state is DownloadState.DONE

    folder = home.state / "downloads"
    folder.mkdir(parents=True)
    (folder / "org--b@x.json").write_text('{"repo_id": 3', encoding="utf-8")
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        asyncio.run(run())


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    rate = Rate()
    assert (rate.bytes_per_s, rate.eta_s(10)) == (0.0, None)
    for tick in range(12):
        rate.add(tick / 4, tick * 100)
    assert rate.bytes_per_s == pytest.approx(400)
    assert rate.eta_s(4000) is None  # less than three seconds of data
    for tick in range(12, 200):
        rate.add(tick / 4, tick * 100)
    assert rate.eta_s(4000) == pytest.approx(10)
    for tick in range(200, 241):
        rate.add(tick / 4, 20_000)
    assert rate.bytes_per_s == pytest.approx(0, abs=11)
    assert rate.eta_s(4000) is None or rate.eta_s(4000) > 300  # type: ignore[operator]


def test_everything_that_may_be_waited_for_has_words() -> None:
    for language in ("en", "ru"):
        assert set(terms(language)["waits_for"]) == {"retry", "rate_limit", "stall", "disk", "other_process"}
