"""Starts `tests/fakes/fake_chat.py` and asks it what it saw."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.engine.endpoint import Endpoint

PROGRAM = Path(__file__).parents[1] / "fakes" / "fake_chat.py"
KEY = "a-key-for-tests"


@contextmanager
def fake_chat(*switches: str) -> Generator[Endpoint]:
    """A running fake. It ends when its input closes; that is waited for."""
    process = subprocess.Popen(
        [sys.executable, "-I", str(PROGRAM), *switches], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().split()[1])
        yield Endpoint(f"http://127.0.0.1:{port}", "fake", KEY)
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def seen(endpoint: Endpoint) -> list[dict[str, Any]]:
    """The bodies of all chat requests so far."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{endpoint.base_url}/seen", timeout=10) as answer:
        return json.load(answer)


async def until(condition: Callable[[], Awaitable[bool]], deadline_s: float = 10.0) -> None:
    """Wait for a condition; an AssertionError when it does not come."""
    end = time.monotonic() + deadline_s
    while not await condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        await asyncio.sleep(0.01)
