"""The files of the loopback Hub: `/{id}/resolve/{revision}/{path}` and the signed URLs of its CDN, with every fault.

As the real Hub does: LFS files redirect (302) to another origin with X-Linked-*; small ones (307, relative) to
`/api/resolve-cache`, which is the same origin.
"""

from __future__ import annotations

import hashlib
import re
import socket
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from tests.fakes.hub_content import Commit, Content, Repo
from tests.fakes.hub_faults import Fault
from tests.fakes.hub_request import Handler

if TYPE_CHECKING:
    from tests.fakes.fake_hub import FakeHub

RESOLVE: Final = re.compile(r"/((?!api/)[^/]+(?:/[^/]+)?)/resolve/([^/]+)/(.+)")
CACHED: Final = re.compile(r"/api/resolve-cache/models/([^/]+(?:/[^/]+)?)/([0-9a-f]{40})/(.+)")
SIGNED: Final = re.compile(r"/repos/([0-9a-f]{64})")
_STEP: Final = 1 << 16


def resolve(hub: FakeHub, handler: Handler, repo_id: str, revision: str, path: str) -> None:
    """HEAD or GET of a file by its place in a repository."""
    repo = hub.find(handler, repo_id)
    if repo is None:
        return
    if not hub.allowed(repo, handler.token, files=True):
        _refuse_access(handler, repo)
        return
    commit = repo.commit(revision)
    if commit is None:
        handler.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
    elif path not in commit.files:
        handler.refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit.sha})
    else:
        _answer(hub, handler, repo, commit, path)


def _refuse_access(handler: Handler, repo: Repo) -> None:
    status = 403 if handler.token else 401
    code = "GatedRepo" if repo.gated else "RepoNotFound"
    handler.refuse(status, code, f"Access to model {repo.id} is restricted.")


def _answer(hub: FakeHub, handler: Handler, repo: Repo, commit: Commit, path: str) -> None:
    found = commit.files[path]
    fault = hub.faults.take(f"{repo.id}/{path}", handler.command, "hub", _range(handler, found.size)[0]) or Fault()
    time.sleep(fault.delay_s)
    if fault.status:
        handler.refuse(fault.status, fault.error_code, f"injected {fault.status}", fault.headers)
        return
    lfs = repo.is_lfs(path, found)
    etag = fault.etag or repo.etag(path, found)
    headers = {"X-Repo-Commit": commit.sha, "ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
    if lfs:
        size = found.size if fault.size_header is None else fault.size_header
        headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(size)}
    if path in repo.xet:
        route = f"{hub.url}/api/models/{repo.id}/xet-read-token/{commit.sha}"
        headers |= {"X-Xet-Hash": repo.xet[path], "X-Xet-Refresh-Route": route}
    cached = CACHED.fullmatch(handler.request_line.path) is not None
    if lfs and hub.cdn_url:
        handler.redirect(302, hub.sign(f"{repo.id}/{path}", found), headers | fault.headers)
    elif not lfs and hub.resolve_cache and not cached:
        place = f"/api/resolve-cache/models/{repo.id}/{commit.sha}/{quote(path)}?etag=%22{etag}%22"
        handler.redirect(307, place, headers | fault.headers)
    else:
        send(hub, handler, found, headers | fault.headers, fault)


def signed(hub: FakeHub, handler: Handler, name: str) -> None:
    """A GET at the CDN: no token, but a signature that runs out."""
    expires = int(handler.first("Expires", "0"))
    if handler.first("Signature") != signature(name, expires) or name not in hub.signed:
        handler.data(b"<Error><Code>AccessDenied</Code></Error>", "application/xml", 403)
        return
    if handler.request_line.authorization:
        # What S3 says when a request carries two kinds of authorization at once.
        handler.data(b"<Error><Code>InvalidArgument</Code></Error>", "application/xml", 400)
        return
    if time.time() >= expires:
        handler.data(b"<Error><Code>AccessDenied</Code>Request has expired</Error>", "application/xml", 403)
        return
    key, found = hub.signed[name]
    fault = hub.faults.take(key, handler.command, "cdn", _range(handler, found.size)[0]) or Fault()
    time.sleep(fault.delay_s)
    if fault.status:
        handler.data(b"<Error><Code>Injected</Code></Error>", "application/xml", fault.status, fault.headers)
        return
    headers = {"ETag": f'"{fault.etag or hashlib.md5(name.encode()).hexdigest()}"', "Accept-Ranges": "bytes"}
    send(hub, handler, found, headers | fault.headers, fault)


