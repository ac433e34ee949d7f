"""The computer beside the services: who is ours while a server runs, what it set aside, and nothing for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.computer import Computer, ComputerOptions
from core.engine.environments import Environments
from core.engine.supervisor import Supervisor
from core.events import EngineInfo, EnginesChanged, EngineState, MachineChanged, ModelInfo, ModelsChanged
from core.machine.budget import Part
from core.machine.monitor import Pace
from core.machine.reader import Sources
from core.machine.reading import Known
from core.settings import SettingsStore
from tests.support.serving import Serving, until

QUICK = Pace(visible_s=0.05, hidden_s=0.05)


class Watched:
    def __init__(self, serving: Serving, pace: Pace = QUICK) -> None:
        self._serving = serving
        self.supervisor: Supervisor = serving.supervisor()
        settings = SettingsStore(serving.paths.settings_file)
        engines = Environments(serving.paths, settings, serving.bus)
        options = ComputerOptions(Sources.of_user(serving.paths), pace, metrics_s=0.05)
        self.computer = Computer(serving.paths, serving.bus, self.supervisor, engines, options)
        self.computer.open()

    @property
    def samples(self) -> list[MachineChanged]:
        return [event for event in self._serving.heard if isinstance(event, MachineChanged)]

    def last(self, part: Part) -> int:
        return self.samples[-1].ledger.ram.bytes_of(part) if self.samples else 0

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        await until(condition, what)

    async def close(self) -> None:
        await self.supervisor.close()
        await self.computer.close()


def test_a_servers_processes_are_ours_from_its_start_to_its_end(serving: Serving) -> None:
    async def work() -> None:
        watched = Watched(serving)
        watched.computer.show(True)
        await watched.until(lambda: len(watched.samples) > 2, "samples")
        assert watched.last(Part.OURS) == 0
        starting = asyncio.create_task(watched.supervisor.start(serving.request("--step", "0.3")))
        await watched.until(lambda: watched.last(Part.OURS) > 0, "ours while it starts")
        assert not starting.done()
        await starting
        rows = [row for row in watched.samples[-1].ledger.ram.rows if row.ours]
        assert {row.pid for row in rows} >= watched.supervisor.roots
        await watched.supervisor.stop()
        await watched.until(lambda: watched.last(Part.OURS) == 0, "nothing of ours any more")
        await watched.close()

    asyncio.run(work())


def test_what_the_kv_cache_does_not_use_is_told_apart(serving: Serving) -> None:
    """The fake says that it set 1 GiB aside, far more than it has: all of it counts as unused in proportion."""

    async def work() -> None:
        watched = Watched(serving)
        watched.computer.show(True)
        await watched.supervisor.start(serving.request("--kv-usage", "0.25"))
        await watched.until(lambda: watched.last(Part.KV_FREE) > 0, "the unused part")
        await watched.supervisor.stop()
        await watched.supervisor.start(serving.request("--kv-usage", "1.0"))
        await watched.until(lambda: watched.last(Part.OURS) > 0 and watched.last(Part.KV_FREE) == 0, "all in use")
        await watched.supervisor.stop()
        await watched.supervisor.start(serving.request())
        count = len(watched.samples)
        await watched.until(lambda: len(watched.samples) > count + 10, "samples of a server without metrics")
        assert watched.last(Part.KV_FREE) == 0
        assert watched.last(Part.OURS) > 0
        await watched.close()

    asyncio.run(work())


def test_a_server_is_asked_only_while_somebody_looks_and_its_log_stays_readable(serving: Serving) -> None:
    async def work() -> None:
        watched = Watched(serving)
        await watched.supervisor.start(serving.request("--kv-usage", "0.25"))
        await watched.until(lambda: len(watched.samples) > 5, "slow samples while a server runs")
        assert watched.last(Part.KV_FREE) == 0
        watched.computer.show(True)
        await watched.until(lambda: watched.last(Part.KV_FREE) > 0, "the server is asked")
        await watched.close()
        assert "KV cache size" in serving.logged
        assert "/metrics" not in serving.logged

    asyncio.run(work())


def test_a_sample_on_request_and_no_sample_for_nobody(serving: Serving) -> None:
    async def work() -> None:
        watched = Watched(serving)
        sample = await watched.computer.now()
        assert isinstance(sample.machine.ram.total_bytes, Known)
        await asyncio.sleep(0.3)
        assert len(watched.samples) == 1
        assert await watched.computer.remembered_probe() is None
        await watched.close()

    asyncio.run(work())


def test_engines_and_models_are_ours_on_their_disk(serving: Serving, tmp_path: Path) -> None:
    async def work() -> None:
        watched = Watched(serving)
        watched.computer.show(True)
        model = ModelInfo("m", "m", str(tmp_path), 5 << 20)
        gone = ModelInfo("g", "g", str(tmp_path / "gone"), 7 << 20)
        serving.bus.emit(ModelsChanged((model, gone)))
        ours = EngineInfo("cpu", EngineState.READY, "1", "cpu", str(tmp_path), "3.11", ours=True, size_bytes=3 << 20)
        serving.bus.emit(EnginesChanged((ours, replace(ours, id="own", ours=False, size_bytes=9 << 20)), None))

        def counted() -> int:
            return sum(disk.bytes_of(Part.OURS) for disk in watched.samples[-1].ledger.disks) if watched.samples else 0

        await watched.until(lambda: counted() == 8 << 20, "engine and model, not the user's own and not what is gone")
        serving.bus.emit(ModelsChanged(()))
        await watched.until(lambda: counted() == 3 << 20, "the engine alone")
        await watched.close()

    asyncio.run(work())
