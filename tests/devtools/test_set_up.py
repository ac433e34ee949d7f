"""`dev.py` on a fresh copy of the project: sets up once, knows a whole environment from a cut-off one, fails kindly."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.version import __version__

ROOT = Path(__file__).parents[2]
VERSION = f"stowage {__version__}\n"


def copy_project(target: Path) -> Path:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def dev(project: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "dev.py", *arguments]
    env = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, cwd=project, env=env, check=False, timeout=280)


def stamp(project: Path) -> dict[str, str]:
    return json.loads((project / ".venv" / "stowage-setup.json").read_text())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that is set up, in a folder with a space in its name."""
    folder = copy_project(tmp_path_factory.mktemp("with space") / "stowage")
    done = dev(folder, "run", "--version")
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr
    assert "set up already" not in done.stderr
    assert stamp(folder)["state"] == "done"
    return folder


def test_the_second_run_sets_nothing_up_and_says_so_within_a_second(project: Path) -> None:
    before = (project / ".venv" / "stowage-setup.json").stat().st_mtime_ns
    began = time.monotonic()
    done = dev(project, "run", "--version")
    took_s = time.monotonic() - began
    assert (done.returncode, done.stdout) == (0, VERSION)
    assert done.stderr == "Stowage: everything is set up already\n"
    assert took_s < 1.0
    assert (project / ".venv" / "stowage-setup.json").stat().st_mtime_ns == before


def test_a_second_run_needs_no_network(project: Path) -> None:
    done = dev(project, "run", "--version", **nowhere())
    assert (done.returncode, done.stdout) == (0, VERSION)


def test_the_exit_code_is_the_apps(project: Path) -> None:
    assert dev(project, "run", "no-such-command").returncode == 2


@pytest.mark.parametrize("harm", ["cut off", "python gone", "python replaced", "stamp torn"])
def test_a_harmed_environment_is_made_anew(project: Path, harm: str) -> None:
    path = project / ".venv" / "stowage-setup.json"
    marker = project / ".venv" / "of-the-old-one"
    marker.touch()
    if harm == "cut off":
        path.write_text(json.dumps(stamp(project) | {"state": "started"}))
    elif harm == "python gone":
        python = project / ".venv" / "bin" / "python"
        python.unlink()
        python.symlink_to("/nowhere/python3")
    elif harm == "python replaced":
        path.write_text(json.dumps(stamp(project) | {"python": "/usr/bin/python3.0 1 1"}))
    else:
        path.write_text('{"state": "do')
    done = dev(project, "run", "--version")
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr
    assert "making it anew" in done.stderr
    assert not marker.exists()
    assert stamp(project)["state"] == "done"


def test_a_changed_lock_brings_the_environment_up_to_date(project: Path) -> None:
    before = stamp(project)["key"]
    lock = project / "requirements" / "app.lock"
    lock.write_text(lock.read_text() + "\n")
    done = dev(project, "run", "--version")
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr
    assert stamp(project)["key"] != before
    assert dev(project, "run", "--version").stderr == "Stowage: everything is set up already\n"


def nowhere() -> dict[str, str]:
    """Every index setting points at a port that nothing listens on; no cache helps out."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}/simple"
    none = {"PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}
    settings = ("PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX")
    return none | dict.fromkeys(settings, address) | {"PIP_CONFIG_FILE": os.devnull}


def test_without_a_network_one_sentence_and_a_next_step(tmp_path: Path) -> None:
    folder = copy_project(tmp_path / "stowage")
    done = dev(folder, "run", "--version", **nowhere())
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    said = done.stderr.splitlines()
    assert said[-2] == "Stowage: The package index cannot be reached."
    assert "run the same command again" in said[-1]
    assert stamp(folder)["state"] == "started"


def test_killed_in_the_middle_it_starts_afresh(tmp_path: Path) -> None:
    folder = copy_project(tmp_path / "stowage")
    first = subprocess.Popen(
        [sys.executable, "dev.py", "run", "--version"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    packages = next(iter((folder / ".venv").glob("lib/python3*/site-packages")), None)
    while packages is None or not (packages / "PySide6").exists():
        assert time.monotonic() < deadline
        assert first.poll() is None, first.communicate()
        time.sleep(0.005)
        packages = next(iter((folder / ".venv").glob("lib/python3*/site-packages")), None)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert stamp(folder)["state"] == "started"

    done = dev(folder, "run", "--version")
    assert (done.returncode, done.stdout) == (0, VERSION), done.stderr
    assert "making it anew" in done.stderr
    assert stamp(folder)["state"] == "done"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_that_this_user_may_not_write_to(tmp_path_factory: pytest.TempPathFactory) -> None:
    base = Path("/var/tmp") / f"stowage-test-{os.getpid()}"
    try:
        folder = copy_project(base / "stowage")
        base.chmod(0o755)
        script = "import os, runpy, sys; sys.argv = ['dev.py', 'run', '--version']; sys.path.insert(0, os.getcwd())\n"
        script += "runpy.run_path('dev.py', run_name='__main__')"
        done = subprocess.run(
            ["/usr/bin/python3", "-c", script],
            capture_output=True,
            text=True,
            cwd=folder,
            user="nobody",
            group="nogroup",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
            check=False,
        )
    finally:
        shutil.rmtree(base)
    assert done.returncode == 1
    assert "this user may not write there" in done.stderr
    assert "Traceback" not in done.stderr
