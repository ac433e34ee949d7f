"""Whether this machine has an NVIDIA GPU that the CUDA engine supports."""

from __future__ import annotations

import shutil
from typing import Final

from core.engine.child_env import clean_env
from core.engine.tool import answer_of

# The lowest compute capability in the vLLM 0.33.0 wheel.
CAPABILITY_MIN: Final = 7.5
_ANSWER_S: Final = 15.0
# WSL keeps it outside PATH.
_WSL: Final = "/usr/lib/wsl/lib/nvidia-smi"


async def has_nvidia() -> bool:
    """Ask the driver's own `nvidia-smi`; no answer within 15 s counts as none."""
    program = shutil.which("nvidia-smi") or shutil.which(_WSL)
    if program is None:
        return False
    command = [program, "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        _, out, _ = await answer_of(command, env=clean_env(), timeout_s=_ANSWER_S)
    except OSError:  # a TimeoutError is one
        return False
    return any(_capability(line) >= CAPABILITY_MIN for line in out.splitlines())


def _capability(line: str) -> float:
    try:
        return float(line.strip())
    except ValueError:
        return 0.0
