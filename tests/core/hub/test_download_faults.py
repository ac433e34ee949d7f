"""Everything that can go wrong on the way, against a server that does it: bytes on the disk and requests it saw."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.hub.model import DownloadInfo, DownloadState
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.fakes.hub_faults import Fault
from tests.support.downloads import QUICK, Rig, downloading, is_right
from tests.support.hub import CA_BUNDLE, bodies, running_hub, sent_bytes

MIB = 1 << 20
SIZE = 24 * MIB
FILE = "org/a/model.safetensors"


def fetch(hub: FakeHub, home: Paths, cache: Path, **options: object) -> tuple[DownloadInfo, Rig]:
    """One download of org/a to its end."""

    async def run() -> tuple[DownloadInfo, Rig]:
        async with downloading(hub, home, cache, **options) as rig:  # type: ignore[arg-type]
            return await rig.get("org/a"), rig

    return asyncio.run(run())


def ranges(hub: FakeHub) -> list[str]:
    return [request.range for request in bodies(hub, "model.safetensors")]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.mark.parametrize("every", [8 * MIB, MIB, 3 * MIB + 7])
def test_a_line_that_drops_every_few_bytes(home: Paths, cache: Path, every: int) -> None:
    """Each piece counts: the whole is sent once, in as many requests as it takes."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(drop_after=every, origin="cdn"))
        info, _ = fetch(hub, home, cache)
        assert (info.state, info.error) == (DownloadState.DONE, None)
        assert is_right(cache, hub)
        assert ranges(hub) == ["", *(f"bytes={at}-" for at in range(every, SIZE, every))]
        assert sent_bytes(hub, "model.safetensors") == SIZE


def test_a_line_that_falls_silent(home: Paths, cache: Path) -> None:
    """Without a byte for the stall time the connection is given up, and the rest asked for."""
    # A worker tells what it waits for four times a second: the pauses (half of `back_off_s`, give or take half of that)
    # are longer, or nobody would hear of them.
    timing = replace(QUICK, stall_s=0.5, back_off_s=1.5)
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(times=2, stall_after=5 * MIB, origin="cdn"))
        info, rig = fetch(hub, home, cache, timing=timing)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        assert ranges(hub) == ["", f"bytes={5 * MIB}-", f"bytes={10 * MIB}-"]
    assert "stall" in rig.waits


def test_a_slow_line_is_no_stall(home: Paths, cache: Path) -> None:
    """Bytes trickle for longer than the stall time: nobody gives up."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(400_000))
        hub.faults.set(FILE, Fault(rate=200_000, origin="cdn"))
        info, rig = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert ranges(hub) == [""]
    assert rig.waits == set()


@pytest.mark.parametrize(
    ("fault", "told"),
    [(Fault(size_header=SIZE + 5), SIZE + 5), (Fault(extra_bytes=9, origin="cdn"), SIZE + 9)],
    ids=["X-Linked-Size", "a longer body"],
)
def test_a_wrong_size_is_not_taken(home: Paths, cache: Path, fault: Fault, told: int) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, fault)
        info, _ = fetch(hub, home, cache)
    assert info.state is DownloadState.FAILED
    assert info.error is not None
    assert (info.error.code, info.error.facts["told_bytes"]) == ("download.wrong_size", told)
    assert list(cache.glob("models--org--a/snapshots/*/model.safetensors")) == []


def test_a_body_that_says_less_than_the_file_has(home: Paths, cache: Path) -> None:
    """What came is used, and the rest asked for."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(times=1, send_bytes=7 * MIB, origin="cdn"))
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        assert ranges(hub) == ["", f"bytes={7 * MIB}-"]


def test_one_flipped_byte_is_never_accepted(home: Paths, cache: Path) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(flip_at=11 * MIB + 5, origin="cdn"))
        info, _ = fetch(hub, home, cache)
        assert len(ranges(hub)) == 2
        etag = hub.repos["org/a"].head.files["model.safetensors"].sha256
    assert info.error is not None
    assert (info.state, info.error.code) == (DownloadState.FAILED, "download.damaged")
    assert not (cache / "models--org--a" / "blobs" / etag).exists()
    assert not (cache / "models--org--a" / "blobs" / f"{etag}.incomplete").exists()
    assert list(cache.glob("models--org--a/snapshots/*/model.safetensors")) == []
    assert not (cache / "models--org--a" / "refs").exists()


