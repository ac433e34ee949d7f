"""What a launch depends on besides memory, looked at quickly: no import of vLLM, no child process, no network."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from core.engine.command import HOST
from core.engine.ledger import Ledger
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo
from core.paths import Paths

_TEMPLATE_FILES: Final = ("chat_template.jinja", "chat_template.json")


@dataclass(frozen=True, slots=True)
class PortHolder:
    """Who listens where we were to: pid 0 and "" when the system does not say."""

    pid: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class OtherServer:
    """A server of another Stowage that lives."""

    model: str
    port: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """None where it could not be found out. `compiler`: the C++ compiler that torch.compile and Triton would call, ""
    for none. `headers`: whether Python.h of the engine's Python is there. `files`: what is wrong with the model's
    folder. `open_files`: the soft and the hard limit."""

    port_holder: PortHolder | None = None
    state_free_bytes: int | None = None
    cache_free_bytes: int | None = None
    open_files: tuple[int, int] | None = None
    compiler: str | None = None
    headers: bool | None = None
    template: bool | None = None
    files: ErrorInfo | None = None
    others: tuple[OtherServer, ...] = ()


def look(
    paths: Paths,
    engine: EngineInfo,
    model_path: str,
    port: int | None,
    environ: Mapping[str, str] | None = None,
) -> Surroundings:
    """Blocking, some ten milliseconds. Raises nothing: what cannot be found out is None."""
    env = os.environ if environ is None else environ
    return Surroundings(
        port_holder=port_holder(port) if port is not None else None,
        state_free_bytes=_free(paths.state),
        cache_free_bytes=_free(_vllm_cache(env)),
        open_files=_open_files(),
        compiler=compiler(engine, env),
        headers=has_headers(engine),
        template=has_template(Path(model_path)),
        files=_files(Path(model_path)),
        others=others(paths),
    )


def _vllm_cache(env: Mapping[str, str]) -> Path:
    """Where vLLM keeps what it compiles (`envs.py`, 0.33)."""
    base = env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or "~").expanduser() / ".cache"
    return Path(env.get("VLLM_CACHE_ROOT") or Path(base) / "vllm")


def port_holder(port: int) -> PortHolder | None:
    """None when the port is free for us."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As vLLM binds: a port in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return _listener(port)
    return None


def _listener(port: int) -> PortHolder:
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port:
                if connection.pid is None:
                    break
                return PortHolder(connection.pid, psutil.Process(connection.pid).name())
    except (psutil.Error, OSError):
        pass
    return PortHolder()


def _free(folder: Path) -> int | None:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _open_files() -> tuple[int, int] | None:
    try:
        import resource
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = (1 << 31) - 1
    return (most if soft < 0 else soft), (most if hard < 0 else hard)


def compiler(engine: EngineInfo, env: Mapping[str, str]) -> str:
    """torch.compile on a CPU calls $CXX or g++ (torch 2.13 `_inductor/cpp_builder.py`), Triton $CC, gcc or clang; the
    search path is that of a launch: the engine's own folder first."""
    cpu = engine.platform == "cpu"
    own, names = ("CXX", ("g++", "clang++")) if cpu else ("CC", ("gcc", "clang"))
    path = os.pathsep.join((str(Path(engine.python).parent), env.get("PATH", os.defpath)))
    if chosen := env.get(own):
        words = shlex.split(chosen)
        names = (words[0],) if words else names
    return next((found for name in names if (found := shutil.which(name, path=path))), "")


def has_headers(engine: EngineInfo) -> bool | None:
    """Whether Python.h lies where the engine's Python has its headers; None when that place cannot be told without
    running it."""
    version = ".".join(engine.python_version.split(".")[:2])
    home = _home(Path(engine.python))
    if not version or home is None:
        return None
    folder = f"include/python{version}"
    bases = [home.parent] if home.name in ("bin", "Scripts") else [home]
    return any((base / folder / "Python.h").is_file() for base in bases)


def _home(python: Path) -> Path | None:
    """The folder of the interpreter that a virtual environment was made from (PEP 405)."""
    try:
        lines = (python.parent.parent / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip() == "home" and value.strip():
            return Path(value.strip())
    return None


def has_template(model: Path) -> bool | None:
    """Whether the model brings a chat template: in a file of its own or in the tokenizer's config."""
    if any((model / name).is_file() for name in _TEMPLATE_FILES):
        return True
    try:
        text = (model / "tokenizer_config.json").read_text("utf-8")
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError):
        return None
    return '"chat_template"' in text


def _files(model: Path) -> ErrorInfo | None:
    from core.checkpoint.folder import inspect_folder

    try:
        inspect_folder(model)
    except AppError as error:
        return ErrorInfo.of(error)
    return None


def others(paths: Paths) -> tuple[OtherServer, ...]:
    """Servers whose guardian lives. Ours would make the launch `server.busy` before it comes here."""
    return tuple(
        OtherServer(entry.model, entry.port) for entry in Ledger(paths.launches).entries() if entry.guardian_alive
    )
