"""Chats of other people in a browser: an environment of their own in the user's cache, and how each is started."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.engine_cache import cache

PINS = Path(__file__).with_name("chat_rivals.txt")
GRADIO_APP = Path(__file__).with_name("gradio_child.py")
MARKED = "marked@15.0.12"
INSTALL_DEADLINE_S = 600
START_DEADLINE_S = 60


@dataclass(frozen=True)
class Rival:
    """`command`: its program, from (Python, port, base URL of the model's server). `focus`: an expression that puts
    the caret into its input and is true when that worked. `connect`: one that makes its page use the server of this
    base URL, true when it could."""

    name: str
    command: Callable[[str, int, str], list[str]]
    focus: str
    connect: Callable[[str], str] = lambda _base_url: "true"
    local: dict[str, str] = field(default_factory=dict[str, str])


def rivals(marked: str) -> list[Rival]:
    return [
        Rival(
            "gradio ChatInterface",
            lambda python, port, base_url: [python, str(GRADIO_APP), str(port), base_url],
            "(box => { if (box) box.focus(); return !!box; })(document.querySelector('textarea:not([disabled])'))",
        ),
        Rival(
            "vllm-playground",
            lambda python, port, _base_url: [
                *(python, "-m", "vllm_playground.cli"),
                *("--host", "127.0.0.1", "--port", str(port)),
            ],
            "(() => { const box = document.querySelector('#chat-input');"
            " if (!box || document.querySelector('#send-btn').disabled) return false; box.focus(); return true; })()",
            _playground_connects,
            {"/npm/marked/marked.min.js": marked},
        ),
    ]


def _playground_connects(base_url: str) -> str:
    """Its "remote" mode, for a vLLM that runs already, by its own form: only then does it let one write."""
    return (
        "(() => { const start = document.querySelector('#start-btn');"
        " if (document.readyState !== 'complete' || !window.vllmUI || start.disabled) return false;"
        " document.querySelector('#run-mode-remote').click();"
        f" document.querySelector('#remote-url').value = '{base_url}';"
        " start.click(); return true; })()"
    )


def prepare() -> tuple[str, str]:
    """(the rivals' Python, the text of `marked`), made once for these pins.

    Raises:
        RuntimeError: why they cannot be had here.
    """
    key = hashlib.sha256(PINS.read_bytes() + MARKED.encode()).hexdigest()[:12]
    folder = cache() / f"chat-rivals-{key}"
    if not folder.exists():
        made = folder.with_name(f"{folder.name}.{os.getpid()}")
        try:
            _make(made)
            made.rename(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return str(folder / "env" / "bin" / "python"), (folder / "marked.js").read_text(encoding="utf-8")


def _make(folder: Path) -> None:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    npm = shutil.which("npm")
    if uv is None or npm is None:
        raise RuntimeError("uv or npm is missing")
    folder.mkdir(parents=True)
    _run([uv, "venv", "--relocatable", "--python", sys.executable, str(folder / "env")], folder)
    _run([uv, "pip", "install", "--python", str(folder / "env" / "bin" / "python"), "-r", str(PINS)], folder)
    _run([npm, "pack", "--silent", MARKED], folder)
    with tarfile.open(next(folder.glob("marked-*.tgz"))) as archive:
        script = archive.extractfile("package/marked.min.js")
        assert script is not None
        (folder / "marked.js").write_bytes(script.read())


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_DEADLINE_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name} {command[1]}: {done.stderr.strip().splitlines()[-1:]}")


@contextmanager
def running(rival: Rival, python: str, base_url: str, folder: Path) -> Generator[tuple[int, str]]:
    """(pid, address) of its program, with a home of its own. Ends it with all its children."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    quiet = {"GRADIO_ANALYTICS_ENABLED": "False", "DO_NOT_TRACK": "1", "HOME": str(folder), "NO_PROXY": "127.0.0.1"}
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(
            rival.command(python, port, base_url),
            cwd=folder,
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        _until_answers(address, process, log)
        yield process.pid, address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def asked(address: str, body: object = None) -> bytes:
    """A small request to a server on this machine."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
        return answer.read()


def _until_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_DEADLINE_S
    while True:
        try:
            asked(address)
            return
        except (OSError, urllib.error.URLError):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"did not start: {log.read_text(errors='replace')[-300:]}") from None
            time.sleep(0.1)
