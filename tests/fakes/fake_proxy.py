"""A forward proxy on loopback: absolute addresses and CONNECT, a password if one is set, a list of what passed."""

from __future__ import annotations

import base64
import select
import socket
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit


class FakeProxy:
    """`user` "name:password" or "" for anybody; `passed`: "GET host" or "CONNECT host:port" in order."""

    def __init__(self, user: str = "") -> None:
        self.user = user
        self.passed: list[str] = []
        handler = type("ProxyHandler", (_Handler,), {"proxy": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.address = f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FakeProxy:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    proxy: ClassVar[FakeProxy]

    def do_GET(self) -> None:
        if not self._known():
            return
        url = urlsplit(self.path)
        self.proxy.passed.append(f"GET {url.netloc}")
        upstream = HTTPConnection(url.netloc, timeout=10)
        headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        upstream.request("GET", f"{url.path}?{url.query}" if url.query else url.path, headers=headers)
        answer = upstream.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        while data := answer.read1(1 << 16):
            self.wfile.write(data)
        upstream.close()

    def do_CONNECT(self) -> None:
        if not self._known():
            return
        self.proxy.passed.append(f"CONNECT {self.path}")
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=10) as upstream:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            _relay(self.connection, upstream)
        self.close_connection = True

    def _known(self) -> bool:
        wanted = f"Basic {base64.b64encode(self.proxy.user.encode()).decode()}"
        if not self.proxy.user or self.headers.get("Proxy-Authorization") == wanted:
            return True
        self.send_error(407)
        return False

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `passed` tells."""


def _relay(one: socket.socket, other: socket.socket) -> None:
    while True:
        ready, _, _ = select.select([one, other], [], [], 30)
        for sock in ready:
            data = sock.recv(1 << 16)
            if not data:
                return
            (other if sock is one else one).sendall(data)
        if not ready:
            return
