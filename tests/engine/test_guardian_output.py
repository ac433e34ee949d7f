"""The guardian's side of the log: a slow owner costs lines, never memory and never the server's time."""

from __future__ import annotations

import json
import os
import selectors
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.engine.guardian_output import Output
from core.engine.guardian_owner import OwnerLine
from core.engine.guardian_wire import Spec
from core.engine.log_file import RotatingFile


@dataclass
class Desk:
    """An output whose pipe the test writes to, and an owner whose end the test reads, or does not."""

    output: Output
    pipe: int
    owner: OwnerLine
    far_end: socket.socket
    selector: selectors.BaseSelector

    def server_writes(self, first: int, last: int) -> None:
        os.write(self.pipe, b"".join(b"line %d\n" % n for n in range(first, last)))
        self.output.catch_up()

    def owner_reads(self) -> list[dict[str, Any]]:
        """All messages that have come or come now that there is room again."""
        data = b""
        self.far_end.settimeout(0.2)
        while True:
            for key, events in self.selector.select(0):
                key.data(events)
            try:
                data += self.far_end.recv(1 << 20)
            except TimeoutError:
                return [json.loads(line) for line in data.splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    selector = selectors.DefaultSelector()
    spec = Spec("id", (), {}, "", str(tmp_path / "server.log"), "", "", (), {})
    near, far = socket.socketpair()
    owner = OwnerLine(near, selector, lambda _line, _order: None, lambda _line: None)
    output = Output(spec, selector)
    pipe = output.open()
    yield Desk(output, pipe, owner, far, selector)
    os.close(pipe)
    output.close()
    owner.close()
    far.close()
    selector.close()


def test_an_owner_that_listens_gets_every_line(desk: Desk) -> None:
    desk.server_writes(0, 300)
    desk.output.flush(desk.owner, 0.0)
    (message,) = desk.owner_reads()
    assert message == {"event": "lines", "lines": [f"line {n}" for n in range(300)], "dropped": 0}


def test_a_slow_owner_gets_the_newest_lines_and_a_count(desk: Desk) -> None:
    filling = 0
    while not desk.owner.congested:
        desk.owner.send(event="filling", text="x" * 10_000)
        filling += 1
    for block in range(20):
        desk.server_writes(block * 1000, block * 1000 + 1000)
        desk.output.flush(desk.owner, float(block))
    messages = desk.owner_reads()
    assert [m["event"] for m in messages] == ["filling"] * filling  # nothing was put on the heap of what waits
    desk.output.flush(desk.owner, 99.0)
    (message,) = desk.owner_reads()
    assert message["lines"] == [f"line {n}" for n in range(19_500, 20_000)]
    assert message["dropped"] == 19_500
    assert list(desk.output.tail) == [f"line {n}" for n in range(19_000, 20_000)]


def test_the_file_rotates_and_keeps_two_older_ones(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    log = RotatingFile(path, limit=100, older=2)
    for number in range(10):
        log.write(f"{number}".encode() * 40)
    log.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["server.log", "server.log.1", "server.log.2"]
    assert path.read_text() == "8" * 40 + "9" * 40
    assert (tmp_path / "server.log.1").read_text() == "6" * 40 + "7" * 40
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_refuses_silences_the_file_and_nothing_else(tmp_path: Path) -> None:
    log = RotatingFile(tmp_path / "missing" / "server.log")
    log.write(b"text")
    log.write(b"text")
    assert log.broken is not None
    log.close()
