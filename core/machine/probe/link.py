"""How fast copies to the GPU are: measured by the engine's own PyTorch, for the app has none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Mapping
from typing import Any, Final, cast

from core.machine.probe.result import LinkProbe

# Runs in the engine's Python with `-c`. Speaks one JSON line on stdout. 256 MiB per copy, best of five.
SCRIPT: Final = """
import json, sys, time
import torch
if not torch.cuda.is_available():
    print(json.dumps({"error": "this engine sees no CUDA device"}))
    sys.exit(0)
size = 256 << 20
links = []
for number in range(torch.cuda.device_count()):
    target = torch.empty(size, dtype=torch.uint8, device=f"cuda:{number}")
    rates = {}
    for name, pinned in (("pinned_gb_s", True), ("pageable_gb_s", False)):
        source = torch.ones(size, dtype=torch.uint8)
        if pinned:
            source = source.pin_memory()
        best = 0.0
        for attempt in range(6):
            torch.cuda.synchronize(number)
            began = time.perf_counter()
            target.copy_(source, non_blocking=pinned)
            torch.cuda.synchronize(number)
            if attempt:
                best = max(best, size / (time.perf_counter() - began) / 1e9)
        rates[name] = round(best, 2)
        del source
    uuid = str(torch.cuda.get_device_properties(number).uuid)
    links.append({"gpu_id": uuid if uuid.startswith(("GPU-", "MIG-")) else "GPU-" + uuid, **rates})
    del target
    torch.cuda.empty_cache()
print(json.dumps({"links": links}))
"""


async def measure_links(python: str, seconds: float) -> tuple[tuple[LinkProbe, ...], str]:
    """The rate to each GPU that the engine's CUDA sees, in its order, or none and why. Cancelling ends the child.

    Args:
        python: the engine's interpreter.
        seconds: deadline; importing PyTorch alone takes some.
    """
    process = await _start(python)
    if isinstance(process, str):
        return (), process
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate()
    except TimeoutError:
        return (), f"no answer within {seconds:.0f} s"
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return _understood(output, errors)


async def _start(python: str) -> asyncio.subprocess.Process | str:
    try:
        return await asyncio.create_subprocess_exec(
            python,
            "-I",
            "-c",
            SCRIPT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(os.environ),
        )
    except OSError as error:
        return error.strerror or str(error)


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """What the child needs; the app's own Python settings would mislead it. Numbers by slot, as our list has them."""
    kept = ("PATH", "HOME", "USER", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "CUDA_VISIBLE_DEVICES")
    return {name: ours[name] for name in kept if name in ours} | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def _understood(output: bytes, errors: bytes) -> tuple[tuple[LinkProbe, ...], str]:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    try:
        answer: Any = json.loads(lines[-1]) if lines else {}
        found = cast("dict[str, Any]", answer)
        if "links" in found:
            return tuple(LinkProbe(**link) for link in found["links"]), ""
        reason = str(found.get("error", ""))
    except (ValueError, TypeError, AttributeError) as error:
        reason = str(error)
    last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
    return (), reason or (last[0] if last else "the engine gave no answer")
