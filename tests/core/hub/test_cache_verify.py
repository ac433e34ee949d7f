"""Hashing what is in the cache, and mending what is damaged."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import Event, JobDone, Progress
from core.hub.cache.service import VERIFY_JOB
from core.hub.model import CachedRevision, Verified
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.support.hub import running_hub, sent_bytes
from tests.support.hub_cache import CacheSetup, checkpoint_files, only, snapshot_download


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def setup(home: Paths) -> CacheSetup:
    return CacheSetup(home)


def revision(setup: CacheSetup) -> CachedRevision:
    (repo,) = asyncio.run(setup.cache.look()).repos
    return only(repo)


def verify(setup: CacheSetup, model_id: str = "org/tiny") -> Verified:
    return asyncio.run(setup.cache.verify(model_id))


def flip(path: Path, at: int = 100) -> None:
    """Change one byte, and leave size and times as they were."""
    stat = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_a_good_model_is_verified_until_it_changes(setup: CacheSetup, hub: FakeHub) -> None:
    files = checkpoint_files(weight_bytes=5000)
    hub.add("org/tiny", files)
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    assert revision(setup).verified == ""
    found = verify(setup)
    assert (found.files, found.hashed_bytes, found.damaged, found.unknown) == (
        len(files),
        sum(map(len, files.values())),
        (),
        (),
    )
    assert revision(setup).verified.startswith("20")
    # Another Stowage knows it too.
    assert revision(CacheSetup(setup.paths)).verified
    (path / "config.json").resolve().write_bytes(files["config.json"])  # same bytes, later time
    assert revision(setup).verified == ""


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_one_flipped_byte_is_found_and_only_that_file_fetched_again(setup: CacheSetup, hub: FakeHub, name: str) -> None:
    files = checkpoint_files(weight_bytes=5000)
    hub.add("org/tiny", files)
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    flip((path / name).resolve(), at=10)
    assert revision(setup).whole  # sizes do not tell
    assert verify(setup).damaged == (name,)
    assert revision(setup).damaged == (name,)
    assert asyncio.run(setup.cache.repair("org/tiny")) == (name,)
    assert revision(setup).missing == (name,)
    hub.log.clear()
    snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    assert sent_bytes(hub) == len(files[name])
    assert revision(setup).whole
    assert verify(setup).damaged == ()


def test_a_file_copied_into_the_snapshot_is_held_to_the_listing(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    link = path / "model.safetensors"
    blob = link.resolve()
    link.unlink()
    shutil.move(blob, link)
    (path / "note.txt").write_text("mine")
    flip(link)
    found = verify(setup)
    assert (found.damaged, found.unknown) == (("model.safetensors",), ("note.txt",))
    asyncio.run(setup.cache.repair("org/tiny"))
    assert not link.exists()


def test_progress_is_told_and_a_cancelled_check_ends_at_once(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    big = (path / "model.safetensors").resolve()
    size = 3 * 1024**3
    os.truncate(big, size)  # sparse: costs no disk

    async def run() -> None:
        begun = asyncio.Event()

        def heard(event: Event) -> None:
            if isinstance(event, Progress) and event.done_bytes > 0:
                begun.set()

        setup.bus.subscribe(heard)
        task = asyncio.create_task(setup.cache.verify("org/tiny"))
        await asyncio.wait_for(begun.wait(), 20)
        with pytest.raises(AppError, match="verify_busy"):
            await setup.cache.verify("org/tiny")
        await asyncio.wait_for(setup.cache.cancel(VERIFY_JOB), 5)
        with pytest.raises(AppError, match="verify_cancelled"):
            await task

    asyncio.run(run())
    told = [event for event in setup.events if isinstance(event, Progress)]
    assert told[-1].total_bytes > size > told[-1].done_bytes > 0
    ends = [event.error.code for event in setup.events if isinstance(event, JobDone) and event.error]
    assert ends == ["hub.verify_cancelled"]
    assert revision(setup).verified == ""


def test_hashing_is_no_use_of_the_model(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files(weight_bytes=9000))
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    weights = (path / "model.safetensors").resolve()
    os.utime(weights, (1_700_000_000, weights.stat().st_mtime))
    verify(setup)
    assert asyncio.run(setup.cache.look()).repos[0].last_used == 1_700_000_000
    asyncio.run(setup.cache.mark_used("org/tiny"))
    assert asyncio.run(setup.cache.look()).repos[0].last_used > 1_700_000_000


def test_a_folder_that_hf_filled_is_held_to_its_notes(setup: CacheSetup, hub: FakeHub, tmp_path: Path) -> None:
    hub.add("org/tiny", checkpoint_files())
    folder = tmp_path / "local"
    snapshot_download("org/tiny", hub=hub, cache=setup.folder, local_dir=str(folder))
    assert verify(setup, str(folder)).damaged == ()
    flip(folder / "model.safetensors")
    found = verify(setup, str(folder))
    assert (found.damaged, found.files) == (("model.safetensors",), len(checkpoint_files()))
    shutil.rmtree(folder / ".cache")
    with pytest.raises(AppError, match="verify_unknown"):
        verify(setup, str(folder))


def test_a_model_that_is_not_there(setup: CacheSetup) -> None:
    with pytest.raises(AppError, match="not_cached"):
        verify(setup, "org/none")


def test_git_and_we_agree_on_small_files(tmp_path: Path) -> None:
    """The name of a small file's blob is what git itself would call it."""
    import threading

    from core.hub.cache.hashing import hash_of

    path = tmp_path / "config.json"
    path.write_bytes(b'{"a": 1}')
    named = subprocess.run(["git", "hash-object", str(path)], capture_output=True, text=True, check=True).stdout.strip()
    assert hash_of(str(path), path.stat().st_size, "0" * 40, lambda _: None, threading.Event()) == named
