"""`stowage machine` as a person runs it: against the kernel's own figures in the same second."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.paths import Paths

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, str(ROOT / "stowage_start.py"), "machine"]
TRIES = 6

LOADED = """
import sys
sys.argv = ["stowage", "machine", "--json"]
import stowage_start
try:
    code = stowage_start.main()
except SystemExit as end:
    code = end.code
print(code, sorted({"PySide6", "httpx2", "markdown_it", "pygments"} & set(sys.modules)), file=sys.stderr)
"""


def machine(
    *arguments: str, code: int = 0, language: str = "C.UTF-8", hub: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """`hub`: the model cache, where a probe reads."""
    environment = {"LC_ALL": language} | ({"HF_HUB_CACHE": str(hub)} if hub else {})
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=120, check=False, env=os.environ | environment
    )
    assert done.returncode == code, done.stderr
    return done


def as_json(*arguments: str, hub: Path | None = None) -> dict[str, Any]:
    lines = machine("--json", *arguments, hub=hub).stdout.splitlines()
    assert len(lines) == 1, "exactly one JSON object"
    return json.loads(lines[0])


def available_bytes() -> int:
    for line in Path("/proc/meminfo").read_text("ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no MemAvailable")


def agrees(look: Callable[[], bool]) -> bool:
    """Others use this computer too: what moved during one look is looked at again."""
    return any(look() for _ in range(TRIES))


def test_it_agrees_with_the_kernel_in_the_same_second(home: Paths) -> None:
    del home
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

    def ram_agrees() -> bool:
        before = available_bytes()
        ram = as_json()["ram"]
        after = available_bytes()
        assert ram["physical_total_bytes"] == total
        assert ram["total_bytes"] <= total
        low, high = sorted((before, after))
        return low - total // 100 <= ram["physical_available_bytes"] <= high + total // 100

    def disk_agrees() -> bool:
        before = {disk["mount"]: os.statvfs(disk["mount"]) for disk in as_json()["disks"]}
        found = as_json()["disks"]
        assert {disk["mount"] for disk in found} == set(before)
        exact: list[bool] = []
        for disk in found:
            was, now = before[disk["mount"]], os.statvfs(disk["mount"])
            assert disk["total_bytes"] == now.f_blocks * now.f_frsize
            bounds = sorted((was.f_bavail * was.f_frsize, now.f_bavail * now.f_frsize))
            exact.append(bounds[0] <= disk["free_bytes"] <= bounds[1])
        return all(exact)

    assert agrees(ram_agrees)
    assert agrees(disk_agrees)


def test_the_object_has_what_scripts_rely_on(home: Paths) -> None:
    del home
    found = as_json()
    assert isinstance(found["gpus"], list)
    assert found["platform"]["system"] == "linux"
    assert all({"mount", "free_bytes", "kind"} <= set(disk) for disk in found["disks"])
    assert {role for disk in found["disks"] for role in disk["roles"]} == {"models", "engines", "temp"}
    ram = found["ram"]
    assert sum(part["bytes"] for part in ram["parts"]) == ram["total_bytes"]
    assert found["probe"] is None


def test_the_text_speaks_both_languages_and_no_gpu_is_calm(home: Paths) -> None:
    del home
    english, russian = machine(), machine(language="ru_RU.UTF-8")
    assert english.stderr == russian.stderr == ""
    assert "RAM" in english.stdout
    assert "GiB" in english.stdout
    assert "ОЗУ" in russian.stdout
    assert "ГиБ" in russian.stdout
    if not as_json()["gpus"]:
        assert "none found" in english.stdout
        assert "не найден" in russian.stdout


def test_it_starts_without_the_window_and_without_http(home: Paths) -> None:
    del home
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.strip() == "0 []"


def test_watching_tells_every_second_until_interrupted(home: Paths) -> None:
    del home
    process = subprocess.Popen(
        [*COMMAND, "--watch", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    times = [json.loads(process.stdout.readline())["taken_at"] for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _rest, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert all(0.5 < later - earlier < 5 for earlier, later in pairwise(times))


def test_watching_on_a_terminal_redraws_in_place_and_gives_the_cursor_back(home: Paths) -> None:
    del home
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*COMMAND, "--watch"], stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while text.count(b"\x1b[H\x1b[J") < 2:
        text += os.read(ours, 65536)
    process.send_signal(signal.SIGINT)
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:
        pass  # Linux answers EIO once the last writer has gone
    assert process.wait(20) == 130
    os.close(ours)
    assert text.startswith(b"\x1b[?25l")
    assert text.endswith(b"\x1b[?25h")
    assert b"RAM" in text


def test_a_reader_that_goes_away_is_no_fault(home: Paths) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$@" --watch | head -n 1', "sh", *COMMAND], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert "Traceback" not in (home.logs / "app.log").read_text("utf-8")


def test_measuring_is_remembered(home: Paths, tmp_path: Path) -> None:
    del home
    hub = tmp_path / "hub"
    measured = as_json("--probe", hub=hub)["probe"]
    assert measured["ram_read_gb_s"] > 0.5
    assert measured["disk_sequential_gb_s"] > 0.005
    assert measured["seconds"] <= 20
    assert as_json(hub=hub)["probe"] == measured
    assert "GiB/s" in machine(hub=hub).stdout


def test_measuring_and_watching_at_once_is_refused(home: Paths) -> None:
    del home
    assert "measure first" in machine("--probe", "--watch", code=2).stderr
