"""The parts of `dev.py` that need no environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from devtools import libraries, trouble
from devtools.pythons import version_of

ROOT = Path(__file__).parents[2]

# Last words of pip and uv as they were seen.
SEEN = {
    "cannot be reached": "error: Request failed after 3 retries in 4.4s\n  Caused by: Failed to fetch: `http://…/uv/`\n"
    "  Caused by: error sending request for url\n  Caused by: client error (Connect)\n"
    "  Caused by: tcp connect error\n  Caused by: Connection refused (os error 111)",
    "did not answer in time": "  Caused by: operation timed out",
    "disk is full": "error: Failed to install: PySide6\n  Caused by: No space left on device (os error 28)",
    "may not write": "error: failed to create directory `/opt/x`: Permission denied (os error 13)",
    "hash differs": "error: Hash mismatch for `idna==3.20`",
    "could not be trusted": "  Caused by: invalid peer certificate: UnknownIssuer",
    "lacks a package": "ERROR: No matching distribution found for uv==0.13.9",
    "failed while installing packages": "something new",
}


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("sentence", SEEN)
def test_an_installers_last_words_become_one_sentence_and_a_next_step(sentence: str) -> None:
    stop = trouble.explain("installing packages", SEEN[sentence])
    assert sentence in stop.sentence
    assert stop.next_step
    assert "\n" not in stop.sentence + stop.next_step


def test_a_python_is_believed_only_when_it_runs(tmp_path: Path) -> None:
    assert version_of(Path(sys.executable)) == sys.version_info[:2]
    assert version_of(script(tmp_path / "shim", 'echo "no such version" >&2; exit 127')) is None
    assert version_of(script(tmp_path / "chatty", "echo hello world")) is None
    assert version_of(tmp_path / "absent") is None


def test_a_missing_library_is_found_and_named_for_this_system(tmp_path: Path) -> None:
    """A system with dnf and no apt: the one command to paste, nothing installed."""
    script(tmp_path / "dnf", "exit 99")
    code = (
        "from devtools import libraries\n"
        "from devtools.speech import Stop\n"
        "need = libraries.Need('libabsent-stowage.so.9', 'libabsent9', 'absent-libs', 'absent', 'libabsent')\n"
        "there = libraries.ENGINE[0].__class__('libc.so.6', 'libc6', 'glibc', 'glibc', 'glibc')\n"
        "assert libraries.missing((need, there)) == [need]\n"
        "libraries.provide((there,))\n"
        "try:\n    libraries.provide((need, there))\n"
        "except Stop as stop:\n    print(stop.sentence, '|', stop.next_step)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path)},
        check=True,
    )
    assert "lacks libabsent-stowage.so.9." in done.stdout
    assert re.search(r"Run: (sudo )?dnf install -y absent-libs$", done.stdout.strip())


def test_every_need_has_a_package_on_every_system() -> None:
    needs = libraries.ENGINE + libraries.QT + libraries.XCB + libraries.TESTS
    assert all((need.apt, need.dnf, need.pacman, need.zypper) for need in needs)
    assert len({need.what for need in needs}) == len(needs)


def test_the_command_line_needs_no_qt_library() -> None:
    assert not {need.what for need in libraries.ENGINE} & {need.what for need in libraries.QT + libraries.XCB}


def test_an_unknown_verb_is_told_the_known_ones() -> None:
    done = subprocess.run([sys.executable, "dev.py", "dance"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(f"dev.py {verb}" in done.stderr for verb in ("run", "test", "lint", "bench", "lock"))


@pytest.mark.parametrize("lock", ["app", "dev", "build"])
def test_every_pin_of_a_lock_is_hashed(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.lock").read_text()
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    assert blocks
    assert [block.split()[0] for block in blocks if "==" not in block or "--hash=sha256:" not in block] == []


def test_the_tools_lock_holds_the_apps_versions() -> None:
    def pins(lock: str) -> set[str]:
        lines = (ROOT / "requirements" / f"{lock}.lock").read_text().splitlines()
        return {line.split()[0] for line in lines if "==" in line and not line.startswith(" ")}

    assert pins("app") < pins("dev")


def test_the_locks_pin_a_qt_that_this_python_survives() -> None:
    """PySide6 6.12.0 aborts the interpreter on Python < 3.12."""
    text = (ROOT / "requirements" / "app.lock").read_text()
    old = re.search(r"^pyside6-essentials==(\S+) ; python_full_version < '3.12'", text, re.MULTILINE)
    assert old is not None
    assert old[1].startswith("6.11.")
