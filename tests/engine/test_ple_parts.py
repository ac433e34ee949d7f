"""The plugin's parts in the engine's own Python, where torch is: rows, cache, faults of the file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.events import EngineInfo
from tests.support.checkpoints import write_safetensors

ROOT = Path(__file__).parents[2]
CHECKS = [ROOT / "tests" / "support" / name for name in ("ple_checks.py", "ple_overlap_checks.py")]
NAMES = re.findall(r"^def (check_\w+)", "".join(file.read_text("utf-8") for file in CHECKS), re.MULTILINE)


@pytest.fixture(scope="module")
def results(real_engine: EngineInfo, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    env = os.environ | {"PYTHONPATH": str(ROOT / "core" / "ple")}
    found: dict[str, str] = {}
    for checks in CHECKS:
        command = [real_engine.python, str(checks), str(tmp_path_factory.mktemp("ple"))]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        found |= json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_check(results: dict[str, str], name: str) -> None:
    assert results[name] == "", results[name]


MIB = 1 << 20
ROWS, WIDTH = 4096, 512


@pytest.fixture
def failing_disk(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A small disk of its own (a file behind a loop device), mounted, and the file: shortened, its reads fail."""
    image, mount = tmp_path / "disk.img", tmp_path / "disk"
    mount.mkdir()
    with image.open("wb") as file:
        file.truncate(24 * MIB)
    try:
        subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(mount)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no disk of its own may be mounted here: {error}")
    try:
        yield mount, image
    finally:
        subprocess.run(["umount", str(mount)], check=True, capture_output=True)


def test_a_read_error_of_the_disk_is_tried_again_and_told(
    real_engine: EngineInfo, failing_disk: tuple[Path, Path]
) -> None:
    mount, image = failing_disk
    write_safetensors(mount / "model.safetensors", {"model.embed_tokens_per_layer.weight": ("BF16", (ROWS, WIDTH))})
    file = os.open(mount / "model.safetensors", os.O_RDONLY)
    os.fsync(file)
    command = [real_engine.python, str(ROOT / "tests/support/ple_broken_disk.py"), str(mount), str(ROWS), str(WIDTH)]
    env = os.environ | {"PYTHONPATH": str(ROOT / "core" / "ple")}
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None

        def ask(row: int) -> str:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(f"{row}\n")
            child.stdin.flush()
            return child.stdout.readline().strip()

        assert child.stdout.readline().strip() == "ready"
        assert ask(3000) == "row 0.0"
        os.truncate(image, 2 * MIB)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        seconds, _, said = ask(3000).partition(" ")
        assert said.endswith("Input/output error")
        assert "row 3000 of" in said
        assert float(seconds) >= 0.5  # not at the first failure
        child.stdin.close()
        assert child.wait(30) == 0
    os.close(file)
