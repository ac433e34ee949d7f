"""Making `.venv` hold exactly what a lock names, every file checked against its hash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from devtools import libraries, trouble
from devtools.places import LOG, NEWEST, OLDEST, REQUIREMENTS, ROOT, VENV, WORK, clean_environment, tool, venv_python
from devtools.pythons import find_python, version_of
from devtools.speech import Stop, say
from devtools.stamp import Stamp, is_whole, python_identity, read_stamp, wanted_key, write_stamp

# Measured: the app's packages take 330 MB and the tools' 280 MB, beside what the installer keeps while unpacking.
_NEEDED_BYTES = {"app": 800_000_000, "dev": 1_400_000_000}


def ensure(level: str) -> bool:
    """Bring the environment to `level` ("app" or "dev"); False when it was there already.

    Raises:
        Stop: with the sentence and the next step.
    """
    if is_whole(level):
        return False
    try:
        with _only_one():
            if is_whole(level):  # another one finished it while we waited
                return True
            _set_up(level)
    except OSError as error:
        raise trouble.explain("writing files", str(error)) from error
    return True


def _set_up(level: str) -> None:
    began = time.monotonic()
    LOG.write_text("", "utf-8")
    present = read_stamp()
    if level == "app" and present is not None and present.level == "dev":
        level = "dev"  # what the tests need stays
    _check_space(level)
    adopted = _make_venv(present)
    _install(level, adopted)
    write_stamp(Stamp("done", level, wanted_key(level), python_identity()))
    say(f"set-up finished in {time.monotonic() - began:.0f} s")


@contextmanager
def _only_one() -> Generator[None]:
    """Two set-ups at once would spoil each other; the second waits."""
    if not os.access(ROOT, os.W_OK):
        raise Stop(
            f"Stowage cannot be set up in {ROOT}: this user may not write there.",
            "Copy the folder to a place that you may write to and run it there.",
        )
    WORK.mkdir(exist_ok=True)
    with (WORK / "setup.lock").open("w") as file:
        if os.name == "posix":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another set-up is at work here; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _check_space(level: str) -> None:
    free = shutil.disk_usage(ROOT).free
    if free < _NEEDED_BYTES[level]:
        raise Stop(
            f"The disk has {free / 1e9:.1f} GB free, and the set-up needs {_NEEDED_BYTES[level] / 1e9:.1f} GB.",
            "Free some space and run the same command again.",
        )


def _make_venv(present: Stamp | None) -> bool:
    """Make or keep the environment; True when it is one that somebody else made and that works.

    One of ours whose set-up was cut off, or whose Python is gone or was replaced, is made anew.
    """
    works = VENV.is_dir() and _runs()
    if works and present is not None and present.state == "done" and present.python == python_identity():
        write_stamp(Stamp("started", present.level, "", ""))
        return False
    if works and present is None:
        say("using the .venv that is here already")
        return True
    if VENV.exists():
        say("the environment is unfinished or its Python is gone; making it anew")
        _remove(VENV)
    python = find_python()
    version = version_of(python)
    say(f"making an environment with Python {'.'.join(map(str, version or ()))} (once)")
    VENV.mkdir()
    write_stamp(Stamp("started", "app", "", ""))
    command = [str(python), "-m", "venv", str(VENV)]
    failed = _logged(command)
    if failed is not None and "ensurepip" in failed:
        _provide_venv(python, version or OLDEST)
        failed = _logged(command)
    if failed is not None:
        raise trouble.explain("making the environment", failed)
    return False


def _provide_venv(python: Path, version: tuple[int, int]) -> None:
    """Debian and its kin keep half of Python's venv module in a package of its own."""
    package = f"python{version[0]}.{version[1]}-venv"
    if not libraries.may_install():
        raise Stop(
            f"{python} cannot make environments: its venv module is not whole.",
            f"Run: {libraries.as_root(f'{libraries.APT} {package}')}",
        )
    say(f"installing {package}")
    libraries.apt_install([package])


def _runs() -> bool:
    """Whether the environment's Python starts, is of an accepted version, and is the one its packages were put for."""
    version = version_of(venv_python())
    if version is None or not OLDEST <= version <= NEWEST:
        return False
    return os.name == "nt" or (VENV / "lib" / f"python{version[0]}.{version[1]}" / "site-packages").is_dir()


