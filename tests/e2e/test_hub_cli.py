"""The Hub in a terminal: the real command against the loopback Hub, down to the bytes that the Hub sent."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.support.hub import running_hub, sent_bytes
from tests.support.hub_cache import checkpoint_files, disk_bytes, snapshot_download

ROOT = Path(__file__).parents[2]
BIG = 8_000_000


@pytest.fixture
def hub(home: Paths, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.add("org/tiny-1B", checkpoint_files(weight_bytes=40_000))
        hub.add("org/big-7B-AWQ", checkpoint_files(shards=3, weight_bytes=BIG), gated="auto", token="hf_valid")
        yield hub


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where the fixture `home` puts it."""
    return tmp_path / "huggingface" / "hub"


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "stowage_start.py"), *arguments]


def stowage(*arguments: str, answer: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command(*arguments), input=answer, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, done.stderr
    return done


def at_a_terminal(*arguments: str, answer: bytes, question: bytes) -> tuple[int, str]:
    """The exit code, and all that was shown, when a person answers."""
    outer, inner = pty.openpty()
    shown = b""
    with subprocess.Popen(
        command(*arguments), stdin=inner, stdout=inner, stderr=inner, start_new_session=True
    ) as child:
        os.close(inner)
        answered = False
        while True:
            try:
                piece = os.read(outer, 4096)
            except OSError:  # the terminal's other side is closed
                break
            shown += piece
            if question in shown and not answered:
                answered = True
                if answer == b"\x03":
                    child.send_signal(signal.SIGINT)
                else:
                    os.write(outer, answer)
        os.close(outer)
        return child.wait(60), shown.decode()


def test_search_tells_sizes_and_what_is_here(hub: FakeHub, cache: Path) -> None:
    stowage("get", "org/tiny-1B")
    text = stowage("search").stdout
    assert re.search(r"org/tiny-1B +\d+ MiB +.*on this computer", text)
    assert re.search(r"org/big-7B-AWQ +\d+ MiB .*awq · asks for consent", text)
    (found,) = json.loads(stowage("search", "tiny", "--json").stdout)["models"]
    weights = len(checkpoint_files(weight_bytes=40_000)["model.safetensors"])
    assert (found["id"], found["weight_bytes"], found["cached"]) == ("org/tiny-1B", weights, "whole")
    assert found["fit"]["verdict"] in ("fits", "tight", "no", "unknown")
    assert stowage("search", "nothing-like-it").stdout == ""
    assert "is no size" in stowage("search", "--size", "many", code=2).stderr


def test_get_fetches_once_and_every_tool_finds_it(hub: FakeHub, cache: Path) -> None:
    files = checkpoint_files(weight_bytes=40_000)
    got = json.loads(stowage("get", f"{hub.url}/ORG/tiny-1B", "--json").stdout)
    assert (got["id"], got["commit"]) == ("org/tiny-1B", hub.repos["org/tiny-1B"].branches["main"])
    assert snapshot_download("org/tiny-1B", cache=cache) == Path(got["path"])
    assert sent_bytes(hub) == sum(map(len, files.values()))
    hub.log.clear()
    assert got["path"] in stowage("get", "org/tiny-1B").stdout
    assert sent_bytes(hub) == 0
    # With the network gone it is still here.
    hub.close()
    assert got["path"] in stowage("get", "org/tiny-1B").stdout


def test_ctrl_c_pauses_and_the_same_command_goes_on(hub: FakeHub, cache: Path) -> None:
    hub.repos["org/big-7B-AWQ"].gated = False
    hub.rate = 3_000_000
    total = sum(map(len, checkpoint_files(shards=3, weight_bytes=BIG).values()))
    with subprocess.Popen(command("get", "org/big-7B-AWQ"), stderr=subprocess.PIPE, text=True) as child:
        deadline = time.monotonic() + 60
        while sum(path.stat().st_size for path in cache.glob("models--*/blobs/*")) < 4_000_000:
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Go on with: stowage get org/big-7B-AWQ" in said
    kept = disk_bytes(cache)
    assert kept >= 4_000_000
    # It is nobody's leftover, and the models list knows that it is not whole.
    assert "nothing to sweep" in stowage("cache", "sweep", "--yes").stdout
    assert json.loads(stowage("models", "--json").stdout)["cache"]["repos"][0]["id"] == "org/big-7B-AWQ"
    assert "--get" not in stowage("ask", "org/big-7B-AWQ", "hi", code=1).stdout
    hub.rate = 0
    hub.log.clear()
    stowage("get", "org/big-7B-AWQ")
    assert sent_bytes(hub) <= total - kept + 100_000
    assert snapshot_download("org/big-7B-AWQ", cache=cache).is_dir()


def test_it_pauses_after_the_time_that_was_given(hub: FakeHub) -> None:
    hub.repos["org/big-7B-AWQ"].gated = False
    hub.rate = 500_000
    done = stowage("get", "org/big-7B-AWQ", "--pause-after", "0.03", code=1)
    assert "The download is paused" in done.stderr


def test_a_model_that_asks_for_consent(hub: FakeHub) -> None:
    done = stowage("get", "org/big-7B-AWQ", code=1)
    assert "needs a sign-in" in done.stderr
    assert f"{hub.url}/org/big-7B-AWQ" in done.stderr
    assert "Signed in as tester." in stowage("login", answer=" hf_valid\r\n").stdout
    assert "tester" in stowage("whoami").stdout
    stowage("get", "org/big-7B-AWQ")
    assert "Not signed in" in stowage("logout").stdout
    assert json.loads(stowage("whoami", "--json").stdout) == {"user": None, "token_from": None}
    assert "not accepted" in stowage("login", answer="hf_wrong", code=1).stderr


def test_verify_finds_one_byte_and_get_mends_it(hub: FakeHub, cache: Path) -> None:
    got = json.loads(stowage("get", "org/tiny-1B", "--json").stdout)
    weights = Path(got["path"]) / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(1000)
        file.write(b"!")
    assert "whole" in stowage("models").stdout
    done = stowage("models", "--verify", code=1)
    assert "damaged: model.safetensors" in done.stdout
    assert "damaged: model.safetensors" in stowage("models", "org/tiny-1B").stdout
    assert "is damaged" in stowage("ask", "org/tiny-1B", "hi", code=1).stderr
    hub.log.clear()
    stowage("get", "org/tiny-1B")
    assert sent_bytes(hub) == len(checkpoint_files(weight_bytes=40_000)["model.safetensors"])
    report = json.loads(stowage("models", "--verify", "--json").stdout)["verified"]
    assert [(one["id"], one["damaged"], one["files"]) for one in report] == [("org/tiny-1B", [], 5)]


def test_rm_tells_the_bytes_and_asks(hub: FakeHub, cache: Path) -> None:
    stowage("get", "org/tiny-1B")
    before = disk_bytes(cache)
    assert "There is nobody to ask here" in stowage("rm", "org/tiny-1B", code=1).stderr
    assert at_a_terminal("rm", "org/tiny-1B", answer=b"n\n", question=b"[y/N]")[0] == 0
    code, shown = at_a_terminal("rm", "org/tiny-1B", answer=b"\x03", question=b"[y/N]")
    assert code == 130
    assert "Delete org/tiny-1B and free 0 MiB?" in shown
    assert disk_bytes(cache) == before
    code, shown = at_a_terminal("rm", "org/tiny-1B", answer=b"y\n", question=b"[y/N]")
    assert (code, "is deleted" in shown) == (0, True)
    assert not list(cache.glob("models--*"))
    assert "is not on this computer" in stowage("rm", "org/tiny-1B", "--yes", code=1).stderr


def test_the_cache_moves(hub: FakeHub, cache: Path, tmp_path: Path) -> None:
    stowage("get", "org/tiny-1B")
    target = tmp_path / "disk"
    moved = json.loads(stowage("cache", "move", str(target), "--json").stdout)
    assert moved == {"moved_from": str(cache), "folder": str(target)}
    assert cache.resolve() == target
    assert snapshot_download("org/tiny-1B", cache=cache).is_dir()
    assert "is the cache" in stowage("cache", "move", str(target), code=1).stderr
    assert str(target) in stowage("models").stderr


def test_a_model_of_the_hub_that_is_not_here(hub: FakeHub, cache: Path) -> None:
    done = stowage("ask", "org/tiny-1B", "hi", code=1)
    assert "Get it on the Models page, or run: stowage get org/tiny-1B" in done.stderr
    code, shown = at_a_terminal("ask", "org/tiny-1B", "hi", answer=b"n\n", question=b"[y/N]")
    assert code == 1
    assert "org/tiny-1B is not on this computer. Download 0 MiB?" in shown
    assert not list(cache.glob("models--*/blobs/*"))
