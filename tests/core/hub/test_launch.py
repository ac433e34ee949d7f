"""A model of the cache, launched: with what suits it here, and with its own code only after a yes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil

from core.engine_options import Form
from core.events import EventBus
from core.paths import Paths
from core.services import Services
from core.settings import SettingsStore
from tests.support.fake_engine import FakeEngine, make_checkpoint
from tests.support.hub_models import files_of, write_files

COMMIT = "c" * 40


def with_services(paths: Paths, act: Callable[[Services], Awaitable[None]]) -> None:
    async def run() -> None:
        services = Services(paths, SettingsStore(paths.settings_file), EventBus())
        await services.open(reattach=False)
        try:
            await act(services)
        finally:
            await services.close()

    asyncio.run(run())


def server() -> tuple[list[str], dict[str, str]]:
    """Command line and environment of the server that runs now."""
    for child in psutil.Process().children(recursive=True):
        try:
            line, environ = child.cmdline(), child.environ()
        except psutil.NoSuchProcess:
            continue
        if "--served-model-name" in line and "vllm.entrypoints.openai.api_server" in line:
            return line, environ
    return [], {}


def cached(hub: Path) -> Path:
    repo = hub / "models--org--own"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs/main").write_text(COMMIT)
    return make_checkpoint(repo / "snapshots" / COMMIT)


def test_own_code_reaches_the_engine_only_after_a_yes(home: Paths, hf_home: Path, tmp_path: Path) -> None:
    cached(hf_home / "hub")
    engine = FakeEngine(tmp_path / "engine")

    async def launch(services: Services) -> None:
        await services.add_engine(str(engine.folder))
        for allowed in (False, True):
            await services.hub.allow_code("org/own", COMMIT, allowed)
            await services.launch("org/own")
            started, _ = server()
            assert "--model" in started
            assert ("--trust-remote-code" in started) is allowed
            await services.stop_server()

    with_services(home, launch)


def test_a_model_is_suggested_a_context_of_use(home: Paths, hf_home: Path, tmp_path: Path) -> None:
    """Even before an engine is installed: for the one that would be."""
    long = write_files(files_of("Qwen__Qwen3-0.6B", max_position_embeddings=1_048_576), tmp_path / "long")
    short = write_files(files_of("Qwen__Qwen3-0.6B", max_position_embeddings=2048), tmp_path / "short")

    async def suggest(services: Services) -> None:
        for folder, context in ((long, 8192), (short, 2048)):
            choices = await services.suggest(str(folder))
            assert choices is not None
            assert choices.context == context
        await services.change_settings(context_tokens=4096)
        assert (choices := await services.suggest(str(long))) is not None
        assert choices.context == 4096

    with_services(home, suggest)


def test_what_the_command_line_names_is_looked_for_in_the_cache_of_the_settings(
    home: Paths, hf_home: Path, tmp_path: Path
) -> None:
    """A tokenizer or a draft by its name on the Hub; on paper too."""
    own = tmp_path / "own cache"
    cached(own)
    cached(hf_home / "hub")
    engine = FakeEngine(tmp_path / "engine")
    on_paper: dict[Form, str] = {"shell": f"HF_HUB_CACHE='{own}'", "unit": f'Environment="HF_HUB_CACHE={own}"'}

    async def launch(services: Services) -> None:
        await services.add_engine(str(engine.folder))
        for setting, place in (("", None), (str(own), str(own))):
            await services.change_settings(hub_cache=setting)
            await services.launch("org/own")
            _, environ = server()
            assert environ["HF_HUB_OFFLINE"] == "1"
            assert environ.get("HF_HUB_CACHE") == place
            await services.stop_server()
            for form, written in on_paper.items():
                text = (await services.options.written("org/own", form=form)).text
                assert (written in text) is (place is not None), text
                assert ("HF_HUB_CACHE" in text) is (place is not None)

    with_services(home, launch)
