"""Looks before a launch under real conditions: a port that is taken, limits of a real process, a crafted engine."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import Preflighted, ServerStatus
from core.paths import Paths
from core.planning.choices import Choices
from core.preflight.finding import Consent, Finding, Severity
from core.services import Services
from tests.support import small_vllm
from tests.support.launching import Launching, make_launching
from tests.support.serving import Owner, Serving, fake_engine

ROOT = Path(__file__).parents[2]
CALM = Choices(context=512, enforce_eager=True)


@pytest.fixture
def launching(home: Paths, tmp_path: Path) -> Launching:
    return make_launching(home, tmp_path)


def findings(launching: Launching, choices: Choices = CALM, port: int | None = None) -> dict[str, Finding]:
    async def work(services: Services) -> dict[str, Finding]:
        model = await services.add_model_folder(str(launching.model))
        engine = await services.default_engine()
        found = await services.launches.preflight(model, engine, choices, port)
        assert found.took_s < 1.0
        return {finding.code: finding for finding in found.findings if finding.severity is not Severity.INFO}

    return launching.run(work)


def test_a_good_model_on_a_good_engine_has_nothing_against_it(launching: Launching) -> None:
    assert findings(launching) == {}


def test_a_port_that_somebody_listens_on_stops_the_launch_before_it_begins(launching: Launching) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        finding = findings(launching, port=port)["preflight.port_taken"]
        assert finding.info.facts["pid"] == os.getpid()

        async def work(services: Services) -> str:
            with pytest.raises(AppError) as caught:
                await services.launch(str(launching.model), choices=CALM, port=port, consent=Consent(everything=True))
            return caught.value.code

        assert launching.run(work) == "preflight.port_taken"
    assert not any(isinstance(event, ServerStatus) and event.launch_id for event in launching.heard)
    assert findings(launching, port=port) == {}, "free again"


def test_a_shard_that_is_missing_and_a_template_that_is_not_there(launching: Launching) -> None:
    (launching.model / "tokenizer_config.json").write_text("{}", "utf-8")
    assert set(findings(launching)) == {"preflight.no_template"}
    (launching.model / "chat_template.jinja").write_text("{{ messages }}", "utf-8")
    assert findings(launching) == {}

    async def work(services: Services) -> Finding:
        model = await services.add_model_folder(str(launching.model))
        os.truncate(launching.model / "model.safetensors", 1000)
        found = await services.launches.preflight(model, await services.default_engine(), CALM)
        return found.findings[0]

    broken = launching.run(work)
    assert (broken.code, broken.severity, broken.anyway) == ("model.broken_file", Severity.BLOCK, False)


def test_without_a_compiler_only_the_faster_start_is_possible(
    launching: Launching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = Choices(context=512, enforce_eager=False)
    if shutil.which("g++"):
        assert "preflight.no_compiler" not in findings(launching, compiled)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.delenv("CXX", raising=False)
    finding = findings(launching, compiled)["preflight.no_compiler"]
    assert finding.remedy is not None
    assert finding.remedy.choices == CALM
    assert findings(launching) == {}

    async def launch(services: Services) -> str:
        with pytest.raises(AppError) as caught:
            await services.launch(str(launching.model), choices=compiled)
        endpoint = await services.launch(str(launching.model), choices=compiled, consent=Consent(everything=True))
        assert endpoint.model == str(launching.model)
        return caught.value.code

    assert launching.run(launch) == "preflight.no_compiler"


def test_headers_are_looked_for_where_the_engine_s_python_comes_from(launching: Launching, tmp_path: Path) -> None:
    compiled = Choices(context=512, enforce_eager=False)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / "python" / "bin").mkdir(parents=True)
    (launching.engine.folder / "pyvenv.cfg").write_text(
        f"home = {tmp_path / 'python' / 'bin'}\nversion = {sys.version.split()[0]}\n", "utf-8"
    )
    (tmp_path / "bin").mkdir()
    python = launching.engine.folder / "bin" / "python"
    assert python.exists(), "the interpreter itself still runs: only its home is said to be elsewhere"
    finding = findings(launching, compiled)["preflight.no_headers"]
    assert finding.info.facts["python"] == version.removeprefix("python")
    headers = tmp_path / "python" / "include" / version
    headers.mkdir(parents=True)
    (headers / "Python.h").write_text("", "utf-8")
    assert "preflight.no_headers" not in findings(launching, compiled)


def test_the_engine_s_own_list_of_architectures(launching: Launching) -> None:
    (site,) = launching.engine.folder.glob("lib/python*/site-packages")
    small_vllm.package(site)
    registry = site / "vllm/model_executor/models/registry.py"
    registry.write_text('_TEXT_GENERATION_MODELS = {"LlamaForCausalLM": ("llama", "x")}\n', "utf-8")
    assert findings(launching) == {}
    registry.write_text('_TEXT_GENERATION_MODELS = {"OtherForCausalLM": ("other", "x")}\n', "utf-8")
    assert set(findings(launching)) == {"preflight.architecture_unknown"}
    registry.write_text(
        '_TEXT_GENERATION_MODELS = {"A": ("a", "x")}\n_PREVIOUSLY_SUPPORTED_MODELS = {"LlamaForCausalLM": "0.9"}\n',
        "utf-8",
    )
    assert findings(launching)["preflight.architecture_gone"].severity is Severity.BLOCK


def test_another_stowage_that_serves_is_named(home: Paths, launching: Launching, tmp_path: Path) -> None:
    other = Owner(Serving(home, tmp_path, fake_engine(tmp_path / "other")))
    try:
        other.tell("start")

        async def work(services: Services) -> list[Finding]:
            model = await services.add_model_folder(str(launching.model))
            found = await services.launches.preflight(model, await services.default_engine(), CALM)
            return [finding for finding in found.findings if finding.code == "preflight.other_server"]

        (finding,) = launching.run(work)
        assert finding.info.facts["model"] == "fake-model"
    finally:
        other.leave()
    assert "preflight.other_server" not in findings(launching)


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
sys.argv = ["stowage", *sys.argv[1:]]
import stowage_start
sys.exit(stowage_start.main())
"""


def test_a_process_that_may_open_few_files_is_told_in_the_terminal_and_may_go_on(launching: Launching) -> None:
    launching.run(lambda services: services.add_model_folder(str(launching.model)))
    arguments = ("ask", str(launching.model), "hello", "--context", "512", "--json")

    def limited(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", LIMITED, *arguments, *more]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)

    stopped = limited()
    assert stopped.returncode == 1
    assert json.loads(stopped.stdout)["error"]["code"] == "preflight.open_files"
    assert "This would fail: Few files may be open at once" in stopped.stderr
    forced = limited("--force")
    assert forced.returncode == 0, forced.stderr
    assert json.loads(forced.stdout)["answer"] == "echo: hello"


def test_everyone_hears_what_a_launch_found(launching: Launching) -> None:
    (launching.model / "tokenizer_config.json").write_text("{}", "utf-8")
    launching.run(lambda services: services.launch(str(launching.model), choices=CALM))
    (event,) = [event for event in launching.heard if isinstance(event, Preflighted)]
    assert event.model == str(launching.model)
    assert [finding.code for finding in event.preflight.findings if finding.severity is Severity.WARN] == [
        "preflight.no_template"
    ]
