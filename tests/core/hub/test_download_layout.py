"""What a download leaves on the disk is what huggingface_hub and vLLM read, and no more than vLLM needs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from pathlib import Path

import pytest
from huggingface_hub import scan_cache_dir, snapshot_download

from core.errors import AppError
from core.hub.model import DownloadState, RepoRef
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.fakes.hub_content import MadeUp
from tests.support.downloads import downloading
from tests.support.hub import bodies, running_hub, sent_bytes

MIB = 1 << 20


def every_hash_is_right(cache: Path) -> bool:
    """Each blob has the name that its bytes call for."""
    blobs = [path for path in cache.glob("models--*/blobs/*") if path.is_file()]
    for path in blobs:
        data = path.read_bytes()
        digest = hashlib.sha256(data) if len(path.name) == 64 else hashlib.sha1(b"blob %d\0" % len(data) + data)
        if digest.hexdigest() != path.name:
            return False
    return bool(blobs)


def asked_for(hub: FakeHub) -> set[str]:
    """The files of which any bytes were sent."""
    return {
        hub.signed[name][0] if (name := request.path.rpartition("/")[2]) in hub.signed else request.path
        for request in bodies(hub)
    }


def test_exactly_what_vllm_needs(home: Paths, tmp_path: Path) -> None:
    """The index decides; other formats, other forms, pictures and shards it does not name stay where they are."""
    files = made_up_model(4 * MIB, 2) | {
        "pytorch_model.bin": MadeUp(4 * MIB, 7),
        "onnx/model.onnx": MadeUp(MIB, 8),
        "model-00001-of-00009.safetensors": MadeUp(MIB, 9),
        "consolidated.safetensors": MadeUp(4 * MIB, 10),
        "original/consolidated.00.pth": MadeUp(MIB, 11),
        "picture.png": b"png",
        "sub/notes.txt": "read by nobody, small",
    }

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            info = await rig.get("org/Name")
            assert (info.state, info.error) == (DownloadState.DONE, None)
            assert info.done_bytes == info.total_bytes == 4 * MIB + small
            assert rig.cache_changes == 1

    cache = tmp_path / "cache"
    with running_hub() as hub:
        repo = hub.add("org/Name", files)
        small = sum(repo.head.files[name].size for name in (*SMALL, "sub/notes.txt"))
        asyncio.run(run())
        index = repo.head.files["model.safetensors.index.json"].size  # also read to know what to fetch
        assert sent_bytes(hub) == 4 * MIB + small + index
        assert not any(name.endswith((".bin", ".onnx", ".png", ".pth", "00009.safetensors")) for name in asked_for(hub))
    snapshot = Path(snapshot_download("org/Name", cache_dir=cache, local_files_only=True))
    assert snapshot.name == repo.head.sha
    found = {str(path.relative_to(snapshot)) for path in snapshot.rglob("*") if path.is_file()}
    assert found == {*SMALL, "sub/notes.txt", *(f"model-0000{n}-of-00002.safetensors" for n in (1, 2))}
    assert all(path.is_symlink() and not os.path.isabs(os.readlink(path)) for path in snapshot.rglob("*.*"))
    assert every_hash_is_right(cache)
    assert not list(cache.rglob("*.incomplete"))
    assert not scan_cache_dir(cache).warnings


SMALL = ("config.json", "tokenizer.json", "README.md", "model.safetensors.index.json")


def test_all_of_a_repository_comes_with_its_listing(home: Paths, tmp_path: Path) -> None:
    """Then huggingface_hub asks the Hub nothing for that commit, and calls it whole offline."""

    async def run() -> None:
        async with downloading(hub, home, cache) as rig:
            await rig.get("org/all")

    cache = tmp_path / "cache"
    with running_hub() as hub:
        sha = hub.add("org/all", made_up_model(MIB)).head.sha
        asyncio.run(run())
        hub.log.clear()
        assert snapshot_download("org/all", revision=sha, cache_dir=cache, endpoint=hub.url).endswith(sha)
        assert hub.log.all() == []
    tree = json.loads((cache / "models--org--all" / "trees" / f"{sha}.json").read_text("utf-8"))
    assert set(tree["files"]) == {"config.json", "tokenizer.json", "README.md", "model.safetensors"}
    assert (cache / "models--org--all" / "refs" / "main").read_text("utf-8") == sha


def test_nothing_is_fetched_twice(home: Paths, tmp_path: Path) -> None:
    """A second get asks for no byte; one of a newer commit asks for what changed."""

    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            await rig.get("org/a")
            hub.log.clear()
            assert (await rig.get("org/a")).state is DownloadState.DONE
            assert bodies(hub) == []
            newer = hub.commit("org/a", {"config.json": '{"model_type": "llama", "new": 1}'})
            info = await rig.get("org/a")
            assert (info.state, info.commit) == (DownloadState.DONE, newer)
            assert len(bodies(hub)) == 1
            assert sent_bytes(hub, "config.json") > 0

    with running_hub() as hub:
        first = hub.add("org/a", made_up_model(MIB)).head.sha
        asyncio.run(run())
    snapshots = tmp_path / "models--org--a" / "snapshots"
    weights = {os.path.realpath(snapshots / name / "model.safetensors") for name in os.listdir(snapshots)}
    assert first in os.listdir(snapshots)
    assert len(os.listdir(snapshots)) == 2
    assert len(weights) == 1


def test_every_spelling_of_an_id_ends_in_one_folder(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            for name in ("org/model", "ORG/MODEL", "Org/Model", "old/Name"):
                assert (await rig.get(name)).state is DownloadState.DONE

    with running_hub() as hub:
        hub.add("old/Name", made_up_model(MIB))
        hub.rename("old/Name", "Org/Model")
        asyncio.run(run())
        assert sent_bytes(hub, "model.safetensors") == MIB
    assert [path.name for path in tmp_path.glob("models--*")] == ["models--Org--Model"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_renamed_repository(home: Paths, tmp_path: Path, status: int) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            info = await rig.get("old/name")
            assert (info.state, info.repo_id) == (DownloadState.DONE, "new/name")

    with running_hub() as hub:
        hub.add("old/name", made_up_model(MIB))
        hub.rename("old/name", "new/name")
        hub.rename_status = status
        asyncio.run(run())


def test_a_tag_and_a_commit(home: Paths, tmp_path: Path) -> None:
    """A tag gets its ref; a commit has none to write."""

    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            assert (await rig.get("org/a", "v1")).commit == old
            assert (await rig.get("org/a", new)).state is DownloadState.DONE

    with running_hub() as hub:
        repo = hub.add("org/a", made_up_model(MIB))
        old = repo.head.sha
        repo.tags["v1"] = old
        new = hub.commit("org/a", {"config.json": '{"model_type": "gemma"}'})
        asyncio.run(run())
    refs = tmp_path / "models--org--a" / "refs"
    assert {path.name: path.read_text("utf-8") for path in refs.iterdir()} == {"v1": old}
    assert snapshot_download("org/a", revision="v1", cache_dir=tmp_path, local_files_only=True).endswith(old)


def test_a_damaged_blob_is_mended(home: Paths, tmp_path: Path) -> None:
    """One of another size, by whichever tool, is not taken for the file."""

    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            await rig.get("org/a")
            [blob] = [path for path in tmp_path.glob("models--org--a/blobs/*") if path.stat().st_size == MIB]
            blob.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
            hub.log.clear()
            await rig.get("org/a")
            assert sent_bytes(hub) == MIB

    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        asyncio.run(run())
    assert every_hash_is_right(tmp_path)


def test_offline_a_whole_model_is_there_and_a_part_is_not(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            await rig.get("org/a")
        hub.log.clear()
        async with downloading(hub, home, tmp_path, connection={"offline": True}) as rig:
            assert (await rig.downloads.get(RepoRef("ORG/A"))).state is DownloadState.DONE
            next(tmp_path.glob("models--org--a/snapshots/*/model.safetensors")).unlink()
            with pytest.raises(AppError) as caught:
                await rig.downloads.get(RepoRef("org/a"))
            assert caught.value.code == "hub.offline"
            assert hub.log.all() == []

    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        asyncio.run(run())


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"model.gguf": b"GGUF"}, "model.gguf_only"),
        ({"README.md": "nothing"}, "model.not_a_checkpoint"),
        ({"config.json": "{}", "model-00001-of-00002.safetensors": b"x" * 10}, "model.missing_shards"),
    ],
)
def test_what_vllm_cannot_load_is_not_fetched(home: Paths, tmp_path: Path, files: dict[str, bytes], code: str) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            with pytest.raises(AppError) as caught:
                await rig.downloads.get(RepoRef("org/a"))
            assert caught.value.code == code
            assert rig.downloads.list() == ()

    with running_hub() as hub:
        hub.add("org/a", files)
        asyncio.run(run())
        assert bodies(hub) == []
    assert list(tmp_path.glob("models--*")) == []
