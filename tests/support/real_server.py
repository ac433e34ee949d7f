"""A real server for a whole test module, run by the product's supervisor in a thread of its own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from core.engine.command import LaunchRequest
from core.engine.endpoint import Endpoint
from core.engine.process_tree import Process, descendants, read_process
from core.engine.supervisor import Supervisor
from core.events import EngineInfo, EventBus
from core.paths import Paths
from core.runtime import Runtime

START_DEADLINE_S = 200.0


@contextmanager
def real_server(
    root: Path, engine: EngineInfo, model_path: Path | str, max_model_len: int, model_id: str = "starter"
) -> Generator[Endpoint]:
    """A ready server; it is stopped, and nothing of it left, when this ends."""
    request = LaunchRequest(model_id, str(model_path), engine, max_model_len=max_model_len)
    with supervised(root, request) as (_supervisor, endpoint):
        yield endpoint


@contextmanager
def supervised(root: Path, request: LaunchRequest) -> Generator[tuple[Supervisor, Endpoint]]:
    """The same with the supervisor, whose status and log may be read from any thread."""
    user = Paths.of_user()
    paths = replace(user, config=root / "config", data=root / "data", cache=root / "cache", state=root / "state")
    paths.ensure()
    supervisor = Supervisor(paths, EventBus())
    runtime = Runtime()
    runtime.start()
    try:
        yield supervisor, runtime.submit(supervisor.start(request)).result(START_DEADLINE_S)
    finally:
        runtime.submit(supervisor.close()).result(60)
        assert runtime.stop()


def tree_of(supervisor: Supervisor) -> list[Process]:
    """The server's processes, without the guardian."""
    return list({process.pid: process for root in supervisor.roots for process in descendants(root)}.values())


def alive(tree: list[Process]) -> list[str]:
    """Those of `tree` that still are the processes they were."""
    return [p.name for p in tree if (now := read_process(p.pid)) is not None and now.started == p.started]
