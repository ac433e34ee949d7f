"""Whether this machine has an NVIDIA GPU that the CUDA engine supports."""

from __future__ import annotations

import asyncio
import shutil
from typing import Final

from core.engine.child_env import clean_env

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
    try:
        process = await asyncio.create_subprocess_exec(
            program, "--query-gpu=compute_cap", "--format=csv,noheader",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=clean_env(),
        )  # fmt: skip
    except OSError:
        return False
    try:
        async with asyncio.timeout(_ANSWER_S):
            out, _ = await process.communicate()
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return any(_capability(line) >= CAPABILITY_MIN for line in out.decode(errors="replace").splitlines())


def _capability(line: str) -> float:
    try:
        return float(line.strip())
    except ValueError:
        return 0.0
