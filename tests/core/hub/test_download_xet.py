"""Repositories in Xet storage: over plain HTTP, and through hf-xet only where a file is too large for that."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.hub.connection import Connection
from core.hub.download.job import Job
from core.hub.download.link import WorkerLink
from core.hub.download.orders import XET_BYTES, order_of
from core.hub.download.worker.order import DEFAULT_TIMING
from core.hub.model import DownloadState, HubFile
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.fakes.hub_content import MadeUp
from tests.support.downloads import downloading
from tests.support.hub import running_hub, sent_bytes

MIB = 1 << 20


def test_plain_http_by_default(home: Paths, tmp_path: Path) -> None:
    async def run() -> None:
        async with downloading(hub, home, tmp_path) as rig:
            assert (await rig.get("org/a")).state is DownloadState.DONE

    with running_hub() as hub:
        hub.add("org/a", made_up_model(4 * MIB))
        hub.put_into_xet("org/a", "model.safetensors")
        asyncio.run(run())
        assert sent_bytes(hub, "model.safetensors") == 4 * MIB
        assert not any("xet" in request.path or "reconstruction" in request.path for request in hub.log.all())


def job(files: tuple[HubFile, ...], cache: Path, commit: str = "c" * 40) -> Job:
    return Job(
        repo_id="org/a", commit=commit, ref="", cache=str(cache), files=files, had=frozenset(), had_snapshot=False
    )


def test_only_a_file_beyond_50_gb_goes_through_xet(tmp_path: Path) -> None:
    files = tuple(
        HubFile(f"{size}{xet}", size, "", "a" * 64, xet)
        for size in (XET_BYTES, XET_BYTES + 1)
        for xet in ("", "f" * 64)
    )
    order = order_of(job(files, tmp_path), Connection("http://hub"), 0, "pause", DEFAULT_TIMING)
    assert [file.xet for file in order.files] == [False, False, False, True]


def work(hub: FakeHub, cache: Path) -> dict[str, Any]:
    """The last words of a worker that is told to take the weights of org/a through hf-xet."""

    async def run() -> dict[str, Any]:
        repo = hub.repos["org/a"]
        found = repo.head.files["model.safetensors"]
        files = (HubFile("model.safetensors", found.size, "", found.sha256, repo.xet["model.safetensors"]),)
        wanted = job(files, cache, repo.head.sha)
        order = order_of(wanted, Connection(hub.url), 0, "pause", DEFAULT_TIMING)
        link = await WorkerLink.spawn(replace(order, files=tuple(replace(file, xet=True) for file in order.files)))
        said = [message async for message in link.messages()]
        await link.exit_code()
        return said[-1]

    return asyncio.run(run())


@pytest.mark.usefixtures("hf_home")
def test_a_file_through_xet_is_verified_and_in_its_place(tmp_path: Path) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(3 * MIB))
        hub.put_into_xet("org/a", "model.safetensors")
        last = work(hub, tmp_path)
        assert last["finished"] == ["model.safetensors"]
        assert last["done"] == 3 * MIB
        found = next(tmp_path.glob("models--org--a/snapshots/*/model.safetensors"))
        assert found.read_bytes() == b"".join(bytes(piece) for piece in MadeUp(3 * MIB).pieces(0, 3 * MIB))
        assert any(request.path.startswith("/xorb/") for request in hub.log.all())


@pytest.mark.usefixtures("hf_home")
def test_wrong_bytes_out_of_xet_are_refused(tmp_path: Path) -> None:
    """hf-xet itself takes them."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(3 * MIB))
        hub.xet[hub.put_into_xet("org/a", "model.safetensors")] = MadeUp(3 * MIB, seed=99)
        last = work(hub, tmp_path)
        assert last["failed"] == "damaged"
        assert [path for path in tmp_path.glob("models--org--a/blobs/*") if path.is_file()] == []
