"""Deleting: the bytes are told first, what others use stays, nothing outside the cache is touched."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.cache.scan import InUse
from core.hub.events import CacheChanged
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.support.hub import running_hub
from tests.support.hub_cache import CacheSetup, checkpoint_files, disk_bytes, snapshot_download


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def setup(home: Paths) -> CacheSetup:
    return CacheSetup(home)


def delete(setup: CacheSetup, repo_id: str, revision: str = "") -> tuple[int, int, int]:
    """The bytes that were told before, those told after, and those that the disk really got back."""
    told = asyncio.run(setup.cache.frees(repo_id, revision))
    before = disk_bytes(setup.folder)
    freed = asyncio.run(setup.cache.delete(repo_id, revision))
    return told, freed, before - disk_bytes(setup.folder)


def refused(setup: CacheSetup, repo_id: str, revision: str = "") -> str:
    with pytest.raises(AppError) as caught:
        asyncio.run(setup.cache.delete(repo_id, revision))
    return caught.value.code


def test_a_whole_model_goes_with_all_its_bytes(setup: CacheSetup, hub: FakeHub) -> None:
    for name in ("org/gone", "org/stays"):
        hub.add(name, checkpoint_files(weight_bytes=4000))
    path = snapshot_download("org/gone", hub=hub, cache=setup.folder)
    kept = snapshot_download("org/stays", hub=hub, cache=setup.folder)
    told, freed, real = delete(setup, "org/gone")
    assert told == freed == real > 4000
    assert not path.parents[1].exists()
    assert snapshot_download("org/stays", cache=setup.folder) == kept
    heard = [event for event in setup.events if isinstance(event, CacheChanged)]
    assert [repo.repo_id for repo in heard[-1].cache.repos] == ["org/stays"]


def test_one_commit_goes_and_the_other_still_loads(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files(weight_bytes=4000))
    old = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    newer = checkpoint_files(weight_bytes=7000, fill=1)
    commit = hub.commit("org/tiny", {"model.safetensors": newer["model.safetensors"]})
    kept = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    told, freed, real = delete(setup, "org/tiny", old.name[:8])
    assert told == freed == real
    assert 4000 < freed < 7000
    assert not old.exists()
    assert snapshot_download("org/tiny", cache=setup.folder) == kept
    assert kept.name == commit
    assert (kept / "model.safetensors").read_bytes() == newer["model.safetensors"]
    # The last commit takes the folder along.
    told, freed, real = delete(setup, "org/tiny", "main")
    assert told == freed == real > 7000
    assert not old.parents[1].exists()


def test_what_is_used_stays(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    serving = {"org/tiny"}
    setup.cache.add_user(lambda: InUse(busy=frozenset(serving)))
    assert asyncio.run(setup.cache.look()).repos[0].in_use
    assert refused(setup, "org/tiny") == refused(setup, "org/tiny", "main") == "hub.cache_in_use"
    assert (path / "model.safetensors").is_file()
    serving.clear()
    partial = path.parents[1] / "blobs" / ("a" * 64 + ".incomplete")
    with partial.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # another Stowage fetches
        assert refused(setup, "org/tiny") == "hub.cache_in_use"
    assert delete(setup, "org/tiny")[2] > 0


@pytest.mark.parametrize(("repo_id", "revision"), [("org/none", ""), ("org/tiny", "none"), ("org/tiny", "0" * 40)])
def test_what_is_not_there_cannot_be_deleted(setup: CacheSetup, hub: FakeHub, repo_id: str, revision: str) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    assert refused(setup, repo_id, revision) == "hub.not_cached"
    assert path.is_dir()


def test_links_that_lead_out_of_the_cache_are_only_links(setup: CacheSetup, hub: FakeHub, tmp_path: Path) -> None:
    hub.add("org/tiny", checkpoint_files())
    old = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    hub.commit("org/tiny", {"config.json": b'{"architectures": ["LlamaForCausalLM"], "new": 1}'})
    snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("important")
    (old / "letter.txt").symlink_to(mine / "letter.txt")
    (old / "folder").symlink_to(mine)
    (old / "up.json").symlink_to("../../../../../mine/letter.txt")
    blob = old.parents[1] / "blobs" / ("c" * 40)
    blob.symlink_to(mine / "letter.txt")
    (old / "letter2.txt").symlink_to(f"../../blobs/{'c' * 40}")
    told, freed, real = delete(setup, "org/tiny", old.name)
    assert told == freed == real
    assert not os.path.lexists(blob)
    assert delete(setup, "org/tiny")[0] > 0
    assert (mine / "letter.txt").read_text() == "important"


@pytest.mark.parametrize("part", ["", "blobs", "snapshots"])
def test_a_model_that_lies_elsewhere_stays_there(setup: CacheSetup, hub: FakeHub, tmp_path: Path, part: str) -> None:
    """People put a link in the cache to save room on a disk."""
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    place = path.parents[1] / part if part else path.parents[1]
    elsewhere = tmp_path / "other-disk"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    kept = disk_bytes(elsewhere)
    assert asyncio.run(setup.cache.frees("org/tiny")) == 0
    asyncio.run(setup.cache.delete("org/tiny"))
    assert disk_bytes(elsewhere) == kept
    assert asyncio.run(setup.cache.look()).repos == ()


def test_one_commit_of_a_model_whose_bytes_lie_elsewhere(setup: CacheSetup, hub: FakeHub, tmp_path: Path) -> None:
    hub.add("org/tiny", checkpoint_files())
    old = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    hub.commit("org/tiny", {"config.json": b'{"architectures": ["LlamaForCausalLM"], "new": 1}'})
    kept = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    blobs = old.parents[1] / "blobs"
    blobs.rename(tmp_path / "other-disk")
    blobs.symlink_to(tmp_path / "other-disk")
    before = disk_bytes(tmp_path / "other-disk")
    assert asyncio.run(setup.cache.frees("org/tiny", old.name)) == 0
    asyncio.run(setup.cache.delete("org/tiny", old.name))
    assert not old.exists()
    assert disk_bytes(tmp_path / "other-disk") == before
    assert snapshot_download("org/tiny", cache=setup.folder) == kept


def test_bytes_with_a_second_name_are_not_promised(setup: CacheSetup, hub: FakeHub, tmp_path: Path) -> None:
    files = checkpoint_files(weight_bytes=9000)
    hub.add("org/tiny", files)
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    os.link((path / "model.safetensors").resolve(), tmp_path / "second-name")
    assert asyncio.run(setup.cache.delete("org/tiny")) < 9000
    assert (tmp_path / "second-name").read_bytes() == files["model.safetensors"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may delete everything")
def test_what_the_system_refuses_is_told(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    blobs = path.parents[1] / "blobs"
    blobs.chmod(0o500)
    try:
        assert refused(setup, "org/tiny") == "hub.cache_not_deleted"
    finally:
        blobs.chmod(0o700)
