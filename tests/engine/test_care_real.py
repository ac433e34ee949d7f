"""Proof, diagnosis and fixes with the real engine. Few starts, each made to tell as much as it can."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from core.care import NO_TEMPLATE, Care
from core.chat.client import Params
from core.chat.service import ChatService
from core.computer import Computer, ComputerOptions
from core.engine.command import LaunchRequest
from core.engine.endpoint import Endpoint
from core.engine.environments import Environments
from core.engine.finding import Verdict
from core.engine.launch_events import ProofChanged
from core.engine.process_tree import descendants, read_process
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import ChatDone, EngineInfo, Event, EventBus, Notice, ServerState
from core.jobs import Jobs
from core.machine.monitor import Pace
from core.machine.reader import Sources
from core.paths import Paths
from core.settings import SettingsStore
from tests.support.serving import until

pytestmark = pytest.mark.timeout(280)


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


async def answer_for_long(endpoint: Endpoint) -> None:
    body = {"model": endpoint.model, "prompt": "Once upon a time", "max_tokens": 900, "ignore_eos": True}
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    async with httpx2.AsyncClient(trust_env=False, timeout=120.0) as client:
        await client.post(f"{endpoint.base_url}/v1/completions", json=body, headers=headers)


def test_each_option_is_judged_by_its_effect_and_a_dead_engine_by_its_cause(
    home: Paths, real_engine: EngineInfo, starter_path: Path
) -> None:
    """Weight offload is accepted on a CPU and does nothing; the others show that they work. Then EngineCore is killed
    in the middle of an answer."""
    extra = ("--cpu-offload-gb", "0.1", "--enable-prefix-caching", "--dtype", "bfloat16")
    request = LaunchRequest("starter", str(starter_path), real_engine, max_model_len=1024, extra_args=extra)

    async def work() -> None:
        async with real(home) as it:
            endpoint = await it.supervisor.start(request)
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

            await it.care.show_vitals(True)
            answer = asyncio.create_task(answer_for_long(endpoint))
            await until(lambda: "running=1" in str(it.heard[-1]), "a request that runs", 30.0)
            tree = descendants(min(it.supervisor.roots))
            (core,) = [process for process in tree if process.name == "VLLM::EngineCor"]
            os.kill(core.pid, signal.SIGKILL)
            await until(lambda: it.supervisor.status.state is ServerState.FAILED, "failed", 20.0)
            error = it.supervisor.status.error
            assert error is not None
            assert error.code in ("engine.fail.engine_killed", "server.engine_died")
            assert [p.pid for p in tree if (now := read_process(p.pid)) and now.started == p.started] == []
            assert [fix.kind for fix in it.care.fixes if not fix.action] or error.code.startswith("engine.fail")
            await asyncio.gather(answer, return_exceptions=True)

    asyncio.run(work())


def test_an_option_that_makes_the_engine_exit_is_taken_back_and_a_missing_template_is_named(
    home: Paths, real_engine: EngineInfo, starter_path: Path, tmp_path: Path
) -> None:
    """KV offload ends a CPU engine: the cause is named and the button launches without it. The model has no chat
    template, which shows at the first message."""
    model = without_chat_template(starter_path, tmp_path / "base")
    extra = ("--kv-offloading-size", "1", "--kv-offloading-backend", "native")
    request = LaunchRequest("base", str(model), real_engine, max_model_len=1024, extra_args=extra)

    async def work() -> None:
        async with real(home) as it:
            with pytest.raises(AppError) as caught:
                await it.supervisor.start(request)
            assert caught.value.code == "engine.fail.kv_offload_unsupported"
            assert [fix.kind for fix in it.care.fixes] == ["no_kv_offload"]
            await it.care.relaunch("no_kv_offload")
            assert it.supervisor.status.state is ServerState.READY

            it.chat.start_answer("a", [{"role": "user", "content": "Hello"}], Params(max_tokens=4))
            await until(lambda: bool(it.heard_of(ChatDone)), "an answer, or none", 60.0)
            codes = [event.error.code for event in it.heard if isinstance(event, Notice)]
            assert codes == [NO_TEMPLATE]
            assert it.care.fixes[0].kind == "chat_template"

    asyncio.run(work())


def test_a_cache_that_is_too_small_and_weights_that_are_gone(
    home: Paths, real_engine: EngineInfo, starter_path: Path, tmp_path: Path
) -> None:
    """Both are diagnosed from the real process; the first fix is the engine's own estimate."""
    broken = without_chat_template(starter_path, tmp_path / "broken")
    for file in broken.glob("*.safetensors"):
        file.unlink()
    tight = LaunchRequest(
        "starter", str(starter_path), real_engine, 8192, extra_args=("--num-gpu-blocks-override", "10")
    )

    async def failure(it: Real, request: LaunchRequest) -> AppError:
        with pytest.raises(AppError) as caught:
            await it.supervisor.start(request)
        return caught.value

    async def work() -> None:
        async with real(home) as it:
            error = await failure(it, tight)
            assert error.code == "engine.fail.kv_too_small"
            assert error.facts["context"] == 8192
            fix = it.care.fixes[0]
            assert (fix.kind, fix.change.context) == ("context", error.facts["largest"])
            assert 0 < int(str(error.facts["largest"])) < 8192

            gone = await failure(it, replace(tight, model_path=str(broken), extra_args=()))
            assert gone.code in ("engine.fail.weights_missing", "engine.fail.shard_missing")
            assert [(fix.kind, fix.action) for fix in it.care.fixes] == [("refetch", "refetch")]

    asyncio.run(work())
