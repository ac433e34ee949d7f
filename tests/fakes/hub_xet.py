"""The download side of a Xet CAS: reconstructions, and xorbs made as they are read (chunks of 64 KiB, uncompressed)."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final

from tests.fakes.hub_content import Content

if TYPE_CHECKING:
    from tests.fakes.fake_hub import FakeHub
    from tests.fakes.hub_request import Handler

CHUNK: Final = 1 << 16
CHUNKS: Final = 512
HEADER: Final = 8
_RECONSTRUCTION: Final = re.compile(r"/v1/reconstructions/([0-9a-f]{64})")
_XORB: Final = re.compile(r"/xorb/([0-9a-f]{64})/(\d+)")


def answer(hub: FakeHub, handler: Handler) -> bool:
    path = handler.request_line.path
    if path.startswith("/v2/reconstructions/"):
        handler.json({"error": "not found"}, 404)
    elif (asked := _RECONSTRUCTION.fullmatch(path)) is not None:
        _reconstruction(hub, handler, asked[1])
    elif (asked := _XORB.fullmatch(path)) is not None:
        _xorb(handler, hub.xet[asked[1]], int(asked[2]))
    else:
        return False
    return True


def _bounds(handler: Handler, size: int) -> tuple[int, int]:
    asked = re.fullmatch(r"bytes=(\d+)-(\d*)", handler.request_line.range)
    if asked is None:
        return 0, size
    return int(asked[1]), min(size, int(asked[2]) + 1) if asked[2] else size


def _reconstruction(hub: FakeHub, handler: Handler, name: str) -> None:
    size = hub.xet[name].size
    start, end = _bounds(handler, size)
    if start >= size:
        handler.json({"error": "range"}, 416)
        return
    first, last = start // CHUNK, -(-end // CHUNK)
    terms: list[dict[str, Any]] = []
    fetch: dict[str, list[dict[str, Any]]] = {}
    at = first
    while at < last:
        number = at // CHUNKS
        stop = min(last, (number + 1) * CHUNKS)
        chunks = {"start": at - number * CHUNKS, "end": stop - number * CHUNKS}
        xorb = hashlib.sha256(f"{name}:{number}".encode()).hexdigest()
        length = min(size, stop * CHUNK) - at * CHUNK
        offset = chunks["start"] * (CHUNK + HEADER)
        terms.append({"hash": xorb, "unpacked_length": length, "range": chunks})
        place = {"start": offset, "end": offset + length + HEADER * (stop - at) - 1}
        fetch[xorb] = [{"range": chunks, "url": f"{hub.url}/xorb/{name}/{number}", "url_range": place}]
        at = stop
    handler.json({"offset_into_first_range": start - first * CHUNK, "terms": terms, "fetch_info": fetch})


def _xorb(handler: Handler, found: Content, number: int) -> None:
    body = bytearray()
    begin = number * CHUNKS * CHUNK
    for at in range(begin, min(found.size, begin + CHUNKS * CHUNK), CHUNK):
        data = b"".join(bytes(piece) for piece in found.pieces(at, min(found.size, at + CHUNK)))
        length = len(data).to_bytes(3, "little")
        body += b"\0" + length + b"\0" + length + data
    start, end = _bounds(handler, len(body))
    headers = {"Content-Range": f"bytes {start}-{end - 1}/{len(body)}"}
    handler.data(bytes(body[start:end]), "application/octet-stream", 206, headers)
