"""Who is alive below us, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.engine.process_tree import Mark, descendants, is_same, marked, read_process, send_signal

SLEEP = "print('up', flush=True)\nimport time; time.sleep(60)"

# As vLLM's EngineCore after a SIGKILL of its API server: the main thread ends, another thread and a child live on.
MAIN_THREAD_ENDS = f"""
import ctypes, subprocess, sys, threading, time
child = subprocess.Popen([sys.executable, "-c", {SLEEP!r}], stdout=subprocess.PIPE)
child.stdout.readline()
threading.Thread(target=time.sleep, args=(60,)).start()
print("up", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


@contextmanager
def running(code: str, folder: Path | None = None, **env: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=os.environ | env, start_new_session=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
        yield child
        below = descendants(child.pid)
        child.kill()
        send_signal(below, signal.SIGKILL)


def test_a_process_whose_main_thread_has_ended_is_alive_and_so_are_its_children() -> None:
    with running(MAIN_THREAD_ENDS) as child:
        stat = Path(f"/proc/{child.pid}/stat")
        while ") Z " not in stat.read_text():
            pass
        assert read_process(child.pid) is not None
        assert child.pid in {p.pid for p in descendants(os.getpid())}
        assert len(descendants(child.pid)) == 1


def test_a_zombie_is_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    stat = Path(f"/proc/{child.pid}/stat")
    while ") Z " not in stat.read_text():
        pass
    assert read_process(child.pid) is None
    assert child.pid not in {p.pid for p in descendants(os.getpid())}
    child.wait()


def test_a_signal_reaches_only_the_process_that_was_meant() -> None:
    with running(SLEEP) as child:
        process = read_process(child.pid)
        assert process is not None
        assert is_same(child.pid, process.started)
        older = type(process)(process.pid, 0, 0, 0, process.started - 1, 0.0, "", alive=True)
        send_signal([older], signal.SIGKILL)
        assert child.poll() is None
        send_signal([process], signal.SIGKILL)
        assert child.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize("by", ["folder", "environment"])
def test_one_mark_of_two_is_enough(tmp_path: Path, by: str) -> None:
    mark = Mark("STOWAGE_TEST_LAUNCH", "abc123", str(tmp_path))
    folder, env = (tmp_path, {}) if by == "folder" else (None, {mark.env_name: mark.launch_id})
    with running(SLEEP, folder, **env) as child:
        assert [p.pid for p in marked(mark)] == [child.pid]
        assert marked(Mark(mark.env_name, "another", "/another")) == []
