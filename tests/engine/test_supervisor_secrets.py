"""No secret in what others can read: command lines, log view, log files, ledger, errors, reprs."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from core.engine.command import build_command
from core.engine.process_tree import descendants
from core.errors import AppError
from core.events import ServerStatus
from core.redact import MASK
from tests.support.serving import Owner, Serving

TOKEN = "hf_" + "Secret0123456789abcdef"
OWN = "my-very-own-password"
NAMES = ("VLLM_API_KEY", "HF_TOKEN", "REGISTRY_PASSWORD")


def readable_by_others(serving: Serving) -> str:
    """Command lines of everything below us, and every file under the user's folders."""
    texts = [Path(f"/proc/{process.pid}/cmdline").read_bytes().decode() for process in descendants(own_pid())]
    texts += [path.read_text("utf-8") for path in serving.root.rglob("*") if path.is_file()]
    return "\n".join(texts)


def own_pid() -> int:
    return int(Path("/proc/self").readlink().name)


def test_no_secret_leaves_the_environment(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("REGISTRY_PASSWORD", OWN)
    caplog.set_level(logging.DEBUG)

    async def scenario() -> tuple[str, str]:
        supervisor = serving.supervisor()
        endpoint = await supervisor.start(serving.request("--say-secrets", *NAMES, "--fork", "2"))
        seen = readable_by_others(serving)
        await supervisor.stop()
        seen += readable_by_others(serving) + "\n".join(supervisor.log_tail())
        seen += repr((endpoint, vars(supervisor), serving.heard)) + caplog.text
        return endpoint.api_key, seen

    key, seen = asyncio.run(scenario())
    assert len(key) >= 32
    for name in NAMES:
        assert f"{name} is {MASK}, that is {MASK}." in seen
    assert [secret for secret in (key, TOKEN, OWN) if secret in seen] == []


def test_no_secret_in_an_error(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)

    async def scenario() -> str:
        supervisor = serving.supervisor()
        with pytest.raises(AppError) as caught:
            await supervisor.start(serving.request("--say-secrets", *NAMES[:2], "--die-in", "load"))
        status: ServerStatus = supervisor.status
        assert status.error is not None
        return f"{caught.value} {caught.value!r} {status!r} {status.error.last_words}"

    text = asyncio.run(scenario())
    assert f"HF_TOKEN is {MASK}" in text
    assert TOKEN not in text


def test_a_kept_server_has_its_key_in_memory_only(serving: Serving) -> None:
    owner = Owner(serving)
    owner.tell("start")
    owner.tell("keep")
    owner.leave()

    async def scenario() -> None:
        supervisor = serving.supervisor()
        assert await supervisor.reattach()
        assert supervisor.endpoint is not None
        assert supervisor.endpoint.api_key not in readable_by_others(serving)
        await supervisor.close()

    asyncio.run(scenario())


def test_every_launch_has_its_own_key(serving: Serving) -> None:
    async def scenario() -> set[str]:
        supervisor = serving.supervisor()
        keys: set[str] = set()
        for _ in range(2):
            keys.add((await supervisor.start(serving.request())).api_key)
            await supervisor.stop()
        return keys

    assert len(asyncio.run(scenario())) == 2


def test_the_key_is_in_the_environment_alone(serving: Serving) -> None:
    command = build_command(serving.request(), 8000, "the-key-of-this-launch", {})
    assert command.env["VLLM_API_KEY"] == "the-key-of-this-launch"
    assert "the-key-of-this-launch" not in " ".join(command.argv)
    assert "the-key-of-this-launch" not in repr(command)
