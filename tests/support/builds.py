"""Capabilities of real builds, as they were read from their wheels (`tests/data/capabilities`)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

import msgspec

from core.engine.build import Build, of_capabilities
from core.engine.capabilities.model import Capabilities

FOLDER: Final = Path(__file__).parents[1] / "data" / "capabilities"
VERSIONS: Final = (
    "0.10.2", "0.12.0", "0.16.0", "0.17.1", "0.21.0", "0.22.1", "0.27.1", "0.28.0", "0.30.0", "0.33.0",
)  # fmt: skip
CPU: Final = "0.32.0-cpu"


@functools.cache
def capabilities(name: str) -> Capabilities:
    """Args: `name` one of `VERSIONS`, or `CPU`."""
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Capabilities)


def build(name: str) -> Build:
    return of_capabilities(capabilities(name))
