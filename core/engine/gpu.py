"""Which graphics cards an engine could use, asked without any engine and without waking what sleeps."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.engine.child_env import clean_env
from core.engine.tool import answer_of

_ANSWER_S: Final = 15.0
# WSL keeps it outside PATH.
_WSL: Final = "/usr/lib/wsl/lib/nvidia-smi"
KFD: Final = Path("/sys/class/kfd/kfd/topology/nodes")


@dataclass(frozen=True, slots=True)
class NvidiaCard:
    """`capability` 0.0 when the driver does not tell it."""

    name: str
    capability: float


@dataclass(frozen=True, slots=True)
class Cards:
    """`driver` is NVIDIA's version as text, "" without one; `amd` are targets as ROCm names them ("gfx1100")."""

    nvidia: tuple[NvidiaCard, ...] = ()
    driver: str = ""
    amd: tuple[str, ...] = ()

    @property
    def best(self) -> NvidiaCard | None:
        return max(self.nvidia, key=lambda card: card.capability, default=None)

    @property
    def driver_parts(self) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", self.driver))


async def look(kfd: Path = KFD) -> Cards:
    """Ask the driver's own `nvidia-smi`; no answer within 15 s counts as none."""
    amd = tuple(sorted(_amd(kfd)))
    program = shutil.which("nvidia-smi") or shutil.which(_WSL)
    if program is None:
        return Cards(amd=amd)
    command = [program, "--query-gpu=driver_version,compute_cap,name", "--format=csv,noheader"]
    try:
        code, out, _ = await answer_of(command, env=clean_env(), timeout_s=_ANSWER_S)
    except OSError:  # a TimeoutError is one
        return Cards(amd=amd)
    if code:
        return Cards(amd=amd)
    rows = [[part.strip() for part in line.split(",", 2)] for line in out.splitlines() if line.count(",") >= 2]
    cards = tuple(NvidiaCard(name, _number(capability)) for _, capability, name in rows)
    return Cards(cards, rows[0][0] if rows else "", amd)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _amd(kfd: Path) -> set[str]:
    """`gfx_target_version 110000` is gfx1100: major * 10000 + minor * 100 + stepping, the latter two in hex digits."""
    found: set[str] = set()
    for path in kfd.glob("*/properties"):
        try:
            match = re.search(r"^gfx_target_version (\d+)$", path.read_text(encoding="ascii"), re.MULTILINE)
        except (OSError, UnicodeDecodeError):
            continue
        if match and (number := int(match[1])):
            found.add(f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}")
    return found
