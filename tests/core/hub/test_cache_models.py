"""Models of the cache in the list of models: named in any spelling, planned, launched, or refused with a reason."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import AppError
from core.events import EngineInfo, EngineState, EventBus, ModelInfo, ModelsChanged
from core.hub.cache.service import Cache
from core.models import Models
from core.paths import Paths
from core.planning.checkpoints import Checkpoints
from core.settings import SettingsStore
from tests.fakes.fake_hub import FakeHub
from tests.support.checkpoints import write_checkpoint
from tests.support.hub import running_hub
from tests.support.hub_cache import CacheSetup, checkpoint_files, snapshot_download

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}
ENGINE = EngineInfo("cpu", EngineState.READY, "0.33.0", "cpu", "python", "3.11", ours=True)


class Setup(CacheSetup):
    """The list of models above the cache."""

    def __init__(self, home: Paths) -> None:
        super().__init__(home)
        self.models = Models(home, self.settings, self.bus, cache=self.cache)

    def list(self) -> dict[str, ModelInfo]:
        return {model.id: model for model in asyncio.run(self.models.list())[1:]}

    def resolve(self, spec: str) -> ModelInfo:
        return asyncio.run(self.models.resolve(spec))

    def refused(self, spec: str) -> AppError:
        with pytest.raises(AppError) as caught:
            self.resolve(spec)
        return caught.value


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def setup(home: Paths) -> Setup:
    return Setup(home)


@pytest.fixture
def snapshot(setup: Setup, hub: FakeHub) -> Path:
    """org/Tiny-1B, whole."""
    hub.add("org/Tiny-1B", checkpoint_files() | {"config.json": json.dumps(CONFIG).encode()})
    return snapshot_download("org/Tiny-1B", hub=hub, cache=setup.folder)


def test_a_whole_model_is_listed_under_its_name(setup: Setup, snapshot: Path) -> None:
    (model,) = setup.list().values()
    assert (model.id, model.name, model.path, model.ready) == ("org/Tiny-1B", "org/Tiny-1B", str(snapshot), True)
    assert (model.architecture, model.context_tokens) == ("LlamaForCausalLM", 4096)
    assert model.size_bytes == (snapshot / "model.safetensors").stat().st_size


@pytest.mark.parametrize(
    "spec",
    [
        "org/Tiny-1B",
        "ORG/tiny-1b",
        "https://huggingface.co/org/Tiny-1B/tree/main",
        "hf.co/org/Tiny-1B",
        "vllm serve org/Tiny-1B",
        "org/Tiny-1B@main",
        "org/Tiny-1B@{commit}",
        "org/Tiny-1B@{short}",
    ],
)
def test_what_a_person_may_call_it(setup: Setup, snapshot: Path, spec: str) -> None:
    spec = spec.format(commit=snapshot.name, short=snapshot.name[:8])
    model = setup.resolve(spec)
    assert model.path == str(snapshot)
    assert model.id.partition("@")[0] == "org/Tiny-1B"
    assert asyncio.run(setup.models.path_of(spec)) == snapshot


@pytest.mark.parametrize("spec", ["org/other", "org/Tiny-1B@v2", "https://huggingface.co/org/other"])
def test_what_is_not_here_is_told_with_the_way_to_get_it(setup: Setup, snapshot: Path, spec: str) -> None:
    assert setup.refused(spec).code == "model.not_here"
    with pytest.raises(AppError, match="not_here"):
        asyncio.run(setup.models.path_of(spec))


def test_a_folder_of_that_name_still_counts(
    setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    write_checkpoint(tmp_path / "org" / "mine")
    write_checkpoint(tmp_path / "org" / "Tiny-1B")
    assert setup.resolve("org/mine").id == str(tmp_path / "org" / "mine")
    assert setup.resolve("org/Tiny-1B").path == str(snapshot)
    assert setup.resolve("./org/Tiny-1B").id == str(tmp_path / "org" / "Tiny-1B")


def test_a_model_that_is_not_whole_says_what_is_missing(setup: Setup, hub: FakeHub) -> None:
    hub.add("org/big", checkpoint_files(shards=5))
    snapshot_download("org/big", hub=hub, cache=setup.folder, allow_patterns=["*.json", "*-00002-of-00005*"])
    listed = setup.list()["org/big"]
    assert listed.error is not None
    assert not listed.ready
    error = setup.refused("org/big")
    assert (listed.error.code, error.code) == ("model.incomplete", "model.incomplete")
    assert (error.facts["model"], error.facts["count"]) == ("org/big", 4)
    assert str(error.facts["missing"]).startswith("model-00001-of-00005.safetensors, ")
    with pytest.raises(AppError, match="incomplete"):
        asyncio.run(setup.models.path_of("org/big"))
    with pytest.raises(AppError, match="incomplete"):
        asyncio.run(setup.models.prepare(listed, ENGINE))


def test_two_revisions_are_two_models(setup: Setup, hub: FakeHub, snapshot: Path) -> None:
    hub.commit("org/Tiny-1B", {"config.json": json.dumps(CONFIG | {"max_position_embeddings": 8192}).encode()})
    newer = snapshot_download("org/Tiny-1B", hub=hub, cache=setup.folder)
    listed = setup.list()
    assert {model_id: model.context_tokens for model_id, model in listed.items()} == {
        "org/Tiny-1B": 8192,
        f"org/Tiny-1B@{snapshot.name[:8]}": 4096,
    }
    assert setup.resolve("org/Tiny-1B").path == str(newer)
    assert setup.resolve(f"org/Tiny-1B@{snapshot.name[:8]}").path == str(snapshot)


def test_what_vllm_cannot_load_is_not_listed(setup: Setup, hub: FakeHub) -> None:
    hub.add("org/gguf", {"model.gguf": b"GGUF" * 100, "README.md": b"x"})
    hub.add("org/lora", {"adapter_config.json": b"{}", "adapter_model.safetensors": b"x"})
    for repo_id in ("org/gguf", "org/lora"):
        snapshot_download(repo_id, hub=hub, cache=setup.folder)
    assert setup.list() == {}
    assert len(asyncio.run(setup.cache.look()).repos) == 2


def test_a_launch_marks_the_last_use_and_changes_nothing(setup: Setup, snapshot: Path) -> None:
    before = asyncio.run(setup.cache.look()).repos[0].last_used
    model = setup.resolve("org/Tiny-1B")
    assert asyncio.run(setup.models.prepare(model, ENGINE)) == model
    assert asyncio.run(setup.cache.look()).repos[0].last_used > before


def test_a_changed_file_is_looked_at_again(setup: Setup, snapshot: Path) -> None:
    assert setup.list()["org/Tiny-1B"].context_tokens == 4096
    config = (snapshot / "config.json").resolve()
    config.write_text(json.dumps(CONFIG | {"max_position_embeddings": 1024}))
    config_size = config.stat().st_size
    tree = json.loads(next(snapshot.parents[1].glob("trees/*.json")).read_text())
    assert tree["files"]["config.json"]["size"] == config_size  # four digits before and after
    assert setup.list()["org/Tiny-1B"].context_tokens == 1024


def test_it_can_be_planned(setup: Setup, snapshot: Path) -> None:
    checkpoint = asyncio.run(Checkpoints(setup.models).read("org/Tiny-1B"))
    assert checkpoint.config.architecture == "LlamaForCausalLM"
    assert checkpoint.disk is not None


def test_the_cache_of_the_setting_is_listed(home: Paths, setup: Setup, snapshot: Path, tmp_path: Path) -> None:
    setup.settings.change(hub_cache=str(tmp_path / "other"))
    assert setup.list() == {}
    settings = SettingsStore(home.settings_file)
    bus = EventBus()
    assert asyncio.run(Models(home, settings, bus, cache=Cache(home, settings, bus)).list())[1:] == ()


def test_a_list_that_comes_late_does_not_replace_a_newer_one(setup: Setup, tmp_path: Path) -> None:
    """The first look hangs at a slow disk (here a pipe) while a folder is added."""
    refs = setup.cache.folder / "models--org--Slow" / "refs"
    refs.mkdir(parents=True)
    os.mkfifo(refs / "main")
    write_checkpoint(tmp_path / "mine")
    heard: list[list[str]] = []
    setup.bus.subscribe(
        lambda event: heard.append([m.name for m in event.models]) if isinstance(event, ModelsChanged) else None
    )

    async def work() -> None:
        late = asyncio.create_task(setup.models.announce())
        # A pipe opens for writing once somebody reads it: the first look is there now.
        pipe = await asyncio.wait_for(asyncio.to_thread(os.open, refs / "main", os.O_WRONLY), 10)
        (refs / "main").unlink()
        await asyncio.wait_for(setup.models.add_folder(str(tmp_path / "mine")), 10)
        assert not late.done()
        os.close(pipe)
        await asyncio.wait_for(late, 10)

    asyncio.run(work())
    assert len(heard) == 1
    assert "mine" in heard[0]
