"""One request for the rest of a file: what its answer means, and its bytes onto the disk."""

from __future__ import annotations

import http.client
import re
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from core.hub.cache.layout import is_sha1, is_sha256
from core.hub.download.worker.blob import Blob
from core.hub.download.worker.board import Board, Refused
from core.hub.download.worker.order import FileOrder, Order
from core.hub.download.worker.pace import LARGEST_READ, SMALLEST_READ, Limit
from core.hub.download.worker.transport import Answer, Transport
from core.hub.retry_after import asked_wait_s

_RANGE: Final = re.compile(r"bytes (\d+)-\d*/(\d+|\*)")


@dataclass
class Trouble(Exception):
    """Why an attempt brought nothing or not all; another may. `reason` is a word id of the group [waits_for]; `wait_s`
    what the server asks for. `size`: the server has another size of the file."""

    reason: str
    detail: str
    wait_s: float | None = None
    size: int | None = None


class DiskTrouble(Exception):
    """The disk took no more, or is about not to."""


def url_of(order: Order, file: FileOrder) -> str:
    return f"{order.endpoint}/{quote(order.repo_id)}/resolve/{order.commit}/{quote(file.path)}"


def attempt(order: Order, file: FileOrder, blob: Blob, transport: Transport, limit: Limit, board: Board) -> None:
    """Fetch from `blob.have` to the end. Every attempt asks the Hub anew, so that it gets a fresh signed URL.

    Raises:
        Trouble: another attempt may do better. Refused: none will. DiskTrouble.
        OSError, http.client.HTTPException: the line.
    """
    answer = transport.get(url_of(order, file), blob.have)
    try:
        _judge(answer, file, blob)
        skip = _position(answer, file, blob)
        _copy(answer.response, file, blob, limit, board, skip)
    finally:
        answer.close()
    if blob.have < file.size:
        raise Trouble("retry", f"the answer ended at {blob.have} of {file.size} bytes")


def _judge(answer: Answer, file: FileOrder, blob: Blob) -> None:
    """Whether the body is what we want."""
    status, shown = answer.status, f"{answer.url.partition('?')[0]}: {answer.status}"
    if status in (200, 206):
        _judge_identity(answer, file)
    elif status == 416:
        blob.discard()  # the rest of a file that has changed
        raise Trouble("retry", shown, 0.0)
    elif status == 429:
        raise Trouble("rate_limit", shown, asked_wait_s(answer.link_headers))
    elif status == 408 or status >= 500:
        raise Trouble("retry", shown, asked_wait_s(answer.link_headers))
    elif not answer.ours and status >= 400:
        raise Trouble("retry", f"{shown}, the signed address is renewed")
    else:
        named = {name: answer.headers[name] for name in ("x-error-code", "x-error-message") if name in answer.headers}
        raise Refused("refused", shown, status=status, url=answer.url.partition("?")[0], file=file.path, headers=named)


def _judge_identity(answer: Answer, file: FileOrder) -> None:
    told = answer.headers.get("x-linked-etag") or answer.headers.get("etag", "")
    etag = told.removeprefix("W/").strip('"')
    # A mirror may put its own kind of ETag there; only one that names a file like ours says something.
    if etag != file.etag and (is_sha256(etag) or is_sha1(etag)) and len(etag) == len(file.etag):
        raise Refused("changed", f"ETag {etag} instead of {file.etag}", file=file.path)
    linked = answer.headers.get("x-linked-size", "")
    if linked.isdigit() and int(linked) != file.size:
        raise Trouble("retry", f"X-Linked-Size is {linked}", size=int(linked))
    if answer.link_headers.get("content-encoding", "identity") != "identity":
        raise Trouble("retry", "the body is compressed")


def _position(answer: Answer, file: FileOrder, blob: Blob) -> int:
    """How many bytes of the body we have already: all that came before, where the server ignores ranges."""
    start, whole = 0, file.size
    if answer.status == 206:
        told = _RANGE.fullmatch(answer.link_headers.get("content-range", ""))
        if told is None or int(told[1]) != blob.have:
            raise Trouble("retry", f"Content-Range {answer.link_headers.get('content-range')!r}")
        start = blob.have
        if told[2] != "*":
            whole = int(told[2])
    elif (length := answer.link_headers.get("content-length", "")).isdigit():
        whole = int(length)
    if whole > file.size or (whole < file.size and answer.status == 206):
        raise Trouble("retry", f"{whole} bytes instead of {file.size}", size=whole)
    return blob.have - start


def _copy(
    response: http.client.HTTPResponse, file: FileOrder, blob: Blob, limit: Limit, board: Board, skip: int
) -> None:
    view = memoryview(bytearray(LARGEST_READ))
    size = SMALLEST_READ
    while blob.have < file.size:
        board.check()
        if board.disk_low:
            raise DiskTrouble
        began = time.monotonic()
        count = _read(response, view[: min(size, limit.read_bytes)])
        if not count:
            return
        size = _next_size(size, time.monotonic() - began)
        old = min(skip, count)
        skip -= old
        if count > old:
            _store(blob, view[old : min(count, old + file.size - blob.have)])
        board.set_have(file.path, blob.have, count)
        if pause := limit.pause_after(count):
            board.stop.wait(pause)


def _read(response: http.client.HTTPResponse, view: memoryview) -> int:
    """What has arrived, at least a byte; 0 at the end. Does not wait until `view` is full: what is read is kept when
    the line then falls silent or breaks."""
    if response.chunked or response.length is None:
        data = response.read1(len(view))
        view[: len(data)] = data
        return len(data)
    if not response.length:
        return 0
    count = response.fp.readinto1(view[: response.length])
    response.length -= count
    return count


def _store(blob: Blob, data: memoryview) -> None:
    try:
        blob.write(data)
    except OSError as error:
        raise DiskTrouble(str(error)) from error


def _next_size(size: int, took_s: float) -> int:
    """Large reads on a fast line cost less, small ones on a slow line are lost less at a kill."""
    if took_s < 0.05:
        return min(LARGEST_READ, size * 2)
    return max(SMALLEST_READ, size // 2) if took_s > 0.5 else size
