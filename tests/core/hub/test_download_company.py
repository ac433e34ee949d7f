"""Downloads that are not alone: the app is gone, another app or huggingface_hub is at the same files."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from core.hub.download.job import JobStore
from core.hub.model import DownloadState
from core.paths import Paths
from tests.fakes.hub_faults import Fault
from tests.support import survivors
from tests.support.downloads import MIB, app, downloading, is_right, read_until, slow_hub, worker_of
from tests.support.hub import sent_bytes

SIZE = 64 * MIB


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_a_download_may_go_on_without_the_app(home: Paths, cache: Path) -> None:
    """As the user set: the worker finishes alone, and the next start finds it done."""

    async def run() -> None:
        async with downloading(hub, home, cache, settings={"downloads_after_close": "go_on"}) as rig:
            await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > SIZE / 5)
        worker = psutil.Process(worker_of(home).pid)
        await asyncio.to_thread(worker.wait, 20)
        assert is_right(cache, hub)
        assert sent_bytes(hub, "model.safetensors") == SIZE
        async with downloading(hub, home, cache) as rig:
            [info] = rig.downloads.list()
            assert (await rig.wait(info.key)).state is DownloadState.DONE
        assert sent_bytes(hub, "model.safetensors") == SIZE

    with slow_hub() as hub:
        asyncio.run(run())


def test_a_start_takes_over_a_worker_that_went_on(home: Paths, cache: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, cache, settings={"downloads_after_close": "go_on"}) as rig:
            await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.done_bytes > MIB)
        alone = worker_of(home)
        assert alone.alive
        async with downloading(hub, home, cache) as rig:
            [info] = rig.downloads.list()
            await rig.until(lambda info: info.state is DownloadState.RUNNING)
            assert not alone.alive
            assert worker_of(home) != alone
            assert survivors.reap()
            await rig.downloads.cancel(info.key)

    with slow_hub(8 * MIB) as hub:
        asyncio.run(run())


def test_two_apps_at_once_fetch_everything_once(home: Paths, cache: Path) -> None:
    """The second waits for the first and then finds the file there."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.waits_for == "other_process")
            assert (await rig.wait(info.key)).state is DownloadState.DONE

    with slow_hub() as hub:
        with app(hub, cache) as process:
            read_until(process, MIB)
            asyncio.run(run())
            assert process.wait(10) == 0
        assert sent_bytes(hub, "model.safetensors") == SIZE
        assert is_right(cache, hub)
    assert JobStore(home.state / "downloads").all() == []


def test_the_second_of_two_apps_cancels_only_its_own_wish(home: Paths, cache: Path) -> None:
    """Also of what the first has finished since: here its configuration."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            waiting = await rig.until(lambda info: info.waits_for == "other_process")
            assert "config.json" not in waiting.present_files
            await rig.until(lambda info: "config.json" in info.present_files)
            await rig.downloads.cancel(info.key)

    with slow_hub(20 * MIB) as hub:
        hub.faults.set("org/a/config.json", Fault(times=1, delay_s=2.0))
        with app(hub, cache) as process:
            read_until(process, MIB)
            asyncio.run(run())
            assert process.wait(20) == 0
        assert is_right(cache, hub)
    assert next(cache.glob("models--org--a/snapshots/*/config.json")).read_bytes() != b""


def test_huggingface_hub_and_we_wait_for_each_other(home: Paths, cache: Path) -> None:
    """It holds the same lock while it fetches a file."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.downloads.get(rig.ref("org/a"))
            await rig.until(lambda info: info.waits_for == "other_process")
            assert (await rig.wait(info.key)).state is DownloadState.DONE

    code = "import sys; from huggingface_hub import snapshot_download as get; get('org/a', cache_dir=sys.argv[1])"
    with slow_hub() as hub:
        quiet = {"HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_ENDPOINT": hub.url}
        process = subprocess.Popen([sys.executable, "-c", code, str(cache)], env=os.environ | quiet)
        try:
            while sent_bytes(hub, "model.safetensors") < MIB:
                assert process.poll() is None
            asyncio.run(run())
            assert process.wait(20) == 0
        finally:
            process.kill()
            process.wait()
        assert sent_bytes(hub, "model.safetensors") == SIZE
