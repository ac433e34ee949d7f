"""Which engine this computer can run, told before anything is downloaded."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from core.engine.gpu import Cards
from core.engine.recipes import CPU, CUDA, CUDA129, ROCM, Recipe
from core.errors import AppError

CPUINFO: Final = Path("/proc/cpuinfo")

# The ROCm wheels' targets: MI200, MI300, MI350, RX 7900, RX 9000, Ryzen AI (docs/getting_started/installation/gpu of
# vLLM 0.33).
_ROCM_TARGETS: Final = frozenset("gfx90a gfx942 gfx950 gfx1100 gfx1101 gfx1150 gfx1151 gfx1200 gfx1201".split())  # noqa: SIM905


def check_machine(recipe: Recipe, cards: Cards, cpuinfo: Path = CPUINFO) -> None:
    """Refuse what cannot work here.

    Raises:
        AppError: `engine.recipe_unsupported` (system, C library, processor), `engine.no_gpu`, `engine.gpu_too_old`,
            `engine.driver_too_old`.
    """
    if error := refusal(recipe, cards, cpuinfo):
        raise error


def refusal(recipe: Recipe, cards: Cards, cpuinfo: Path = CPUINFO) -> AppError | None:
    """Why `recipe` cannot run on this computer, None when it can."""
    if reason := _unsupported(recipe, cpuinfo):
        return AppError("engine.recipe_unsupported", recipe=recipe.title, reason=reason)
    if recipe.gpu == "nvidia":
        return _nvidia(recipe, cards)
    if recipe.gpu == "amd" and not _ROCM_TARGETS & set(cards.amd):
        if cards.amd:
            reason = f"its graphics card is {', '.join(cards.amd)}; supported are {', '.join(sorted(_ROCM_TARGETS))}"
            return AppError("engine.recipe_unsupported", recipe=recipe.title, reason=reason)
        return AppError("engine.no_gpu", recipe=recipe.title, vendor="AMD")
    return None


def best(recipes: Mapping[str, Recipe], cards: Cards, cpuinfo: Path = CPUINFO) -> Recipe:
    """The recommended engine: for the card where one can be used, else the CPU's."""
    for wanted in (CUDA, CUDA129, ROCM, CPU):
        recipe = recipes.get(wanted.id)
        if recipe is not None and refusal(recipe, cards, cpuinfo) is None and (recipe.gpu or recipe.platform == "cpu"):
            return recipe
    return recipes.get(CPU.id) or next(iter(recipes.values()))


def _nvidia(recipe: Recipe, cards: Cards) -> AppError | None:
    card = cards.best
    if card is None:
        return AppError("engine.no_gpu", recipe=recipe.title, vendor="NVIDIA")
    if 0 < card.capability < recipe.capability_min:
        return AppError(
            "engine.gpu_too_old", recipe=recipe.title, gpu=card.name,
            found=f"{card.capability:g}", needed=f"{recipe.capability_min:g}",
        )  # fmt: skip
    if cards.driver_parts and cards.driver_parts < recipe.driver_min:
        fits = recipe.kind != CUDA129.kind and cards.driver_parts >= CUDA129.driver_min
        return AppError(
            "engine.driver_too_old", recipe=recipe.title, found=cards.driver,
            needed=".".join(map(str, recipe.driver_min)), instead=CUDA129.kind if fits else CPU.kind,
        )  # fmt: skip
    return None


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
