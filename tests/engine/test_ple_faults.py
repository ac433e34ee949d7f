"""A real server whose table lies on a disk that turns slow, is replaced, and in the end is cut under it."""

from __future__ import annotations

import os
import shutil
import time
import urllib.error
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.engine.endpoint import Endpoint
from core.engine.log_parser import root_cause
from core.engine.options import LaunchOptions, LaunchRequest, Traits
from core.engine.ple_plugin import plugin_folder
from core.engine.ple_proof import prove, read_counters, reason_against
from core.engine.process_tree import descendants
from core.engine.supervisor import Supervisor
from core.events import EngineInfo, ServerState
from tests.support.failing_disk import FailingDisk
from tests.support.ple_runs import ROW_BYTES, complete, make_checkpoint
from tests.support.real_server import supervised
from tests.support.serving import wait_for
from tests.support.throttle import NoThrottle, forget, slow_reads

pytestmark = pytest.mark.timeout(300)

# Enough rows that a slow disk shows, and that no id of the answer is likely among them.
PROMPT = list(range(1000, 49000, 300))
RATE = 1 << 20


@dataclass
class Server:
    supervisor: Supervisor
    endpoint: Endpoint
    file: Path
    stats: Path

    def answer(self) -> str:
        """Greedy, for the one prompt of these tests."""
        return complete(self.endpoint, PROMPT, 6)


def asked(engine: EngineInfo, model: Path, root: Path, *, cache_mib: int) -> LaunchRequest:
    return LaunchRequest(
        "m",
        str(model),
        engine,
        max_model_len=512,
        extra_args=("--no-enable-prefix-caching",),
        options=LaunchOptions(ple="disk", env=(("STOWAGE_PLE_CACHE_MIB", str(cache_mib)),)),
        traits=Traits(tables="per_layer"),
        plugins=str(plugin_folder(root / "cache")),
    )


def ended(supervisor: Supervisor, roots: Iterable[int], file: Path, reason: str) -> bool:
    """The request's error ended the server: the app says why in the plugin's words, and no process is left."""
    assert wait_for(lambda: supervisor.status.state is ServerState.FAILED, 30)
    error = supervisor.status.error
    assert error is not None
    assert (error.code, error.facts) == ("engine.fail.table_unread", {"path": str(file)})
    assert reason_against(supervisor.log_tail()).endswith(reason)
    # The first exception of the log is ours, whole: what a person finds who reads it.
    assert root_cause(supervisor.log_tail()).startswith("stowage_ple.file_rows.TableReadError: ")
    assert root_cause(supervisor.log_tail()).endswith(reason)
    return wait_for(lambda: not [process for root in roots for process in descendants(root)], 20)


@pytest.fixture(scope="module")
def server(real_engine: EngineInfo, starter_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("faults")
    model = make_checkpoint(real_engine, starter_path, root, "gemma4-ple")
    # Without a row cache and prefix caching every request reads all of its rows.
    with supervised(root, asked(real_engine, model, root, cache_mib=0)) as (supervisor, endpoint):
        assert supervisor.folder is not None
        yield Server(supervisor, endpoint, model / "model.safetensors", supervisor.folder)
    shutil.rmtree(root, ignore_errors=True)  # gigabytes


@pytest.fixture(scope="module")
def expected(server: Server) -> str:
    return server.answer()


def test_log_and_counters_prove_the_placement(server: Server, expected: str) -> None:
    before = read_counters(server.stats)
    assert server.answer() == expected
    assert wait_for(lambda: read_counters(server.stats).rows >= before.rows + len(PROMPT), 10)
    counted = read_counters(server.stats).since(before)
    assert counted.read_bytes >= len(PROMPT) * ROW_BYTES
    proof = prove("disk", server.supervisor.log_tail(), counted)
    assert (proof.found, proof.proven, proof.reason) == ("disk", True, "")


def test_a_slow_disk_is_waited_for(server: Server, expected: str) -> None:
    pids = [process.pid for root in server.supervisor.roots for process in descendants(root)]
    forget(server.file)
    began = time.monotonic()
    try:
        with slow_reads(server.file, pids, RATE):
            assert server.answer() == expected
    except NoThrottle as error:
        pytest.skip(f"no disk can be made slow here: {error}")
    assert time.monotonic() - began > len(PROMPT) * ROW_BYTES / RATE * 0.7


def test_a_replaced_file_changes_nothing(server: Server, expected: str) -> None:
    """A new download is renamed over the old file; the server goes on with the one that it opened."""
    os.link(server.file, server.file.with_suffix(".kept"))
    other = server.file.with_suffix(".new")
    with other.open("wb") as file:
        file.truncate(server.file.stat().st_size)
    other.replace(server.file)
    forget(server.file.with_suffix(".kept"))
    assert server.answer() == expected


def test_a_file_that_is_cut_fails_the_request_and_says_why(server: Server, expected: str) -> None:
    """Last: vLLM ends its engine on any error of a step, and the guardian leaves nothing of it."""
    del expected
    kept = server.file.with_suffix(".kept")
    roots = server.supervisor.roots
    os.truncate(kept, kept.stat().st_size // 2)
    with pytest.raises(urllib.error.HTTPError) as caught:
        server.answer()
    with caught.value as reply:
        assert reply.code == 500
    assert ended(server.supervisor, roots, server.file, "changed while the model was running: restart the server")


def test_a_disk_that_cannot_be_read_any_more(
    real_engine: EngineInfo, gemma4_path: Path, tmp_path: Path, disk: FailingDisk
) -> None:
    """Read errors of the kernel. Rows in the cache go on to be right; the first that is not there ends the server."""
    model = Path(shutil.copytree(gemma4_path, disk.folder / "m"))
    file = model / "model.safetensors"
    request = asked(real_engine, model, tmp_path, cache_mib=64)
    with supervised(tmp_path / "user", request) as (supervisor, endpoint):
        expected = complete(endpoint, PROMPT, 6)
        disk.fail(file)
        assert complete(endpoint, PROMPT, 6) == expected
        roots = supervisor.roots
        with pytest.raises(urllib.error.HTTPError) as caught:
            complete(endpoint, [token + 1 for token in PROMPT], 6)
        with caught.value as reply:
            assert reply.code == 500
        assert ended(supervisor, roots, file, "Input/output error")