def _remove(folder: Path) -> None:
    """A link is taken away, never followed."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    else:
        shutil.rmtree(folder)


def _install(level: str, adopted: bool) -> None:
    environment = installer_environment()
    uv = find_uv(environment)
    say(f"fetching what {'the app' if level == 'app' else 'the app and its tests'} need{'s' if level == 'app' else ''}")
    lock = str(REQUIREMENTS / f"{level}.lock")
    at = ["--python", str(venv_python())]
    if adopted:  # somebody's own environment: add to it, take nothing away
        command = [uv, "pip", "install", *at, "--require-hashes", "-r", lock]
    else:
        command = [uv, "pip", "sync", *at, "--require-hashes", lock]
    failed = _logged(command, environment)
    if failed is not None:
        raise trouble.explain("installing packages", failed)
    itself = [uv, "pip", "install", *at, "--no-deps", "--build-constraints", str(REQUIREMENTS / "build.lock")]
    failed = _logged([*itself, "--editable", str(ROOT)], environment)
    if failed is not None:
        raise trouble.explain("putting Stowage itself into the environment", failed)


def find_uv(environment: dict[str, str]) -> str:
    """The environment's own uv, else one on PATH, else the locked one, fetched by pip."""
    if _logged([str(tool("uv")), "--version"], environment) is None:
        return str(tool("uv"))
    on_path = shutil.which("uv")
    if on_path and _logged([on_path, "pip", "sync", "--help"], environment) is None:
        return on_path
    say("fetching the installer (uv)")
    with tempfile.NamedTemporaryFile("w", suffix=".txt", dir=WORK, delete=False) as file:
        file.write(_block((REQUIREMENTS / "app.lock").read_text("utf-8"), "uv"))
    try:
        pip = [str(venv_python()), "-m", "pip", "install", "--no-deps", "--require-hashes", "--retries", "2"]
        failed = _logged([*pip, "-r", file.name], environment)
    finally:
        Path(file.name).unlink()
    if failed is not None:
        raise trouble.explain("fetching the installer", failed)
    return str(tool("uv"))


def _block(lock: str, package: str) -> str:
    """One package's pin and hashes out of a lock."""
    found = re.search(rf"^{package}==.*(?:\n    --hash=.*)*", lock, re.MULTILINE)
    if found is None:
        raise Stop(f"requirements/app.lock has no {package}.", "Get a fresh copy of Stowage.")
    return found.group(0) + "\n"


def installer_environment() -> dict[str, str]:
    """uv does not read pip's settings and pip not uv's: give each the index and certificate of the other."""
    environment = clean_environment()
    of_uv = environment.get("UV_DEFAULT_INDEX") or environment.get("UV_INDEX_URL")
    of_pip = environment.get("PIP_INDEX_URL") or _pip_setting("global.index-url", environment)
    if of_pip and not of_uv and not environment.get("UV_CONFIG_FILE"):
        environment["UV_DEFAULT_INDEX"] = of_pip
    if of_uv and not of_pip:
        environment["PIP_INDEX_URL"] = of_uv
    certificate = environment.get("PIP_CERT") or _pip_setting("global.cert", environment)
    if certificate:
        environment.setdefault("SSL_CERT_FILE", certificate)
    return environment


def _pip_setting(name: str, environment: dict[str, str]) -> str:
    command = [str(venv_python()), "-m", "pip", "config", "get", name]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else ""


def _logged(command: list[str], environment: dict[str, str] | None = None) -> str | None:
    """Run to the end; None when it went well, else what it printed. All of it goes to the log."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env=environment if environment is not None else clean_environment(),
            cwd=ROOT,
            check=False,
        )
    except OSError as error:
        return str(error)
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{done.stdout}\n")
    return None if done.returncode == 0 else done.stdout


def replace_process(command: list[str], environment: dict[str, str]) -> int:
    """Become `command`: signals and the exit code are its own. Returns only where a process cannot be replaced."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    return subprocess.run(command, env=environment, check=False).returncode
