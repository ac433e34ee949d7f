"""Downloads outlive what ends them: a kill, a pause, the app's end, another app."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest

from core.hub.download.job import JobStore
from core.hub.model import DownloadInfo, DownloadState
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.fakes.hub_faults import Fault
from tests.support.downloads import MIB, Rig, app, downloading, is_right, parts, read_until, slow_hub, worker_of
from tests.support.hub import bodies, sent_bytes

SIZE = 64 * MIB
FILE = "org/a/model.safetensors"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def beyond(share: float) -> float:
    return share * SIZE


def finish(hub: FakeHub, home: Paths, cache: Path) -> tuple[DownloadInfo, Rig]:
    """A new app gets the same."""

    async def run() -> tuple[DownloadInfo, Rig]:
        async with downloading(hub, home, cache) as rig:
            return await rig.get("org/a"), rig

    return asyncio.run(run())


def test_killed_at_36_percent_the_next_run_fetches_the_rest(home: Paths, cache: Path) -> None:
    """App and worker get SIGKILL in the middle of the file."""
    with slow_hub() as hub:
        with app(hub, cache) as process:
            read_until(process, int(beyond(0.36)))
            worker = worker_of(home)
            process.kill()
            os.kill(worker.pid, signal.SIGKILL)
            process.wait()
        [kept] = parts(cache)
        assert beyond(0.36) <= kept < SIZE
        hub.log.clear()
        info, _ = finish(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert [request.range for request in bodies(hub, "model.safetensors")] == [f"bytes={kept}-"]
        assert sent_bytes(hub, "model.safetensors") == SIZE - kept
        assert is_right(cache, hub)
    assert parts(cache) == []


def test_a_killed_app_takes_its_worker_along(home: Paths, cache: Path) -> None:
    """With "pause" after the app's end nothing goes on behind the user's back, however the app ended."""
    with slow_hub(10 * MIB) as hub, app(hub, cache) as process:
        read_until(process, MIB)
        worker = psutil.Process(worker_of(home).pid)
        process.kill()
        worker.wait(5)
    assert parts(cache) != []


def test_a_killed_worker_is_replaced(home: Paths, cache: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > beyond(0.3))
            os.kill(worker_of(home).pid, signal.SIGKILL)
            assert (await rig.wait(info.key)).state is DownloadState.DONE

    with slow_hub() as hub:
        asyncio.run(run())
        asked = [request.range for request in bodies(hub, "model.safetensors")]
        assert len(asked) == 2
        assert int(asked[1].removeprefix("bytes=").rstrip("-")) > beyond(0.3)
        assert is_right(cache, hub)


def test_a_pause_keeps_what_is_there(home: Paths, cache: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > beyond(0.2))
            await rig.downloads.pause(info.key)
            [kept] = parts(cache)
            [paused] = rig.downloads.list()
            assert (paused.state, paused.rate) == (DownloadState.PAUSED, 0.0)
            assert kept >= beyond(0.2)
            hub.log.clear()
            await rig.downloads.resume(info.key)
            assert (await rig.wait(info.key)).state is DownloadState.DONE
            assert [request.range for request in bodies(hub)] == [f"bytes={kept}-"]
        assert JobStore(home.state / "downloads").all() == []

    with slow_hub() as hub:
        asyncio.run(run())
        assert is_right(cache, hub)


def test_the_rate_leaves_out_what_was_there_before(home: Paths, cache: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > beyond(0.5))
            await rig.downloads.pause(info.key)
            hub.rate = 4 * MIB
            await rig.downloads.resume(info.key)
            seen = await rig.until(lambda info: info.state is DownloadState.RUNNING and info.rate > 0)
            assert seen.done_bytes >= beyond(0.5)
            assert seen.rate < 12 * MIB
            assert seen.eta_s is None
            seen = await rig.until(lambda info: info.eta_s is not None)
            assert seen.eta_s == pytest.approx((SIZE - seen.done_bytes) / (4 * MIB), rel=0.4)
            await rig.downloads.cancel(info.key)

    with slow_hub(100 * MIB) as hub:
        asyncio.run(run())


def test_a_cancel_removes_what_was_fetched_and_nothing_else(home: Paths, cache: Path) -> None:
    """A finished older commit stays, and so do files that another tool had left in the same folder."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            await rig.get("org/a")
            hub.commit("org/a", made_up_model(SIZE, 2, seed=40))
            shard = hub.repos["org/a"].head.files["model-00002-of-00002.safetensors"]
            left_by_another = cache / "models--org--a" / "blobs" / shard.sha256
            left_by_another.write_bytes(b"".join(bytes(piece) for piece in shard.pieces(0, shard.size)))
            before = {path for path in cache.rglob("*") if ".locks" not in path.parts}
            hub.rate = 20 * MIB
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.state is DownloadState.RUNNING and info.done_bytes > SIZE / 2 + 5 * MIB)
            assert parts(cache) != []
            await rig.downloads.cancel(info.key)
            assert rig.downloads.list() == ()
            assert {path for path in cache.rglob("*") if ".locks" not in path.parts} == before

    with slow_hub(0) as hub:
        asyncio.run(run())


