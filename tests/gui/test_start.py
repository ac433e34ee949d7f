"""What happens around the first paint, and when the start is not an ordinary one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from core.events import ShowWindow
from core.instance import Instance
from core.paths import Paths
from gui.widgets.banner import Banner
from tests.gui.conftest import Window, Windows, write_settings

ROOT = Path(__file__).parents[2]
LATE = {"httpx2", "asyncio", "pygments", "markdown_it", "psutil", "msgspec", "typer"}
FIRST_PAINT = ROOT / "tests" / "bench" / "first_paint_child.py"
PROGRAM = ROOT / "stowage_start.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_nothing_heavy_is_loaded_at_the_first_paint(home: Paths) -> None:
    done = run(str(FIRST_PAINT), "stowage", "0")
    assert done.returncode == 0, done.stderr
    modules = set(done.stdout.split()[1].split(","))
    assert "PySide6" in modules
    assert modules & LATE == set()


def test_a_second_copy_says_so_and_leaves(home: Paths) -> None:
    home.ensure()
    first = Instance(home)
    first.acquire()
    try:
        done = run(str(PROGRAM))
    finally:
        first.release()
    assert done.returncode == 1
    assert done.stderr.startswith("Stowage is already open\n")
    assert str(os.getpid()) in done.stderr


def test_a_data_folder_that_cannot_be_written_is_said_before_any_window(home: Paths, tmp_path: Path) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("", encoding="utf-8")
    done = run(str(PROGRAM), STOWAGE_HOME=str(blocked))
    assert done.returncode == 1
    assert str(blocked) in done.stderr
    assert "Traceback" not in done.stderr


def test_told_to_end_it_ends_in_stages(home: Paths) -> None:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    log = home.logs / "app.log"
    try:
        assert process.stdout is not None
        wait_for(lambda: (home.sockets / "x").parent.is_dir() and any_socket(home), process)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, output
    assert "Traceback" not in output
    assert log.is_file()
    assert not any_socket(home)


def any_socket(home: Paths) -> bool:
    """Whether a window listens for second copies: the last thing of its start, the first to go at its end."""
    name = Instance(home)._socket  # the one name that both sides know
    return name.exists()


def wait_for(condition, process: subprocess.Popen[str], deadline_s: float = 30.0) -> None:  # type: ignore[no-untyped-def]
    import time

    end = time.monotonic() + deadline_s
    while not condition():
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < end, "it never came up"
        time.sleep(0.02)


def test_broken_settings_are_reported_and_not_fatal(windows: Windows, home: Paths) -> None:
    write_settings(home)
    home.settings_file.write_text("{ not json", encoding="utf-8")
    window = windows.start()
    window.until(lambda: window.sees("errorBanner"))
    assert str(home.settings_file) in window.find(Banner, "errorBanner").text().replace("\u200b", "")


def test_a_bug_is_reported_once_and_can_be_copied(windows: Windows, qtbot: QtBot) -> None:
    window: Window = windows.start()
    crashes = window.app.crashes
    assert crashes is not None

    def break_it() -> None:
        raise ZeroDivisionError("Bearer abcdefghijklmnop")

    for _ in range(2):
        try:
            break_it()
        except ZeroDivisionError as error:
            crashes.note(error)
    window.until(lambda: window.sees("crashReport"))
    assert len(window.reports) == 1
    text = window.find(QPlainTextEdit, "crashReportText").toPlainText()
    assert "ZeroDivisionError" in text
    assert "abcdefghijklmnop" not in text
    window.press("closeReportButton")
    window.until(lambda: not window.sees("crashReport"))
    window.reports.clear()


@pytest.mark.qt_log_ignore("does not support raise")
def test_a_second_copy_brings_the_open_window_to_the_front(windows: Windows) -> None:
    window = windows.start()
    window.main.showMinimized()
    assert window.app.bridge is not None
    window.app.bridge.post(ShowWindow())
    window.until(lambda: not window.main.isMinimized() and window.main.isVisible())
