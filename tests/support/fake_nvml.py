"""Builds the fake NVML library and talks to a process that has loaded it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GIB = 1 << 30


def build(folder: Path) -> Path:
    """The folder with `libnvidia-ml.so.1`. Skips the test, and says why, where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("not run: the fake NVML library needs a C compiler (cc)")
    library = folder / "libnvidia-ml.so.1"
    source = ROOT / "tests" / "fakes" / "fake_nvml.c"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return folder


def gpu(number: int = 0, /, **changes: str | None) -> dict[str, str]:
    """A healthy RTX 4090 with 24 GiB as NVML tells of it; None takes a question away."""
    values: dict[str, str | None] = {
        "name": "NVIDIA GeForce RTX 4090",
        "uuid": f"GPU-0000000{number}-1111-2222-3333-444444444444",
        "bus": f"00000000:0{number + 1}:00.0",
        "memory": memory(24, 2.0, reserved=0.5),
        "compute": "none",
        "graphics": "none",
        "utilisation": "7",
        "power": "45200",
        "power_limit": "450000",
        "temperature": "41",
        "gen": "1",
        "width": "16",
        "max_gen": "4",
        "max_width": "16",
        "card_gen": "4",
        "capability": "8.9",
        "mig": None,
    }
    values |= changes
    return {f"gpu{number}.{key}": value for key, value in values.items() if value is not None}


def memory(total: float, used: float, reserved: float = 0.0) -> str:
    """NVML's figures in bytes from GiB: total,used,free,reserved."""
    figures = (total, used, total - used - reserved, reserved)
    return ",".join(str(int(figure * GIB)) for figure in figures)


class Driver:
    """The state that the library answers from, and a program that asks it. Use as a context manager."""

    def __init__(
        self, folder: Path, library: Path, root: Path | str, environment: Mapping[str, str] | None = None
    ) -> None:
        self._state = folder / "nvml-state"
        self._calls = folder / "nvml-calls"
        self._root = str(root)
        self._environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self._environment |= {
            "LD_LIBRARY_PATH": str(library),
            "FAKE_NVML_STATE": str(self._state),
            "FAKE_NVML_CALLS": str(self._calls),
            "PYTHONPATH": str(ROOT),
        } | dict(environment or {})
        self._child: subprocess.Popen[str] | None = None
        self.says()

    def says(self, *parts: Mapping[str, str], **values: str) -> None:
        """From now on the driver answers so; everything said before is gone."""
        state = {"driver": "580.65.06", "cuda": "13000"} | values
        for part in parts:
            state |= part
        text = "".join(f"{key}={value}\n" for key, value in state.items())
        whole = self._state.with_suffix(".new")
        whole.write_text(text)
        whole.replace(self._state)

    def calls(self) -> list[str]:
        """Every function asked since the last look."""
        if not self._calls.exists():
            return []
        names = self._calls.read_text().split()
        self._calls.unlink()
        return names

    def tell(self, command: str) -> Any:
        assert self._child is not None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(command + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        assert answer, "the reading program has died"
        return json.loads(answer)

    def read(self) -> Any:
        return self.tell("read")

    def __enter__(self) -> Driver:
        program = str(ROOT / "tests" / "support" / "machine_child.py")
        self._child = subprocess.Popen(
            [sys.executable, program, self._root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child is not None
        self._child.communicate(timeout=20)
        if error is None:
            assert self._child.returncode == 0