def test_a_cancelled_first_download_leaves_no_trace(home: Paths, cache: Path) -> None:
    """And does not come back with the next start."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.files_done >= 3 and info.done_bytes > MIB)
            await rig.downloads.cancel(info.key)
            assert rig.downloads.list() == ()
        assert [path for path in cache.rglob("*") if path.is_file()] == []
        assert list(cache.glob("models--*")) == []
        hub.log.clear()
        async with downloading(hub, home, cache) as rig:
            assert rig.downloads.list() == ()
        assert hub.log.all() == []

    with slow_hub(20 * MIB) as hub:
        asyncio.run(run())


def test_the_next_start_goes_on_by_itself(home: Paths, cache: Path) -> None:
    """The app was closed in the middle; the queue is there again, and what was paused stays so."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            await rig.downloads.get(rig.ref("org/a"))
            held = await rig.downloads.get(rig.ref("org/b"))
            await rig.downloads.pause(held.key)
            await rig.until(lambda info: info.done_bytes > beyond(0.2))
        [kept] = [size for size in parts(cache) if size >= beyond(0.2)]
        hub.log.clear()
        async with downloading(hub, home, cache) as rig:
            first, second = rig.downloads.list()
            assert (first.repo_id, first.done_bytes >= kept) == ("org/a", True)
            assert (second.repo_id, second.state) == ("org/b", DownloadState.PAUSED)
            assert (await rig.wait(first.key)).state is DownloadState.DONE
            assert [request.range for request in bodies(hub)] == [f"bytes={kept}-"]
            await rig.downloads.cancel(second.key)

    with slow_hub() as hub:
        hub.add("org/b", made_up_model(SIZE, seed=3))
        asyncio.run(run())


def test_a_newer_commit_replaces_an_unfinished_older_one(home: Paths, cache: Path) -> None:
    """What both have in common is kept to the byte; what only the old one had is taken away."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            old = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > SIZE / 4)
            await rig.downloads.pause(old.key)
            assert len(parts(cache)) == 2
            hub.commit(
                "org/a", {"model-00002-of-00002.safetensors": made_up_model(SIZE // 2, seed=9)["model.safetensors"]}
            )
            hub.log.clear()
            info = await rig.get("org/a")
            assert info.state is DownloadState.DONE
            assert [entry.key for entry in rig.downloads.list()] == [info.key]
            first, second = (bodies(hub, f"model-0000{n}-of-00002.safetensors") for n in (1, 2))
            assert first[0].range
            assert [request.range for request in second] == [""]
        assert parts(cache) == []
        assert len(list(cache.glob("models--org--a/snapshots/*"))) == 1

    with slow_hub(20 * MIB, count=2) as hub:
        asyncio.run(run())


def test_a_changed_listing_is_read_again(home: Paths, cache: Path) -> None:
    """Between two runs the server put another file under the same commit (a mirror, a rewritten history)."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > beyond(0.2))
            await rig.downloads.pause(info.key)
            hub.repos["org/a"].head.files |= hub.add("org/other", made_up_model(SIZE, seed=5)).head.files
            hub.log.clear()
            await rig.downloads.resume(info.key)
            assert (await rig.wait(info.key)).state is DownloadState.DONE
            refused, taken = bodies(hub, "model.safetensors")
            assert (taken.range, taken.sent) == ("", SIZE)
            assert refused.sent < SIZE / 2  # its ETag was enough
        assert parts(cache) == []

    with slow_hub() as hub:
        asyncio.run(run())
        assert is_right(cache, hub)


def test_an_order_to_wait_can_be_paused_at_once(home: Paths, cache: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.waits_for == "rate_limit")
            async with asyncio.timeout(2):
                await rig.downloads.pause(info.key)

    with slow_hub() as hub:
        hub.faults.set(FILE, Fault(status=429, headers={"Retry-After": "600"}))
        asyncio.run(run())
