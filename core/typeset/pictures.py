"""A picture that an answer names, fetched because somebody clicked on its address. Never before, no other scheme."""

from __future__ import annotations

from typing import Final

import httpx2

from core.errors import AppError

MOST_BYTES: Final = 12 * 1024 * 1024
TIMEOUT_S: Final = 20.0
SCHEMES: Final = ("http://", "https://")
# Pictures made of points only: an SVG can name further files.
_MARKS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")


async def fetch_picture(url: str) -> bytes:
    """The bytes of a PNG, JPEG, GIF or WebP.

    Raises:
        AppError: `chat.picture_failed` with what was wrong as its detail.
    """
    if not url.lower().startswith(SCHEMES):
        raise AppError("chat.picture_failed", "only http and https")
    try:
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=True, max_redirects=3) as client,
            client.stream("GET", url, headers={"Accept": "image/png,image/jpeg,image/webp,image/gif"}) as response,
        ):
            response.raise_for_status()
            data = await _limited(response)
    except httpx2.HTTPError as error:
        raise AppError("chat.picture_failed", f"{type(error).__name__}: {error}") from error
    if not data.startswith(_MARKS):
        raise AppError("chat.picture_failed", "not a PNG, JPEG, GIF or WebP")
    return data


async def _limited(response: httpx2.Response) -> bytes:
    data = bytearray()
    async for part in response.aiter_bytes():
        data += part
        if len(data) > MOST_BYTES:
            raise AppError("chat.picture_failed", f"larger than {MOST_BYTES} bytes")
    return bytes(data)
