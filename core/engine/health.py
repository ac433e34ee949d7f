"""Does it answer, and is it ours? Small HTTP on loopback, blind to proxies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

import psutil

from core.engine.command import HOST

_BODY_LIMIT = 4 * 1024 * 1024


async def http_get(
    port: int, path: str, *, headers: Mapping[str, str] | None = None, timeout_s: float = 5.0
) -> tuple[int, bytes]:
    """Status and body of a GET on 127.0.0.1. Plain sockets, so no `HTTP_PROXY` of any spelling has a say.

    Raises:
        OSError: nobody listens, or the connection broke. TimeoutError (an OSError too): no answer in time.
    """
    async with asyncio.timeout(timeout_s):
        reader, writer = await asyncio.open_connection(HOST, port, limit=_BODY_LIMIT)
        try:
            lines = [f"GET {path} HTTP/1.0", f"Host: {HOST}:{port}", *(f"{k}: {v}" for k, v in (headers or {}).items())]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.read(_BODY_LIMIT)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise ConnectionError(str(error)) from error
        finally:
            writer.close()
    fields = head.split(b" ", 2)
    if len(fields) < 2 or not fields[0].startswith(b"HTTP/") or not fields[1][:3].isdigit():
        raise ConnectionError(f"no HTTP answer: {head[:80]!r}")
    return int(fields[1][:3]), body


async def health(port: int, timeout_s: float = 5.0) -> int | None:
    """The status of `/health` (vLLM: 200, or 503 once its engine is dead), None when nobody answers."""
    try:
        status, _ = await http_get(port, "/health", timeout_s=timeout_s)
    except OSError:
        return None
    return status


async def max_model_len(port: int, api_key: str, model: str) -> int:
    """The context in tokens that the server says it serves `model` with (`/v1/models`), 0 when it does not say."""
    try:
        status, body = await http_get(port, "/v1/models", headers={"Authorization": f"Bearer {api_key}"})
        entries: list[dict[str, Any]] = json.loads(body)["data"] if status == 200 else []
    except (OSError, ValueError, KeyError):
        return 0
    return next((int(entry.get("max_model_len") or 0) for entry in entries if entry.get("id") == model), 0)


def listens(pids: Iterable[int], port: int) -> bool:
    """Whether one of these processes holds the listening socket of `port`: a 200 from anyone else does not count."""
    for pid in pids:
        try:
            connections = psutil.Process(pid).net_connections("tcp")
        except psutil.Error:
            continue
        if any(c.status == psutil.CONN_LISTEN and c.laddr and c.laddr.port == port for c in connections):
            return True
    return False
