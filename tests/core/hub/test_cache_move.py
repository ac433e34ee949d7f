"""Moving the cache to another folder: whole or not at all, whatever happens on the way."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import Event, JobDone, Progress
from core.hub.cache.layout import SHARED
from core.hub.cache.scan import InUse
from core.hub.cache.service import MOVE_JOB
from core.hub.cache.tree_copy import PART, Copier, Differs, take_inventory
from core.paths import Paths
from tests.support.hub import running_hub
from tests.support.hub_cache import CacheSetup, checkpoint_files, disk_bytes, only, snapshot_download

_MOVE = """
import asyncio, sys
from core.events import EventBus
from core.hub.cache.service import Cache
from core.paths import Paths
from core.settings import SettingsStore
paths = Paths.of_user()
paths.ensure()
asyncio.run(Cache(paths, SettingsStore(paths.settings_file), EventBus()).move(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with two commits of one model and another model."""
    cache = tmp_path_factory.mktemp("filled") / "hub"
    with running_hub() as hub:
        hub.add("org/tiny", checkpoint_files(weight_bytes=4000))
        snapshot_download("org/tiny", hub=hub, cache=cache)
        hub.commit("org/tiny", {"config.json": b'{"architectures": ["LlamaForCausalLM"], "new": 1}'})
        snapshot_download("org/tiny", hub=hub, cache=cache)
        hub.add("org/other", checkpoint_files(weight_bytes=6000, fill=1))
        snapshot_download("org/other", hub=hub, cache=cache)
    return cache


@pytest.fixture
def setup(home: Paths, filled: Path) -> CacheSetup:
    setup = CacheSetup(home)
    shutil.copytree(filled, setup.folder, symlinks=True)
    return setup


def contents(folder: Path) -> dict[str, object]:
    """Every file and link below `folder` but the locks, with what it holds or where it leads, and its time."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.startswith(".locks"):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes(), path.stat().st_mtime_ns
    return found


def move(setup: CacheSetup, target: Path) -> None:
    asyncio.run(setup.cache.move(str(target)))


def fails(setup: CacheSetup, target: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        move(setup, target)
    return caught.value


def test_everything_is_there_and_the_old_place_leads_there(setup: CacheSetup, tmp_path: Path) -> None:
    old, target = setup.folder, tmp_path / "disk" / "hub"
    before = contents(old)
    weights = next(path for path in old.rglob("*") if path.is_file() and path.stat().st_size > 6000)
    before[str(weights.resolve().relative_to(old.resolve()))] = weights.read_bytes(), 1_700_000_001_000_000_000
    os.utime(weights.resolve(), (1_700_000_000, 1_700_000_001))
    move(setup, target)
    state = asyncio.run(setup.cache.look())
    assert next(repo for repo in state.repos if repo.repo_id == "org/other").last_used == 1_700_000_000
    assert contents(target) == before
    assert setup.cache.folder == target
    assert CacheSetup(setup.paths).cache.folder == target  # it was saved
    assert old.is_symlink()
    assert old.resolve() == target
    assert sorted(path.name for path in old.parent.iterdir()) == ["hub"]
    # Other tools go by the old place, we by the new one.
    for cache in (old, target):
        assert snapshot_download("org/other", cache=cache).is_dir()
    assert all(revision.whole for repo in state.repos for revision in repo.revisions)
    told = [event for event in setup.events if isinstance(event, Progress)]
    assert {event.step for event in told} == {"copy", "tidy"}
    assert told[-1].done_bytes == told[-1].total_bytes > 20_000
    assert [event.error for event in setup.events if isinstance(event, JobDone)] == [None]


def test_it_can_be_moved_again(setup: CacheSetup, tmp_path: Path) -> None:
    before = contents(setup.folder)
    old = setup.folder
    for name in ("a", "b"):
        move(setup, tmp_path / name)
    assert contents(tmp_path / "b") == before
    assert old.resolve() == (tmp_path / "b")
    assert (tmp_path / "a").is_symlink()


def test_links_of_every_kind_lead_where_they_led(setup: CacheSetup, tmp_path: Path) -> None:
    folder = setup.folder.resolve()
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    snapshot = next(folder.glob("models--org--tiny/snapshots/*"))
    weights = snapshot / "model.safetensors"
    blob = weights.resolve()
    (snapshot / "absolute").symlink_to(blob)
    (snapshot / "out").symlink_to(os.path.relpath(outside, snapshot))
    (snapshot / "broken").symlink_to("../../blobs/none")
    os.link(blob, blob.with_name("d" * 64))
    (folder / SHARED / "ab").mkdir(parents=True)
    (folder / SHARED / "ab" / ("ab" * 32)).write_bytes(b"shared")
    (folder / SHARED / "ab" / ("ab" * 32)).chmod(0o444)
    (folder / SHARED / "ab").chmod(0o555)
    target = tmp_path / "new"
    move(setup, target)
    moved = target / snapshot.relative_to(folder)
    assert os.readlink(moved / "absolute") == str(target / blob.relative_to(folder))
    assert (moved / "out").read_text() == "mine"
    assert os.readlink(moved / "broken") == "../../blobs/none"
    assert (moved / "model.safetensors").resolve().samefile(target / blob.with_name("d" * 64).relative_to(folder))
    assert (target / SHARED / "ab").stat().st_mode & 0o777 == 0o555
    (target / SHARED / "ab").chmod(0o755)


@pytest.mark.parametrize("kind", ["itself", "inside", "above", "not empty", "a file", "through a link"])
def test_places_that_will_not_do(setup: CacheSetup, tmp_path: Path, kind: str) -> None:
    before = contents(setup.folder)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").write_text("mine")
    (tmp_path / "link").symlink_to(setup.folder)
    places = {
        "itself": setup.folder,
        "inside": setup.folder / "deeper",
        "above": setup.folder.parent,
        "not empty": tmp_path / "full",
        "a file": tmp_path / "full" / "letter",
        "through a link": tmp_path / "link" / "x",
    }
    code = "hub.move_not_empty" if kind in ("not empty", "a file") else "hub.move_inside"
    assert fails(setup, places[kind]).code == code
    assert contents(setup.folder) == before
    assert (tmp_path / "full" / "letter").read_text() == "mine"
    assert setup.settings.current.hub_cache == ""


def test_no_room(setup: CacheSetup, tmp_path: Path) -> None:
    huge = next(setup.folder.resolve().glob("models--org--other/blobs/*"))
    size = huge.stat().st_size
    os.truncate(huge, 1 << 43)  # 8 TiB that take no room here
    error = fails(setup, tmp_path / "new")
    assert error.code == "hub.move_no_space"
    assert int(error.facts["needed_bytes"] or 0) >= 1 << 43 > int(error.facts["free_bytes"] or 0) > 0
    assert not (tmp_path / "new").exists()
    os.truncate(huge, size)
    move(setup, tmp_path / "new")


def test_what_is_used_is_not_moved(setup: CacheSetup, tmp_path: Path) -> None:
    setup.cache.add_user(lambda: InUse(busy=frozenset({"org/other"})))
    assert fails(setup, tmp_path / "new").code == "hub.cache_in_use"
    assert not (tmp_path / "new").exists()


def test_a_failure_in_the_middle_takes_everything_back(setup: CacheSetup, tmp_path: Path) -> None:
    """A name that the other disk does not take comes after much was copied."""
    limit = os.pathconf(tmp_path, "PC_NAME_MAX")
    long = setup.folder / "models--org--zzz" / "blobs" / ("z" * limit)
    long.parent.mkdir(parents=True)
    long.write_bytes(b"1")
    before = contents(setup.folder)
    error = fails(setup, tmp_path / "new")
    assert (error.code, error.facts["reason"]) == ("hub.move_failed", os.strerror(errno.ENAMETOOLONG))
    assert not (tmp_path / "new").exists()
    assert contents(setup.folder) == before
    assert setup.settings.current.hub_cache == ""
    assert asyncio.run(setup.cache.look()).warnings == ()


def test_what_is_read_back_with_other_bytes_gets_no_name(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    (source / "weights").write_bytes(bytes(3 << 20))

    def disk_forgets(_count: int) -> None:
        part = target / f"weights{PART}"
        with part.open("r+b") as file:
            file.write(b"!")

    with pytest.raises(Differs, match="weights"):
        Copier(source, target, disk_forgets, threading.Event()).run(take_inventory(source))
    assert list(target.iterdir()) == []


def test_a_setting_that_cannot_be_saved_takes_everything_back(setup: CacheSetup, tmp_path: Path) -> None:
    before = contents(setup.folder)
    old = setup.folder
    setup.paths.settings_file.mkdir()  # nothing can be written there
    assert fails(setup, tmp_path / "new").code == "settings.not_saved"
    assert not (tmp_path / "new").exists()
    assert contents(old) == before
    assert not old.is_symlink()
    setup.paths.settings_file.rmdir()
    move(setup, tmp_path / "new")
    assert contents(tmp_path / "new") == before


def many(folder: Path, count: int = 40, size: int = 4 << 20) -> None:
    """More models, so that a copy takes its time."""
    for number in range(count):
        blobs = folder / f"models--org--more{number:02}" / "blobs"
        blobs.mkdir(parents=True)
        (blobs / f"{number:064x}").write_bytes(bytes([number]) * size)


def test_a_cancelled_move_leaves_nothing(setup: CacheSetup, tmp_path: Path) -> None:
    many(setup.folder)
    before = disk_bytes(setup.folder)
    target = tmp_path / "new"

    async def run() -> None:
        begun = asyncio.Event()

        def heard(event: Event) -> None:
            if isinstance(event, Progress) and event.done_bytes > 8 << 20:
                begun.set()

        setup.bus.subscribe(heard)
        task = asyncio.create_task(setup.cache.move(str(target)))
        await asyncio.wait_for(begun.wait(), 30)
        with pytest.raises(AppError, match="cache_busy"):
            await setup.cache.delete("org/tiny")
        await setup.cache.cancel(MOVE_JOB)
        with pytest.raises(AppError, match="move_cancelled"):
            await task

    asyncio.run(run())
    assert not target.exists()
    assert disk_bytes(setup.folder) == before
    assert not setup.folder.is_symlink()
    assert asyncio.run(setup.cache.look()).warnings == ()


def whole(target: Path) -> list[Path]:
    """Files of `many` that have their names already."""
    return [path for path in target.glob("models--org--more*/blobs/*") if path.suffix == ""]


def test_a_killed_move_goes_on_and_copies_nothing_twice(setup: CacheSetup, tmp_path: Path) -> None:
    many(setup.folder)
    old, target = setup.folder, tmp_path / "new"
    before = contents(old)
    child = subprocess.Popen([sys.executable, "-c", _MOVE, str(target)])
    deadline = time.monotonic() + 60
    while len(whole(target)) < 6:
        assert child.poll() is None, "it was over before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait()
    done = {path: path.stat().st_ino for path in whole(target)}
    assert 6 <= len(done) < 40
    # Until then the old place is the cache, whole; what happened is told.
    assert setup.cache.folder == old
    state = asyncio.run(setup.cache.look())
    assert [warning.code for warning in state.warnings] == ["hub.move_unfinished"]
    assert only(next(repo for repo in state.repos if repo.repo_id == "org/other")).whole
    assert snapshot_download("org/other", cache=old).is_dir()
    move(setup, target)
    assert contents(target) == before
    assert {path: path.stat().st_ino for path in done} == done
    assert old.resolve() == target
    assert asyncio.run(setup.cache.look()).warnings == ()


def test_after_a_killed_move_another_place_may_be_chosen(setup: CacheSetup, tmp_path: Path) -> None:
    before = contents(setup.folder)
    first, second = tmp_path / "first", tmp_path / "second"
    setup.paths.state.joinpath("cache-move.json").write_text(
        f'{{"source": "{setup.folder.resolve()}", "target": "{first}"}}'
    )
    name = next(name for name, held in before.items() if isinstance(held, tuple))
    (first / name).parent.mkdir(parents=True)
    (first / name).write_bytes(b"half")
    (first / "letter.txt").write_text("mine")
    move(setup, second)
    assert contents(second) == before
    assert contents(first).keys() == {"letter.txt"}


def test_a_move_killed_while_it_tidied_up_is_finished_by_the_next_look(setup: CacheSetup, tmp_path: Path) -> None:
    before = contents(setup.folder)
    old, target = setup.folder, tmp_path / "new"
    subprocess.run(["cp", "-a", str(old), str(target)], check=True)
    setup.paths.state.joinpath("cache-move.json").write_text(
        f'{{"source": "{old.resolve()}", "target": "{target}", "switched": true, "old": "{old}.x"}}'
    )
    state = asyncio.run(setup.cache.look())
    assert (state.folder, state.warnings) == (str(target), ())
    assert old.resolve() == target
    assert contents(target) == before


def test_a_source_that_cannot_be_renamed_is_emptied(
    setup: CacheSetup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mount point, say; here a name that cannot get longer."""
    before = contents(setup.folder)
    old = tmp_path / ("n" * 250)
    setup.folder.rename(old)
    monkeypatch.setenv("HF_HUB_CACHE", str(old))
    move(setup, tmp_path / "new")
    assert contents(tmp_path / "new") == before
    assert (old.is_symlink(), list(old.iterdir())) == (False, [])
