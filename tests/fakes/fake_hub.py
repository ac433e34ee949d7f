"""A Hugging Face Hub on loopback, with a CDN on another origin, a log of requests and every fault of real ones.

In a test: `tests.support.hub.running_hub`. As a program: `python -m tests.fakes.fake_hub [switches]` prints
`HUB <address> CDN <address>` and serves until its standard input ends. `GET /_control/log`, `POST /_control/faults`
with {key: [fault, ...]} and `POST /_control/clear` (log and faults) then stand in for the objects.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import socket
import ssl
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tests.fakes import hub_api, hub_files, hub_xet
from tests.fakes.hub_content import Content, Files, MadeUp, Repo, folder_files, new_commit
from tests.fakes.hub_faults import Fault, Faults
from tests.fakes.hub_request import Handler, Log

TLS: Final = Path(__file__).parents[1] / "data" / "tls"


class FakeHub:
    """`cdn`: LFS files redirect to a second origin; `tls`: https with the certificate of `TLS / "ca.pem"`;
    `signed_for_s`: how long a signed URL works; `rate`: bytes/s of every answer with a file; `users`: token -> name.
    """

    def __init__(self, *, port: int = 0, cdn: bool = True, tls: bool = False) -> None:
        self.repos: dict[str, Repo] = {}
        self.renamed: dict[str, str] = {}
        self.users: dict[str, str] = {"hf_valid": "tester"}
        self.faults = Faults()
        self.log = Log()
        self.signed: dict[str, tuple[str, Content]] = {}
        self.signed_for_s = 3600.0
        self.rate = 0.0
        self.page_size = 100
        self.resolve_cache = True
        self.rename_status = 307
        self.xet: dict[str, Content] = {}
        self.ending = threading.Event()
        self._servers = [_Server(self, "hub", port, tls)]
        if cdn:
            self._servers.append(_Server(self, "cdn", 0, tls))
        self.url = self.cas_url = self._servers[0].url
        self.cdn_url = self._servers[1].url if cdn else ""

    def start(self) -> None:
        for server in self._servers:
            server.start()

    def close(self) -> None:
        """End every connection and wait for every thread."""
        self.ending.set()
        for server in self._servers:
            server.close()

    # ---- content ---------------------------------------------------------------------------------------------------

    def add(self, repo_id: str, files: Files, **options: Any) -> Repo:
        """A repository with one commit on main; `options` are fields of `Repo`."""
        commit = new_commit(repo_id, files)
        repo = Repo(repo_id, {commit.sha: commit}, {"main": commit.sha}, **options)
        self.repos[repo_id] = repo
        return repo

    def commit(self, repo_id: str, changes: Files) -> str:
        """A new commit on main with these files changed or added. Returns its name."""
        repo = self.repos[repo_id]
        commit = new_commit(repo_id, repo.head.files | dict(changes), len(repo.commits))
        repo.commits[commit.sha] = commit
        repo.branches["main"] = commit.sha
        return commit.sha

    def rename(self, old: str, new: str) -> None:
        """The old id redirects from now on."""
        repo = self.repos.pop(old)
        repo.id = new
        self.repos[new] = repo
        self.renamed[old] = new

    def sign(self, key: str, found: Content) -> str:
        name = found.sha256
        self.signed[name] = (key, found)
        expires = int(time.time() + self.signed_for_s)
        return f"{self.cdn_url}/repos/{name}?Expires={expires}&Signature={hub_files.signature(name, expires)}"

    def put_into_xet(self, repo_id: str, path: str) -> str:
        """From now on the file has a Xet hash (made up), by which it can be fetched. Returns it."""
        repo = self.repos[repo_id]
        found = repo.head.files[path]
        name = found.sha256[::-1]
        repo.xet[path] = name
        self.xet[name] = found
        return name

    # ---- answers ---------------------------------------------------------------------------------------------------

    def answer(self, handler: Handler) -> None:
        path = handler.request_line.path
        if path.startswith("/_control/"):
            self._control(handler, path)
            return
        fault = self.faults.take(path, handler.command, handler.origin) if path.startswith("/api") else None
        if fault is not None and self._api_fault(handler, fault):
            return
        if handler.origin == "cdn":
            if (named := hub_files.SIGNED.fullmatch(path)) is not None:
                hub_files.signed(self, handler, named[1])
                return
        elif place := hub_files.RESOLVE.fullmatch(path) or hub_files.CACHED.fullmatch(path):
            hub_files.resolve(self, handler, place[1], place[2], place[3])
            return
        elif hub_api.answer(self, handler) or hub_xet.answer(self, handler):
            return
        handler.refuse(404, "", f"no route {path}")

    def _api_fault(self, handler: Handler, fault: Fault) -> bool:
        """A fault of an API request: slow, silent or a status."""
        self.ending.wait(fault.delay_s)
        if fault.stall_after is not None:
            self.ending.wait(fault.stall_s)
            handler.close_connection = True
            return True
        if fault.status:
            handler.refuse(fault.status, fault.error_code, f"injected {fault.status}", fault.headers)
        return bool(fault.status)

    def find(self, handler: Handler, repo_id: str) -> Repo | None:
        """The repository, or None after a redirect to its present name or a refusal was sent."""
        repo = self.repos.get(repo_id)
        if repo is not None and self.allowed(repo, handler.token, files=False):
            return repo
        folded = {name.lower(): name for name in self.repos}
        present = self.renamed.get(repo_id) or folded.get(repo_id.lower())
        if repo is None and present is not None:
            handler.redirect(self.rename_status, handler.path.replace(repo_id, present, 1))
        else:
            handler.refuse(404 if handler.token else 401, "RepoNotFound", "Repository not found")
        return None

    def allowed(self, repo: Repo, token: str, *, files: bool) -> bool:
        """Whether this token may see the repository, or its files. A gated one shows its tree to anybody."""
        closed = repo.private or (files and bool(repo.gated))
        return not closed or (bool(token) and token == repo.token)

    def _control(self, handler: Handler, path: str) -> None:
        if path == "/_control/faults":
            for key, faults in json.loads(handler.body).items():
                self.faults.set(key, *(Fault.of(values) for values in faults))
        elif path == "/_control/clear":
            self.faults.clear()
            self.log.clear()
        handler.json([dataclasses.asdict(request) for request in self.log.all()])


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # `server_close` waits for them
    request_queue_size = 256

    def __init__(self, hub: FakeHub, origin: str, port: int, tls: bool) -> None:
        handler = type("HubHandler", (Handler,), {"hub": hub, "origin": origin})
        super().__init__(("127.0.0.1", port), handler)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name=f"fake-{origin}")
        self._context: ssl.SSLContext | None = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(TLS / "server.pem")
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        if self._thread.ident is not None:
            self.shutdown()
            self._thread.join()
        with self._lock:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # it ended by itself
        self.server_close()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        if self._context is not None:
            # The handshake happens on the connection's own thread, at its first read.
            connection = self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        with self._lock:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that is killed in the middle, or does not trust us, is what some tests are about."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-cdn", action="store_true", help="serve every file from the Hub's own origin")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--folder", action="append", default=[], metavar="ID=PATH", help="serve a folder as a model")
    parser.add_argument("--made-up", action="append", default=[], metavar="ID=BYTES[xFILES]", help="made-up weights")
    parser.add_argument("--rate", type=float, default=0.0, help="bytes/s of every file")
    options = parser.parse_args()
    hub = FakeHub(port=options.port, cdn=not options.no_cdn, tls=options.tls)
    hub.rate = options.rate
    for name, _, path in (text.partition("=") for text in options.folder):
        hub.add(name, folder_files(Path(path)))
    for name, _, sizes in (text.partition("=") for text in options.made_up):
        size, _, count = sizes.partition("x")
        hub.add(name, made_up_model(int(size), int(count or 1)))
    hub.start()
    print(f"HUB {hub.url} CDN {hub.cdn_url}", flush=True)
    sys.stdin.read()
    hub.close()


def made_up_model(size: int, count: int = 1, seed: int = 0) -> dict[str, Content | bytes | str | Path]:
    """A config and `count` weight files of `size` bytes in all, with an index when there are several."""
    files: dict[str, Content | bytes | str | Path] = {
        "config.json": json.dumps({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}),
        "tokenizer.json": "{}",
        "README.md": "# made up\n",
    }
    if count == 1:
        return files | {"model.safetensors": MadeUp(size, seed)}
    names = [f"model-{number:05d}-of-{count:05d}.safetensors" for number in range(1, count + 1)]
    shards = {name: MadeUp(size // count, seed + number) for number, name in enumerate(names)}
    index = {"metadata": {"total_size": size}, "weight_map": {f"layer.{i}": name for i, name in enumerate(names)}}
    return files | shards | {"model.safetensors.index.json": json.dumps(index)}


if __name__ == "__main__":
    main()
