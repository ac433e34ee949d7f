"""A headless Chromium driven over `--remote-debugging-pipe`: CDP as JSON between zero bytes, no package needed.

Chromium reads commands from descriptor 3 and writes answers and events to 4 (content/browser/devtools, all versions).
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

SWITCHES = (
    "--headless=new",
    "--no-first-run",
    "--no-sandbox",  # root in a container has none
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--window-size=1440,900",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)


def found() -> str | None:
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


class Page:
    """The only page. `local`: answers for addresses that end so; every other foreign address is refused."""

    def __init__(self, process: subprocess.Popen[bytes], send: int, receive: int, local: dict[str, str]) -> None:
        self.process = process
        self._send, self._receive, self._local = send, receive, local
        self._rest, self._number, self._session = b"", 0, ""
        self._answers: dict[int, dict[str, Any]] = {}

    def open(self, address: str, before: str) -> None:
        """Attach to the first page, run `before` ahead of its own scripts, go to `address`."""
        targets = self.do("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.do("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.do("Page.enable")
        self.do("Fetch.enable", patterns=[{"urlPattern": "https://*"}])
        self.do("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.do("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        answer = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, expression: str, deadline_s: float) -> float:
        """Seconds until `expression` is true; AssertionError when it does not come."""
        began = time.monotonic()
        while not self.value(expression):
            assert time.monotonic() - began < deadline_s, f"not in the page: {expression}"
            self.listen(0.1)
        return time.monotonic() - began

    def enter(self, text: str) -> None:
        """Type into what has the focus, and press Enter."""
        self.do("Input.insertText", text=text)
        key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        self.do("Input.dispatchKeyEvent", type="keyDown", **key)
        self.do("Input.dispatchKeyEvent", type="keyUp", **key)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = self._write(method, parameters)
        end = time.monotonic() + 30
        while number not in self._answers:
            assert time.monotonic() < end, f"the browser does not answer {method}"
            self.listen(0.5)
        answer = self._answers.pop(number)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def listen(self, seconds: float) -> None:
        """Take what comes within `seconds`."""
        end = time.monotonic() + seconds
        while select.select([self._receive], [], [], max(0.0, end - time.monotonic()))[0]:
            piece = os.read(self._receive, 1 << 20)
            assert piece, "the browser is gone"
            *whole, self._rest = (self._rest + piece).split(b"\0")
            for text in whole:
                self._heard(json.loads(text))
            if whole:
                return

    def _heard(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
        elif message["method"] == "Fetch.requestPaused":
            self._fetch(message["params"])

    def _fetch(self, paused: dict[str, Any]) -> None:
        identity, address = paused["requestId"], paused["request"]["url"]
        body = next((body for end, body in self._local.items() if address.endswith(end)), None)
        if body is None:
            self._write("Fetch.failRequest", {"requestId": identity, "errorReason": "InternetDisconnected"})
            return
        given = {
            "requestId": identity,
            "responseCode": 200,
            "responseHeaders": [{"name": "Content-Type", "value": "text/javascript; charset=utf-8"}],
            "body": base64.b64encode(body.encode()).decode(),
        }
        self._write("Fetch.fulfillRequest", given)

    def _write(self, method: str, parameters: dict[str, Any]) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._send, data) :]
        return self._number


@contextmanager
def browser(program: str, profile: Path, local: dict[str, str] | None = None) -> Generator[Page]:
    """A running browser with a profile of its own; gone with its whole tree at the end."""
    commands, answers = os.pipe(), os.pipe()
    inherited = [fcntl.fcntl(commands[0], fcntl.F_DUPFD, 20), fcntl.fcntl(answers[1], fcntl.F_DUPFD, 20)]
    shell = f'exec "$0" "$@" 3<&{inherited[0]} 4>&{inherited[1]}'
    process = subprocess.Popen(
        ["bash", "-c", shell, program, *SWITCHES, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=inherited,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"HOME": str(profile), "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile)},
    )
    for descriptor in (*inherited, commands[0], answers[1]):
        os.close(descriptor)
    page = Page(process, commands[1], answers[0], local or {})
    try:
        yield page
    finally:
        _end(process, page)
        os.close(commands[1])
        os.close(answers[0])


def _end(process: subprocess.Popen[bytes], page: Page) -> None:
    """The browser ends its own children, unless it hangs."""
    try:
        page.do("Browser.close")
        process.wait(20)
    except (AssertionError, OSError, subprocess.TimeoutExpired):
        for left in [*psutil.Process(process.pid).children(recursive=True), process]:
            left.kill()
        process.wait(20)
