"""Everything a launch needs before its first line: a port, a key, a folder, a guardian, a ledger entry."""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from core.engine.cancellation import uninterrupted
from core.engine.command import HOST, KEY_ENV, LAUNCH_ENV, LaunchRequest, build_command
from core.engine.guardian_link import GuardianLink
from core.engine.guardian_wire import Spec
from core.engine.ledger import Entry, Ledger, started
from core.engine.ple_plugin import PLACEMENT_ENV, STATS_ENV
from core.engine.process_tree import boot_id
from core.engine.server_process import OnLines, ServerProcess
from core.errors import AppError
from core.paths import Paths

# Our own polls say HTTP/1.0, which no other client of today does; vLLM logs one line for each.
QUIET: Final = ('"GET /health HTTP/1.0" 200', '"GET /metrics HTTP/1.0" 200')
KEPT_LOGS: Final = 10
_SECRET_NAMES: Final = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL", re.IGNORECASE)


def free_port() -> int:
    """A port on 127.0.0.1 that is free now. Another program may take it before vLLM binds it."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def new_launch_id() -> str:
    return secrets.token_hex(8)


async def spawn_server(
    paths: Paths, ledger: Ledger, request: LaunchRequest, launch_id: str, port: int, on_lines: OnLines
) -> ServerProcess:
    """Start a guardian and the server below it, and write both into the ledger.

    Raises:
        AppError: `server.spawn_failed`, `app.data_not_writable`, `app.platform_unsupported`.
    """
    if sys.platform != "linux":  # subreapers, PDEATHSIG and /proc: what the promises about processes stand on
        raise AppError("app.platform_unsupported", platform=sys.platform)
    api_key = request.api_key or secrets.token_urlsafe(32)
    command = build_command(request, port, api_key)
    folder = paths.launches / launch_id
    sockets = _make_folders(paths, folder)
    spec = Spec(
        launch_id=launch_id,
        argv=command.argv,
        env=_of_launch(command.env, launch_id, folder),
        folder=str(folder),
        log_path=str(paths.logs / f"server-{launch_id}.log"),
        socket_path=str(sockets / f"{launch_id}.sock"),
        ledger_path=str(ledger.path(launch_id)),
        secrets=_secrets(command.env),
        card=card(request.model_id, request.engine.id, port, api_key),
        quiet=QUIET,
    )
    try:
        await asyncio.to_thread(_prune_logs, paths.logs)
        link = await GuardianLink.spawn(spec)
        try:
            entry = _entry(spec, link, request, port)
            await uninterrupted(asyncio.to_thread(ledger.write, entry))
        except BaseException:
            await link.close()
            raise
    except BaseException as error:
        ledger.remove(launch_id)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise AppError("app.data_not_writable", str(error), path=str(paths.launches), reason=str(error)) from error
        raise
    return ServerProcess(link, entry, api_key, on_lines)


def _of_launch(env: Mapping[str, str], launch_id: str, folder: Path) -> dict[str, str]:
    """With what only this launch has: its mark, and where the plugin for per-layer tables writes its counters."""
    counters = {STATS_ENV: str(folder)} if PLACEMENT_ENV in env else {}
    return {**env, LAUNCH_ENV: launch_id, **counters}


def _entry(spec: Spec, link: GuardianLink, request: LaunchRequest, port: int) -> Entry:
    return Entry(
        launch_id=spec.launch_id,
        guardian_pid=link.guardian_pid,
        guardian_started=started(link.guardian_pid),
        boot=boot_id(),
        server_pid=link.server_pid,
        socket=spec.socket_path,
        folder=spec.folder,
        model=request.model_id,
        engine=request.engine.id,
        port=port,
    )


def card(model: str, engine: str, port: int, api_key: str, **more: Any) -> dict[str, Any]:
    """What a guardian tells its next owner. Lives in its memory only."""
    return {"model": model, "engine": engine, "port": port, "api_key": api_key, **more}


def _make_folders(paths: Paths, folder: Path) -> Path:
    """The launch's own folder, and the folder of sockets, both private. Returns the latter."""
    sockets = paths.sockets
    try:
        paths.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sockets.mkdir(mode=0o700, parents=True, exist_ok=True)
        sockets.chmod(0o700)  # fails when somebody else made it: then it is not safe either
    except OSError as error:
        raise AppError("app.data_not_writable", str(error), path=error.filename, reason=error.strerror) from error
    return sockets


def _prune_logs(folder: Path) -> None:
    """Keep the logs of the newest launches."""
    logs = sorted(folder.glob("server-*.log"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in logs[KEPT_LOGS - 1 :]:
        for path in folder.glob(f"{old.name}*"):
            path.unlink(missing_ok=True)


def _secrets(env: Mapping[str, str]) -> tuple[str, ...]:
    """Values that may not appear in a log: the key of this launch, and what the user's environment calls a secret."""
    found = {value for name, value in env.items() if _SECRET_NAMES.search(name) and len(value) >= 8}
    return (env[KEY_ENV], *sorted(found - {env[KEY_ENV]}))
