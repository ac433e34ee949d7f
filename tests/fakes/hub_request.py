"""One request of the loopback Hub: what was asked, how to answer, and the line about it in the log."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from tests.fakes.fake_hub import FakeHub


@dataclass
class Request:
    """What the server saw. Header names are in lower case; `sent` counts bytes of the body as they go out; `origin` is
    "hub" or "cdn"; `status` 0 until it is answered."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    origin: str
    status: int = 0
    sent: int = 0

    @property
    def range(self) -> str:
        return self.headers.get("range", "")

    @property
    def authorization(self) -> str:
        return self.headers.get("authorization", "")


@dataclass
class Log:
    """Every request, in the order of arrival."""

    requests: list[Request] = field(default_factory=list[Request])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, request: Request) -> None:
        with self.lock:
            self.requests.append(request)

    def clear(self) -> None:
        with self.lock:
            self.requests.clear()

    def all(self) -> list[Request]:
        with self.lock:
            return list(self.requests)


class Handler(BaseHTTPRequestHandler):
    """`hub` and `origin` are set by the server's own subclass."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    hub: ClassVar[FakeHub]
    origin: ClassVar[str] = "hub"
    request_line: Request
    body: bytes = b""

    def do_GET(self) -> None:
        self._begin()

    def do_HEAD(self) -> None:
        self._begin()

    def do_POST(self) -> None:
        self._begin()

    def _begin(self) -> None:
        url = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.body = self.rfile.read(int(headers.get("content-length", "0")))
        self.request_line = Request(
            self.command, unquote(url.path), parse_qs(url.query, keep_blank_values=True), headers, self.origin
        )
        if not self.request_line.path.startswith("/_control"):
            self.hub.log.add(self.request_line)
        try:
            self.hub.answer(self)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    # ---- what was asked --------------------------------------------------------------------------------------------

    @property
    def token(self) -> str:
        return self.request_line.authorization.removeprefix("Bearer ")

    def first(self, name: str, default: str = "") -> str:
        return self.request_line.query.get(name, [default])[0]

    def form(self) -> dict[str, list[str]]:
        """The body of a POST, as a form or as JSON."""
        if self.body[:1] == b"{":
            return cast("dict[str, list[str]]", json.loads(self.body))
        return parse_qs(self.body.decode())

    # ---- answers ---------------------------------------------------------------------------------------------------

    def json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.data(json.dumps(value).encode(), "application/json", status, headers)

    def data(self, data: bytes, kind: str, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.head(status, {"Content-Type": kind, "Content-Length": str(len(data))} | (headers or {}))
        if self.command != "HEAD":
            self.wfile.write(data)
            self.request_line.sent = len(data)

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.request_line.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()

    def redirect(self, status: int, location: str, headers: dict[str, str] | None = None) -> None:
        self.head(status, {"Location": location, "Content-Length": "0"} | (headers or {}))

    def refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        said = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {}) | (headers or {})
        self.json({"error": message}, status, said)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: tests read `hub.log`."""