def signature(name: str, expires: int) -> str:
    return hashlib.sha1(f"{name}{expires}".encode()).hexdigest()


def _range(handler: Handler, size: int) -> tuple[int, int, bool]:
    """Start, end (exclusive) and whether a range was asked for."""
    asked = re.fullmatch(r"bytes=(\d*)-(\d*)", handler.request_line.range)
    if asked is None or not (asked[1] or asked[2]):
        return 0, size, False
    if not asked[1]:
        return max(0, size - int(asked[2])), size, True
    return int(asked[1]), min(size, int(asked[2]) + 1) if asked[2] else size, True


def send(hub: FakeHub, handler: Handler, found: Content, headers: dict[str, str], fault: Fault) -> None:
    """The content or a range of it."""
    start, end, ranged = _range(handler, found.size)
    if handler.command == "HEAD" or fault.ignore_range or not ranged:
        start, end, status = 0, found.size, 200
    elif start >= found.size:
        handler.head(416, {"Content-Range": f"bytes */{found.size}", "Content-Length": "0"})
        return
    else:
        status = 206
        headers = headers | {"Content-Range": f"bytes {start}-{end - 1}/{found.size}"}
    length = end - start if fault.send_bytes is None else min(fault.send_bytes, end - start)
    said = length + fault.extra_bytes
    if handler.command == "HEAD":
        said = found.size if fault.size_header is None else fault.size_header
    handler.head(status, headers | {"Content-Type": "application/octet-stream", "Content-Length": str(said)})
    if handler.command != "HEAD":
        _body(hub, handler, _changed(found, start, start + length, fault), fault)


def _changed(found: Content, start: int, end: int, fault: Fault) -> Iterator[bytes | memoryview]:
    """The bytes of [start, end), with one flipped and zeros behind if the fault says so."""
    at = start
    for piece in found.pieces(start, end):
        if fault.flip_at is not None and at <= fault.flip_at < at + len(piece):
            changed = bytearray(piece)
            changed[fault.flip_at - at] ^= 0xFF
            yield bytes(changed)
        else:
            yield piece
        at += len(piece)
    if fault.extra_bytes:
        yield bytes(fault.extra_bytes)


def _body(hub: FakeHub, handler: Handler, pieces: Iterator[bytes | memoryview], fault: Fault) -> None:
    began = time.monotonic()
    line = handler.request_line
    rate = fault.rate or hub.rate
    limits = [limit for limit in (fault.drop_after, fault.stall_after) if limit is not None]
    stop = min(limits) if limits else None
    for piece in pieces:
        view = memoryview(piece)
        step = len(view) if not rate else max(1024, min(_STEP, int(rate / 50)))
        for at in range(0, len(view), step):
            part = view[at : at + step] if stop is None else view[at : min(at + step, at + stop - line.sent)]
            handler.connection.sendall(part)
            line.sent += len(part)
            if stop is not None and line.sent >= stop:
                _break_off(hub, handler, fault)
                return
            if rate and hub.ending.wait(max(0.0, line.sent / rate - (time.monotonic() - began))):
                return


def _break_off(hub: FakeHub, handler: Handler, fault: Fault) -> None:
    handler.close_connection = True
    if fault.stall_after is not None and handler.request_line.sent >= fault.stall_after:
        hub.ending.wait(fault.stall_s)
    try:
        handler.connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the client was faster
