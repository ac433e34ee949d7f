"""Proof and diagnosis with the real engine. Few starts, each made to tell as much as it can; the failures that a button
puts right are tried through the window (`tests/gui/test_launch_real.py`)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from core.care import NO_TEMPLATE, Care
from core.chat.client import Params
from core.chat.service import ChatService
from core.computer import Computer, ComputerOptions
from core.engine.command import LaunchRequest
from core.engine.environments import Environments
from core.engine.finding import Verdict
from core.engine.launch_events import ProofChanged
from core.engine.options import LaunchOptions
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import ChatDone, EngineInfo, Event, EventBus, Notice
from core.jobs import Jobs
from core.machine.monitor import Pace
from core.machine.reader import Sources
from core.paths import Paths
from core.settings import SettingsStore
from tests.support.serving import until

pytestmark = [pytest.mark.timeout(280), pytest.mark.patient]


class Real:
    def __init__(self, paths: Paths) -> None:
        paths.ensure()
        self.heard: list[Event] = []
        self.bus = EventBus()
        self.bus.subscribe(self.heard.append)
        self.supervisor = Supervisor(paths, self.bus)
        settings = SettingsStore(paths.settings_file)
        engines = Environments(paths, settings, self.bus)
        options = ComputerOptions(Sources.of_user(paths), Pace(visible_s=5.0, hidden_s=5.0))
        self.computer = Computer(paths, self.bus, self.supervisor, engines, options)
        self.jobs = Jobs()
        self.care = Care(self.bus, self.supervisor, self.computer, settings, self.jobs)
        self.chat = ChatService(self.bus, lambda: self.supervisor.endpoint)

    def heard_of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.heard if isinstance(event, kind)]


@asynccontextmanager
async def real(paths: Paths) -> AsyncIterator[Real]:
    it = Real(paths)
    try:
        yield it
    finally:
        await it.jobs.close()
        await it.chat.close()
        await it.supervisor.close()
        await it.care.close()
        await it.computer.close()


def without_chat_template(model: Path, folder: Path) -> Path:
    """The same checkpoint as a base model has it."""
    folder.mkdir()
    for file in model.iterdir():
        if file.name == "tokenizer_config.json":
            config = json.loads(file.read_text("utf-8"))
            config.pop("chat_template", None)
            (folder / file.name).write_text(json.dumps(config), "utf-8")
        elif not file.name.startswith("chat_template"):
            (folder / file.name).symlink_to(file)
    return folder


def test_each_option_is_judged_by_its_effect_and_a_missing_template_is_named(
    home: Paths, real_engine: EngineInfo, starter_path: Path, tmp_path: Path
) -> None:
    """Weight offload is accepted on a CPU and does nothing; the others show that they work. The model has no chat
    template, which shows at the first message."""
    model = without_chat_template(starter_path, tmp_path / "base")
    extra = ("--cpu-offload-gb", "0.1", "--enable-prefix-caching")
    options = LaunchOptions(dtype="bfloat16", served_name="me")
    request = LaunchRequest("base", str(model), real_engine, max_model_len=1024, options=options, extra_args=extra)

    async def work() -> None:
        async with real(home) as it:
            await it.supervisor.start(request)
            done = lambda: any(isinstance(e, ProofChanged) and e.complete for e in it.heard)  # noqa: E731
            await until(done, "a complete proof", 60.0)
            found = {finding.option: finding for finding in it.care.findings}
            offload = found.pop("weight_offload")
            assert (offload.verdict, offload.reason) == (Verdict.NO_EFFECT, "cpu_build")
            assert {option: finding.verdict for option, finding in found.items()} == dict.fromkeys(
                ("prefix_caching", "served_name", "context", "eager", "dtype"), Verdict.TOOK_EFFECT
            )
            assert any("prefix_cache_hits_total +" in line for line in found["prefix_caching"].evidence)
            assert it.care.facts.kv_tokens
            assert (it.care.facts.ram_bytes or 0) > 1 << 30

            it.chat.start_answer("a", [{"role": "user", "content": "Hello"}], Params(max_tokens=4))
            await until(lambda: bool(it.heard_of(ChatDone)), "an answer, or none", 60.0)
            codes = [event.error.code for event in it.heard if isinstance(event, Notice)]
            assert codes == [NO_TEMPLATE]
            assert it.care.fixes[0].kind == "plain_template"

    asyncio.run(work())


def test_weights_that_are_gone_are_named(
    home: Paths, real_engine: EngineInfo, starter_path: Path, tmp_path: Path
) -> None:
    broken = without_chat_template(starter_path, tmp_path / "broken")
    for file in broken.glob("*.safetensors"):
        file.unlink()

    async def work() -> None:
        async with real(home) as it:
            with pytest.raises(AppError) as caught:
                await it.supervisor.start(LaunchRequest("starter", str(broken), real_engine, 1024))
            assert caught.value.code in ("engine.fail.weights_missing", "engine.fail.shard_missing")
            assert [(fix.kind, fix.action) for fix in it.care.fixes] == [("refetch", "refetch")]

    asyncio.run(work())