def test_a_byte_flipped_once_costs_one_more_fetch(home: Paths, cache: Path) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(times=1, flip_at=0, origin="cdn"))
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        assert ranges(hub) == ["", ""]


def test_a_flipped_byte_in_a_small_file_is_noticed_too(home: Paths, cache: Path) -> None:
    """Small files are named by git's sha1."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        hub.faults.set("org/a/config.json", Fault(flip_at=3))
        info, _ = fetch(hub, home, cache)
    assert info.error is not None
    assert (info.error.code, info.error.facts["file"]) == ("download.damaged", "config.json")


def test_a_server_that_ignores_ranges(home: Paths, cache: Path) -> None:
    """It sends everything again; what is there already is let pass, and not written twice."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(times=1, drop_after=9 * MIB, origin="cdn"), Fault(ignore_range=True, origin="cdn"))
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        assert ranges(hub) == ["", f"bytes={9 * MIB}-"]
        assert sent_bytes(hub, "model.safetensors") == 9 * MIB + SIZE


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_a_server_that_stumbles_in_the_middle(home: Paths, cache: Path, status: int) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(
            FILE, Fault(times=1, drop_after=9 * MIB, origin="cdn"), Fault(times=2, status=status, after_byte=1)
        )
        info, rig = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        assert sent_bytes(hub, "model.safetensors") == SIZE
        assert [request.status for request in hub.log.all() if request.status == status] == [status] * 2
    assert rig.waits <= {"retry"}


def test_too_many_requests_waits_as_long_as_it_is_asked_to(home: Paths, cache: Path) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        hub.faults.set(FILE, Fault(times=1, status=429, headers={"Retry-After": "2"}))
        info, rig = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        waits = [i for infos in rig.history for i in infos if i.waits_for == "rate_limit"]
    assert waits
    assert 1.0 < max(i.wait_s for i in waits) <= 2.0
    assert waits[0].state is DownloadState.WAITING


def test_a_server_that_stays_down_is_given_up_at_last(home: Paths, cache: Path) -> None:
    """What came before stays for the next time."""
    timing = type(QUICK)(connect_s=2, stall_s=1, patience_s=0.5, back_off_s=0.1)
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(FILE, Fault(times=1, drop_after=9 * MIB, origin="cdn"), Fault(status=503, after_byte=1))
        info, _ = fetch(hub, home, cache, timing=timing)
        assert info.error is not None
        assert (info.state, info.error.code) == (DownloadState.FAILED, "download.gave_up")
        assert [path.stat().st_size for path in cache.glob("*/blobs/*.incomplete")] == [9 * MIB]
        hub.faults.clear()
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert sent_bytes(hub, "model.safetensors") == SIZE


