"""A server that gives the GPU's memory back and keeps the weights in RAM, until it is woken.

The endpoints `/sleep`, `/wake_up`, `/is_sleeping` exist only with `VLLM_SERVER_DEV_MODE=1` (every version read; else
404), and memory is freed only with `--enable-sleep-mode` on CUDA-like platforms: a CPU build answers 200 and does
nothing (0.32).
Developer mode opens further endpoints, so such a server listens on 127.0.0.1 alone.
"""

from __future__ import annotations

from typing import Final

import httpx2

from core.engine.change import Change, apply
from core.engine.command import HOST, LaunchRequest
from core.engine.endpoint import Endpoint
from core.errors import AppError

_FLAG: Final = "--enable-sleep-mode"
_CHANGE: Final = Change(add=(_FLAG,), env=(("VLLM_SERVER_DEV_MODE", "1"),))
_PLATFORMS: Final = ("cuda", "rocm")
LEVEL: Final = 1
"""Weights go to RAM, the KV cache is dropped. (Level 2 drops the weights too.)"""
_TIMEOUT_S: Final = 120.0


def able(request: LaunchRequest) -> LaunchRequest:
    """`request` so that its server can sleep; unchanged where none can, and where other computers reach it."""
    can = request.engine.platform in _PLATFORMS and request.host == HOST
    return apply(_CHANGE, request) if can else request


def is_able(request: LaunchRequest | None) -> bool:
    given = (*request.options.extra, *request.extra_args) if request is not None else ()
    return request is not None and request.engine.platform in _PLATFORMS and _FLAG in given


async def put_to_sleep(endpoint: Endpoint) -> None:
    """Raises: AppError: `server.cannot_sleep` when it does not sleep afterwards, `server.not_running`."""
    await _call(endpoint, "POST", f"/sleep?level={LEVEL}")
    if not await is_asleep(endpoint):
        raise AppError("server.cannot_sleep")


async def wake_up(endpoint: Endpoint) -> None:
    """Raises: AppError: `server.cannot_sleep`, `server.not_running`."""
    await _call(endpoint, "POST", "/wake_up")


async def is_asleep(endpoint: Endpoint) -> bool:
    """Raises: AppError: `server.cannot_sleep`, `server.not_running`."""
    return bool((await _call(endpoint, "GET", "/is_sleeping")).json().get("is_sleeping"))


async def _call(endpoint: Endpoint, method: str, path: str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=_TIMEOUT_S) as client:
        try:
            answer = await client.request(method, endpoint.base_url + path, headers=headers)
        except httpx2.HTTPError as error:
            raise AppError("server.not_running", repr(error)) from error
    if answer.status_code != 200:
        raise AppError("server.cannot_sleep", f"{path}: {answer.status_code}")
    return answer
