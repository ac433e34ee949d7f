"""The smallest streaming client there can be: one socket, no parsing while the answer runs."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from typing import Any

from core.engine.endpoint import Endpoint


@dataclass(frozen=True)
class RawAnswer:
    """`decode_tokens_per_s` by the same definition as the speed card's, from the arrival times of the raw reads."""

    completion_tokens: int
    decode_tokens_per_s: float


def raw_answer(endpoint: Endpoint, body: dict[str, Any]) -> RawAnswer:
    """Ask, keep (arrival time, bytes) of every read, and parse only when all has come."""
    host, _, port = endpoint.base_url.removeprefix("http://").partition(":")
    data = json.dumps(body).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {endpoint.api_key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    reads: list[tuple[float, bytes]] = []
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(head.encode() + data)
        while piece := connection.recv(65536):
            reads.append((time.monotonic(), piece))
    return _measured(reads)


def _measured(reads: list[tuple[float, bytes]]) -> RawAnswer:
    """vLLM writes each chunk as one HTTP chunk of one line, so lines that begin with `data: {` are whole."""
    rows: list[tuple[float, int, bool]] = []
    rest = b""
    for at_s, piece in reads:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {"):
                chunk = json.loads(line[6:])
                choice = chunk["choices"][0] if chunk["choices"] else {"delta": {}}
                rows.append((at_s, chunk["usage"]["completion_tokens"], bool(choice["delta"].get("content"))))
    first = next(row for row in rows if row[2])
    total = rows[-1][1]
    last_s = next(at_s for at_s, tokens, _ in rows if tokens == total)
    return RawAnswer(total, (total - first[1]) / (last_s - first[0]))
