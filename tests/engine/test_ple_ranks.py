"""A per-layer table on disk under tensor parallelism, and what is left of it when the server is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest

from core.engine.endpoint import Endpoint
from core.engine.options import LaunchOptions, LaunchRequest, Place, Traits
from core.engine.ple_plugin import plugin_folder
from core.engine.ple_proof import prove, read_counters
from core.engine.process_tree import descendants
from core.events import EngineInfo, ServerState
from tests.support.ple_runs import complete
from tests.support.real_server import supervised
from tests.support.serving import wait_for

PROMPT = list(range(1000, 3000, 100))


def answer(endpoint: Endpoint) -> str:
    return complete(endpoint, PROMPT, 24)


def holds(pid: int, model: Path) -> bool:
    """Whether this process has the file with the table open."""
    return any(Path(file.path).is_relative_to(model) for file in psutil.Process(pid).open_files())


def asked(engine: EngineInfo, model: Path, cache: Path, place: Place) -> LaunchRequest:
    return LaunchRequest(
        "m",
        str(model),
        engine,
        max_model_len=512,
        options=LaunchOptions(ple=place, tensor_parallel=2, cpu_threads="nobind"),
        traits=Traits(tables="per_layer"),
        plugins=str(plugin_folder(cache)),
    )


@pytest.mark.timeout(300)
def test_two_ranks_answer_as_without_and_a_kill_leaves_nothing(
    real_engine: EngineInfo, gemma4_path: Path, tmp_path: Path
) -> None:
    with supervised(tmp_path / "stock", asked(real_engine, gemma4_path, tmp_path, "auto")) as (_supervisor, endpoint):
        expected = answer(endpoint)
    shared = set(os.listdir("/dev/shm"))
    with supervised(tmp_path / "disk", asked(real_engine, gemma4_path, tmp_path, "disk")) as (supervisor, endpoint):
        assert answer(endpoint) == expected
        assert supervisor.folder is not None
        folder = supervisor.folder
        assert wait_for(lambda: read_counters(folder).rows >= 2 * len(PROMPT), 10), "each rank looks its rows up"
        assert prove("disk", supervisor.log_tail(), read_counters(folder)).proven
        roots = supervisor.roots
        pids = {process.pid for root in roots for process in descendants(root)}
        ranks = [pid for pid in pids if holds(pid, gemma4_path)]
        assert len(ranks) == 2
        for pid in ranks:
            os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: supervisor.status.state is ServerState.FAILED, 30)
        assert wait_for(lambda: not any(map(psutil.pid_exists, pids)), 30)
    left = set(os.listdir("/dev/shm")) - shared
    for name in left:
        Path("/dev/shm", name).unlink(missing_ok=True)
    # vLLM 0.32's own between the ranks of a CPU build: nobody unlinks those of ranks that were killed.
    assert [name for name in left if not name.startswith("vllm_dist_")] == []
