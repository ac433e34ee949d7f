"""What lies in the cache: put there by huggingface_hub itself, and by hand where it never should look like that."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.hub.cache.scan import InUse
from core.hub.model import CachedRepo, CacheState
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.support.hub import running_hub
from tests.support.hub_cache import CacheSetup, checkpoint_files, disk_bytes, only, snapshot_download


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def setup(home: Paths) -> CacheSetup:
    return CacheSetup(home)


def look(setup: CacheSetup) -> CacheState:
    return asyncio.run(setup.cache.look())


def repo(setup: CacheSetup, repo_id: str) -> CachedRepo:
    return next(found for found in look(setup).repos if found.repo_id == repo_id)


def test_no_cache_is_an_empty_one(setup: CacheSetup) -> None:
    state = look(setup)
    assert (state.repos, state.size_bytes, state.orphans, state.warnings) == ((), 0, (), ())
    assert state.free_bytes
    assert not setup.folder.exists()


def test_what_hugging_face_downloaded_is_whole(setup: CacheSetup, hub: FakeHub) -> None:
    files = checkpoint_files(weight_bytes=5000)
    added = hub.add("org/tiny", files)
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    found = repo(setup, "org/tiny")
    revision = only(found)
    assert (revision.commit, revision.refs, revision.path) == (added.branches["main"], ("main",), str(path))
    assert revision.whole
    assert revision.size_bytes == found.size_bytes == sum(map(len, files.values()))
    assert found.last_used > 0
    # The listing and the ref go along.
    assert revision.freed_bytes == found.freed_bytes == disk_bytes(Path(found.path))


def test_two_commits_share_what_did_not_change(setup: CacheSetup, hub: FakeHub) -> None:
    files = checkpoint_files(weight_bytes=5000)
    hub.add("org/tiny", files)
    snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    newer = hub.commit("org/tiny", {"config.json": b'{"architectures": ["LlamaForCausalLM"], "new": 1}'})
    snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    found = repo(setup, "org/tiny")
    first, second = found.revisions
    assert (first.commit, first.refs, second.refs) == (newer, ("main",), ())
    assert first.whole
    assert second.whole
    weights = len(files["model.safetensors"])
    assert max(first.freed_bytes, second.freed_bytes) < weights < found.freed_bytes
    assert found.size_bytes < first.size_bytes + second.size_bytes


def test_what_only_the_weights_miss_is_told_by_the_listing(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/big", checkpoint_files(shards=3))
    snapshot_download(
        "org/big", hub=hub, cache=setup.folder, allow_patterns=["*.json", "model-00001-of-00003.safetensors"]
    )
    revision = only(repo(setup, "org/big"))
    assert revision.missing == ("model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors")
    assert not revision.whole


def test_what_loading_does_not_need_is_not_missing(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/big", checkpoint_files(shards=2) | {"original/consolidated.pth": b"x" * 50, "photo.png": b"png"})
    snapshot_download(
        "org/big", hub=hub, cache=setup.folder, allow_patterns=["*.json", "*.safetensors"]
    )  # as vLLM does
    assert only(repo(setup, "org/big")).whole


@pytest.mark.parametrize("with_listing", [True, False])
def test_a_shard_of_another_size_is_not_whole(setup: CacheSetup, hub: FakeHub, with_listing: bool) -> None:
    hub.add("org/big", checkpoint_files(shards=2))
    path = snapshot_download("org/big", hub=hub, cache=setup.folder)
    if not with_listing:
        shutil.rmtree(path.parents[1] / "trees")
    shard = (path / "model-00002-of-00002.safetensors").resolve()
    os.truncate(shard, shard.stat().st_size - 1)
    revision = only(repo(setup, "org/big"))
    assert revision.missing + revision.damaged == ("model-00002-of-00002.safetensors",)
    assert bool(revision.missing) is with_listing


def test_without_a_listing_the_index_tells(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/big", checkpoint_files(shards=3))
    path = snapshot_download("org/big", hub=hub, cache=setup.folder)
    shutil.rmtree(path.parents[1] / "trees")
    assert only(repo(setup, "org/big")).whole
    (path / "model-00002-of-00003.safetensors").unlink()
    (path / "tokenizer.json").unlink()
    assert set(only(repo(setup, "org/big")).missing) == {"model-00002-of-00003.safetensors", "tokenizer.json"}


def test_code_that_the_config_calls_for_is_needed(setup: CacheSetup, hub: FakeHub) -> None:
    config = b'{"architectures": ["Own"], "auto_map": {"AutoModel": "modeling_own.Own", "AutoConfig": "a/b--c.D"}}'
    hub.add("org/own", checkpoint_files() | {"config.json": config, "modeling_own.py": b"class Own: ..."})
    path = snapshot_download("org/own", hub=hub, cache=setup.folder)
    assert only(repo(setup, "org/own")).whole
    (path / "modeling_own.py").unlink()
    assert only(repo(setup, "org/own")).missing == ("modeling_own.py",)


def test_a_link_to_nothing_is_a_missing_file_and_no_reason_to_give_up(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    (path / "model.safetensors").resolve().unlink()
    (path.parents[1] / "refs" / "gone").write_text("0" * 40)
    state = look(setup)
    assert only(state.repos[0]).missing == ("model.safetensors",)
    assert state.warnings == ()


def test_copies_instead_of_links(setup: CacheSetup, hub: FakeHub) -> None:
    """As on Windows without the right to make links."""
    hub.add("org/tiny", checkpoint_files())
    path = snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    for link in path.iterdir():
        blob = link.resolve()
        link.unlink()
        blob.rename(link)
    found = repo(setup, "org/tiny")
    assert only(found).whole
    assert only(found).freed_bytes == found.freed_bytes == disk_bytes(Path(found.path))


def test_the_same_file_in_two_repositories(setup: CacheSetup, hub: FakeHub) -> None:
    files = checkpoint_files(weight_bytes=9000)
    hub.add("org/one", files)
    hub.add("org/two", files | {"config.json": b'{"architectures": ["LlamaForCausalLM"]}'})
    for repo_id in ("org/one", "org/two"):
        snapshot_download(repo_id, hub=hub, cache=setup.folder)
    weights = len(files["model.safetensors"])
    state = look(setup)
    assert [weights <= found.duplicate_bytes < found.size_bytes for found in state.repos] == [True, True]
    assert state.size_bytes == sum(found.size_bytes for found in state.repos)


def shared(folder: Path, repo_path: Path, etag: str, xet: str) -> Path:
    """Move a blob into the store that repositories share, as huggingface_hub 2.4 does for Xet files."""
    store = folder / "blobs"
    store.mkdir(exist_ok=True)
    (store / ".huggingface-shared-blobs").write_text("1\n")
    (store / xet[:2]).mkdir(exist_ok=True)
    payload, blob = store / xet[:2] / xet, repo_path / "blobs" / etag
    if payload.exists():
        blob.unlink()
    else:
        blob.rename(payload)
    blob.symlink_to(os.path.relpath(payload, blob.parent))
    with (store / xet[:2] / f"{xet}.refs").open("a") as refs:
        refs.write(f"{blob.relative_to(folder).as_posix()}\n")
    return payload


def test_bytes_that_repositories_share_count_once(setup: CacheSetup, hub: FakeHub) -> None:
    files = checkpoint_files(weight_bytes=9000)
    hub.add("org/one", files)
    hub.add("org/two", files | {"config.json": b'{"architectures": ["LlamaForCausalLM"]}'})
    etag = hub.repos["org/one"].head.files["model.safetensors"].sha256
    for repo_id in ("org/one", "org/two"):
        path = snapshot_download(repo_id, hub=hub, cache=setup.folder)
        payload = shared(setup.folder.resolve(), path.parents[1], etag, "ab" * 32)
    state = look(setup)
    assert [only(found).whole for found in state.repos] == [True, True]
    assert [found.freed_bytes < 9000 < found.size_bytes for found in state.repos] == [True, True]
    assert state.size_bytes == sum(found.size_bytes for found in state.repos) - payload.stat().st_size
    # With one of them gone, the other is the last.
    assert asyncio.run(setup.cache.delete("org/one")) < 9000
    assert payload.is_file()
    left = repo(setup, "org/two")
    assert left.freed_bytes > 9000
    assert asyncio.run(setup.cache.delete("org/two")) == left.freed_bytes
    assert not payload.exists()


def test_other_kinds_are_listed_apart(setup: CacheSetup) -> None:
    for name in ("datasets--org--data", "spaces--org--page"):
        blobs = setup.folder / name / "blobs"
        blobs.mkdir(parents=True)
        (blobs / ("0" * 40)).write_bytes(b"123")
        snapshot = setup.folder / name / "snapshots" / ("1" * 40)
        snapshot.mkdir(parents=True)
        (snapshot / "a.csv").symlink_to(f"../../blobs/{'0' * 40}")
    (setup.folder / "notes.txt").write_text("mine")
    state = look(setup)
    assert [found.repo_id for found in state.repos] == ["datasets/org/data", "spaces/org/page"]
    assert [only(found).missing for found in state.repos] == [(), ()]
    assert state.size_bytes == 6


def test_a_folder_that_cannot_be_read_costs_itself_only(setup: CacheSetup, hub: FakeHub) -> None:
    hub.add("org/tiny", checkpoint_files())
    snapshot_download("org/tiny", hub=hub, cache=setup.folder)
    loop = setup.folder / "models--org--loop"
    loop.mkdir()
    (loop / "blobs").symlink_to("blobs")
    state = look(setup)
    assert [found.repo_id for found in state.repos] == ["org/tiny"]
    assert [warning.code for warning in state.warnings] == ["hub.cache_unreadable"]


def test_unfinished_files_of_nobody_are_orphans_and_are_swept(setup: CacheSetup, hub: FakeHub) -> None:
    for repo_id in ("org/mine", "org/theirs"):
        hub.add(repo_id, checkpoint_files())
        snapshot_download(repo_id, hub=hub, cache=setup.folder)
    folder = setup.folder.resolve()
    etag = "a" * 64

    def partial(repo_id: str, name: str, *, old: bool) -> Path:
        path = folder / f"models--{repo_id.replace('/', '--')}" / "blobs" / f"{name}.incomplete"
        path.write_bytes(b"x" * 100)
        if old:
            os.utime(path, (1, 1))
        return path

    old = partial("org/theirs", f"{etag}.0a1b2c3d", old=True)
    fresh = partial("org/theirs", "b" * 64, old=False)
    wanted = partial("org/mine", etag, old=True)
    setup.cache.add_user(lambda: InUse(claimed=frozenset({"org/mine"})))
    state = look(setup)
    assert (state.orphans, state.orphan_bytes) == ((str(old),), 100)
    assert next(found for found in state.repos if found.repo_id == "org/theirs").partial_bytes == 200

    lock = folder / ".locks" / "models--org--theirs" / f"{etag}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX)  # as huggingface_hub does while it fetches that file
        assert look(setup).orphans == ()
        assert asyncio.run(setup.cache.sweep()) == 0
    with old.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as our own downloads do
        assert look(setup).orphans == ()
    assert asyncio.run(setup.cache.sweep()) == 100
    assert [path.exists() for path in (old, fresh, wanted)] == [False, True, True]


def test_what_a_folder_download_left_is_swept_too(setup: CacheSetup, tmp_path: Path) -> None:
    notes = tmp_path / "model" / ".cache" / "huggingface" / "download"
    notes.mkdir(parents=True)
    old, fresh = notes / "x.0.incomplete", notes / "y.1.incomplete"
    for path in (old, fresh):
        path.write_bytes(b"12345")
    os.utime(old, (1, 1))
    setup.settings.change(model_folders=[str(tmp_path / "model")])
    assert asyncio.run(setup.cache.sweep()) == 5
    assert (old.exists(), fresh.exists()) == (False, True)
