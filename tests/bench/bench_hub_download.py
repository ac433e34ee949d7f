"""A model of 1 GB from a Hub on loopback: ours (hash check included) against `hf download` and `curl`, in one run.

Each is a whole command from its start to its end, taken in turns. Then: bytes fetched by the second run after a SIGKILL
at 36 %, and the memory of our worker at its highest. Writes `artefacts/bench/hub_download.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "artefacts" / "bench" / "hub_download.json"
GB = 10**9
ROUNDS = 3
HF = Path(sys.executable).with_name("hf")


class Server:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.url = process.stdout.readline().split()[1]

    def log(self, verb: str = "log") -> list[dict[str, Any]]:
        body = b"{}" if verb != "log" else None
        request = urllib.request.Request(f"{self.url}/_control/{verb}", data=body)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)

    def sent(self) -> int:
        return sum(line["sent"] for line in self.log() if not line["path"].startswith("/api/models"))


@contextmanager
def server() -> Iterator[Server]:
    command = [
        sys.executable,
        "-m",
        "tests.fakes.fake_hub",
        "--made-up",
        f"org/one={GB}",
        "--made-up",
        f"org/eight={GB}x8",
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield Server(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


class Bench:
    def __init__(self, hub: Server, folder: Path) -> None:
        self.hub, self.folder = hub, folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "STOWAGE_"))}
        self.env |= {
            "HF_ENDPOINT": hub.url,
            "HF_HOME": str(folder / "hf"),
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "STOWAGE_HOME": str(folder / "stowage"),
        }
        self.peak_bytes = 0

    def ours(self, repo: str) -> list[list[str]]:
        return [[sys.executable, "-m", "tests.fakes.download_owner", self.hub.url, repo, str(self.folder / "ours")]]

    def hf(self, repo: str) -> list[list[str]]:
        return [[str(HF), "download", repo]]

    def curl(self, repo: str) -> list[list[str]]:
        names = ["model.safetensors"]
        if repo == "org/eight":
            names = [f"model-{number:05d}-of-00008.safetensors" for number in range(1, 9)]
        urls = [f"{self.hub.url}/{repo}/resolve/main/{name}" for name in names]
        target = self.folder / "curl"
        return [
            ["curl", "-sfL", "--parallel", "--create-dirs", "--output-dir", str(target), "--remote-name-all", *urls]
        ]

    def start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def timed(self, command: list[str]) -> float:
        """Seconds of the whole command."""
        self.clean()
        began = time.monotonic()
        process = self.start(command)
        while process.poll() is None:
            self.look_at_worker(process.pid)
            time.sleep(0.02)
        took = time.monotonic() - began
        assert process.returncode == 0, command
        return took

    def look_at_worker(self, pid: int) -> None:
        try:
            for child in psutil.Process(pid).children():
                if "core.hub.download.worker" in " ".join(child.cmdline()):
                    status = Path(f"/proc/{child.pid}/status").read_text("utf-8")
                    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
                    self.peak_bytes = max(self.peak_bytes, peak * 1024)
        except (psutil.Error, OSError, StopIteration):
            return  # it has just ended

    def again_after_kill(self, command: list[str]) -> int:
        """Bytes that the second run fetches when the first was killed at 36 %."""
        self.clean()
        self.hub.log("clear")
        process = self.start(command)
        while self.hub.sent() < 0.36 * GB:
            assert process.poll() is None
            time.sleep(0.01)
        family = [process, *psutil.Process(process.pid).children(recursive=True)]
        for one in family:
            os.kill(one.pid, signal.SIGKILL)
        process.wait()
        self.hub.log("clear")
        assert self.start(command).wait() == 0
        return self.hub.sent()

    def clean(self) -> None:
        for name in ("hf", "ours", "curl", "stowage"):
            shutil.rmtree(self.folder / name, ignore_errors=True)


@pytest.mark.bench
@pytest.mark.timeout(600)
def test_against_hf_download_and_curl() -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here")
    shm = Path("/dev/shm")
    place = shm if shm.is_dir() and shutil.disk_usage(shm).free > 4 * GB else None
    with server() as hub, tempfile.TemporaryDirectory(dir=place) as folder:
        bench = Bench(hub, Path(folder))
        ways: dict[str, Callable[[str], list[list[str]]]] = {"ours": bench.ours, "hf": bench.hf, "curl": bench.curl}
        result: dict[str, Any] = {}
        for repo in ("org/one", "org/eight"):
            urllib.request.urlopen(f"{hub.url}/api/models/{repo}/tree/main").close()  # hashes are made once
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(ROUNDS):
                for name, way in ways.items():
                    times[name].append(sum(bench.timed(command) for command in way(repo)))
            middle = {name: statistics.median(values) for name, values in times.items()}
            result[repo] = {
                "mb_per_s": {name: round(GB / 1e6 / value) for name, value in middle.items()},
                "ours_against_hf": round(middle["hf"] / middle["ours"], 2),
                "ours_against_curl": round(middle["curl"] / middle["ours"], 2),
            }
        result["fetched_after_kill_at_36_percent"] = {
            name: bench.again_after_kill(ways[name]("org/one")[0]) for name in ("ours", "hf")
        }
        result["worker_peak_mb"] = round(bench.peak_bytes / 1e6, 1)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1), encoding="utf-8")
    print(json.dumps(result, indent=1))
    assert result["org/one"]["ours_against_hf"] >= 1.1
    assert result["org/eight"]["ours_against_hf"] >= 1.1
    assert result["fetched_after_kill_at_36_percent"]["ours"] < 0.7 * GB
    assert 0 < result["worker_peak_mb"] <= 80