@pytest.mark.parametrize(
    ("token", "code"),
    [("", "hub.gated_no_token"), ("hf_other", "hub.gated_not_accepted")],
)
def test_a_gated_model(home: Paths, cache: Path, token: str, code: str) -> None:
    """401: nobody is recognised; 403: somebody is, who has not accepted the terms. Nothing is tried twice."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB), gated="manual", token="hf_valid")
        info, _ = fetch(hub, home, cache, connection={"token": token})
        refused = [request.status for request in hub.log.all() if "/resolve/" in request.path]
        assert set(refused) == {401 if not token else 403}
        assert len(refused) <= 4
        assert info.error is not None
        assert (info.state, info.error.code) == (DownloadState.FAILED, code)
        info, _ = fetch(hub, home, cache, connection={"token": "hf_valid"})
        assert info.state is DownloadState.DONE


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(status=404, error_code="EntryNotFound"), "hub.file_not_found"),
        (Fault(status=404, error_code="RevisionNotFound"), "hub.revision_not_found"),
        (Fault(status=404, error_code="RepoNotFound"), "hub.not_found"),
        (Fault(status=418), "hub.refused"),
    ],
)
def test_what_no_second_try_would_change(home: Paths, cache: Path, fault: Fault, code: str) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB))
        hub.faults.set(FILE, fault)
        info, _ = fetch(hub, home, cache)
        assert len([r for r in hub.log.all() if r.path.endswith("resolve/" + info.commit + "/model.safetensors")]) == 1
    assert info.error is not None
    assert (info.state, info.error.code) == (DownloadState.FAILED, code)


def test_the_token_stays_with_the_hub(home: Paths, cache: Path) -> None:
    """On every hop of the Hub's own origin it is sent, to the other one never; it is in no file and no argument."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB), private=True, token="hf_valid")
        info, _ = fetch(hub, home, cache, connection={"token": "hf_valid"})
        assert info.state is DownloadState.DONE
        by_origin = {
            origin: {request.authorization for request in hub.log.all() if request.origin == origin}
            for origin in ("hub", "cdn")
        }
    assert by_origin == {"hub": {"Bearer hf_valid"}, "cdn": {""}}
    assert not any(b"hf_valid" in path.read_bytes() for path in home.state.rglob("*") if path.is_file())


def test_a_signed_address_that_runs_out_is_renewed(home: Paths, cache: Path) -> None:
    """The line drops, and the address of the first try is no good any more."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(
            FILE,
            Fault(times=1, drop_after=9 * MIB, origin="cdn"),
            Fault(times=1, status=403, origin="cdn", after_byte=1),
        )
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)
        asked = [request for request in hub.log.all() if "/resolve/" in request.path and "model.saf" in request.path]
        assert len(asked) == 3
        assert [request.range for request in asked] == ["", f"bytes={9 * MIB}-", f"bytes={9 * MIB}-"]


def test_another_file_under_the_same_name(home: Paths, cache: Path) -> None:
    """The server's ETag is no longer the one that was listed: bytes of two files are never mixed."""
    with running_hub() as hub:
        hub.add("org/a", made_up_model(SIZE))
        hub.faults.set(
            FILE, Fault(times=1, drop_after=9 * MIB, origin="cdn"), Fault(etag="b" * 64, origin="hub", after_byte=1)
        )
        info, _ = fetch(hub, home, cache)
        assert info.error is not None
        assert (info.state, info.error.code) == (DownloadState.FAILED, "download.changed")
        assert list(cache.glob("models--org--a/snapshots/*/model.safetensors")) == []
        hub.faults.clear()
        assert fetch(hub, home, cache)[0].state is DownloadState.DONE


def test_an_own_certificate_authority(home: Paths, cache: Path) -> None:
    """A company's certificates: with its CA bundle the download works, over both origins."""
    with running_hub(tls=True) as hub:
        hub.add("org/a", made_up_model(SIZE))
        info, _ = fetch(hub, home, cache, connection={"ca_bundle": str(CA_BUNDLE)})
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)


@pytest.mark.parametrize("stale", [SIZE, SIZE + 10, 5 * MIB], ids=["as long as the file", "longer", "of another file"])
def test_a_stale_partial_file(home: Paths, cache: Path, stale: int) -> None:
    """Bytes of something else under our name: found out by the hash, and fetched anew."""
    with running_hub() as hub:
        repo = hub.add("org/a", made_up_model(SIZE))
        blobs = cache / "models--org--a" / "blobs"
        blobs.mkdir(parents=True)
        (blobs / f"{repo.head.files['model.safetensors'].sha256}.incomplete").write_bytes(bytes(stale))
        info, _ = fetch(hub, home, cache)
        assert info.state is DownloadState.DONE
        assert is_right(cache, hub)


def test_a_path_that_leads_out_of_the_model(home: Paths, cache: Path) -> None:
    with running_hub() as hub:
        hub.add("org/a", made_up_model(MIB) | {"../../../evil.json": "{}"})
        info, _ = fetch(hub, home, cache)
    assert info.error is not None
    assert info.error.code == "hub.not_a_hub"
    assert list(cache.parent.rglob("evil.json")) == []
