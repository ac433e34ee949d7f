"""What can be wrong from the start, through the real command: its own sentence, exit code 1, the state as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core import words
from core.codes import CODES
from core.paths import ENGINES_ENV, HOME_ENV, Paths
from tests.support.engines import fake_index, use_index
from tests.support.fake_engine import FakeEngine, make_checkpoint

ROOT = Path(__file__).parents[2]


def stowage(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "stowage_start.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def kept_state(home: Paths) -> dict[str, bytes]:
    """Every file of the user's; logs, locks and the record of launches aside."""
    root = home.config.parent
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.suffix not in (".log", ".lock") and not path.name.startswith("launches.db")
    }


def fails(home: Paths, code: str, *arguments: str, says: str = "") -> None:
    """The command ends with 1, says the code's words, leaves the user's files alone, and does it the same in JSON."""
    before = kept_state(home)
    done = stowage(*arguments)
    assert done.returncode == 1, done.stderr
    assert words.catalogue("en")[code]["title"].split("{")[0] in done.stderr
    assert says in done.stderr
    assert 'stowage_start.py", line' not in done.stderr  # no traceback of ours; vLLM's own may stand in the details
    again = stowage(*arguments, "--json")
    error = json.loads(again.stdout)["error"]
    assert error["code"] == code
    assert error["next"]
    assert set(error["facts"]) == set(CODES[code])
    assert kept_state(home) == before


@pytest.fixture
def engine(home: Paths, tmp_path: Path) -> FakeEngine:
    """A user's own engine, already known to Stowage."""
    made = FakeEngine(tmp_path / "own engine")
    added = stowage("engine", "add", str(made.folder))
    assert added.returncode == 0, added.stderr
    return made


def test_a_folder_that_is_no_checkpoint(home: Paths, engine: FakeEngine, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    fails(home, "model.not_a_checkpoint", "ask", str(tmp_path / "photos"), "Hello", says="config.json")


def test_a_folder_that_is_not_there(home: Paths, engine: FakeEngine, tmp_path: Path) -> None:
    fails(home, "model.folder_missing", "ask", str(tmp_path / "gone"), "Hello", says=str(tmp_path / "gone"))


def test_a_model_that_nobody_knows(home: Paths, engine: FakeEngine) -> None:
    fails(home, "model.unknown", "ask", "no-such-model", "Hello", says="no-such-model")


def _two_shards_one_missing(folder: Path) -> None:
    whole = folder / "model.safetensors"
    whole.rename(folder / "model-00001-of-00002.safetensors")
    index = {"weight_map": {"w": "model-00001-of-00002.safetensors", "v": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _cut_short(folder: Path) -> None:
    os.truncate(folder / "model.safetensors", 1000)


@pytest.mark.parametrize(
    ("damage", "code", "says"),
    [
        (_two_shards_one_missing, "model.missing_shards", "model-00002-of-00002.safetensors"),
        (_cut_short, "model.broken_file", "model.safetensors"),
    ],
)
def test_a_checkpoint_that_is_not_whole(
    home: Paths, engine: FakeEngine, tmp_path: Path, damage: Callable[[Path], None], code: str, says: str
) -> None:
    damage(make_checkpoint(tmp_path / "model"))
    fails(home, code, "ask", str(tmp_path / "model"), "Hello", says=says)


def test_an_engine_path_without_vllm(home: Paths, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    fails(home, "engine.no_vllm", "engine", "add", str(tmp_path / "bare"), says=str(tmp_path / "bare"))


def test_an_engine_path_that_is_no_python(home: Paths, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a program")
    fails(home, "engine.not_python", "engine", "add", str(tmp_path / "notes.txt"))


def test_an_engine_that_is_unknown(home: Paths, engine: FakeEngine, tmp_path: Path) -> None:
    make_checkpoint(tmp_path / "model")
    fails(home, "engine.unknown", "ask", str(tmp_path / "model"), "Hello", "--engine", "cuda-9.9.9", says="cuda-9.9.9")


def test_no_engine_to_verify(home: Paths) -> None:
    fails(home, "engine.none", "engine", "verify")


def test_an_empty_question(home: Paths, engine: FakeEngine, tmp_path: Path) -> None:
    fails(home, "chat.empty", "ask", str(make_checkpoint(tmp_path / "model")), "  ")


def test_no_network_for_the_engine(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    use_index(monkeypatch, "http://127.0.0.1:9/simple")
    fails(home, "install.no_network", "engine", "install", "cpu-0.32.0")


def test_a_registry_that_lacks_the_package(home: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_index("--missing", "pip") as address:
        use_index(monkeypatch, address)
        fails(home, "install.not_found", "engine", "install", "cpu-0.32.0")


def test_an_engine_that_dies_while_it_starts(home: Paths, engine: FakeEngine, tmp_path: Path) -> None:
    engine.behave("--die-in", "load", "--exit-code", "7")
    fails(home, "server.start_failed", "ask", str(make_checkpoint(tmp_path / "model")), "Hello", says="7")


def test_a_data_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(HOME_ENV, str(tmp_path / "file" / "stowage"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    done = stowage("ask", "starter", "Hello")
    assert done.returncode == 1
    assert "cannot be written to" in done.stderr
    assert "STOWAGE_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], check=False)
    if mounted.returncode != 0:
        pytest.skip("only root may make a disk of 1 MiB; the check itself is tested in tests/engine")
    monkeypatch.setenv(ENGINES_ENV, str(small))
    try:
        fails(home, "install.disk_full", "engine", "install", "cpu-0.32.0", says="GiB")
        assert [path.name for path in small.iterdir() if path.suffix != ".lock"] == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_failure_in_russian(home: Paths, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    done = stowage("ask", "no-such-model", "Привет")
    assert done.returncode == 1
    assert words.catalogue("ru")["model.unknown"]["title"] in done.stderr


def test_damaged_settings_are_reported_and_never_fatal(home: Paths) -> None:
    home.ensure()
    home.settings_file.write_text("{ not json")
    done = stowage("engine", "list")
    assert done.returncode == 0
    assert words.catalogue("en")["settings.corrupt"]["title"] in done.stderr
    assert list(home.config.glob("settings.json.broken-*"))
