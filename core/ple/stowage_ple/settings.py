"""What the user wants, from the environment: the one channel that reaches every process of vLLM."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

PLACEMENT = "STOWAGE_PLE"
CACHE_MIB = "STOWAGE_PLE_CACHE_MIB"
THREADS = "STOWAGE_PLE_THREADS"
AHEAD_MIB = "STOWAGE_PLE_AHEAD_MIB"
STATS = "STOWAGE_PLE_STATS"

GPU, RAM, DISK = "gpu", "ram", "disk"
DEFAULT_CACHE_MIB = 256
DEFAULT_THREADS = 8
DEFAULT_AHEAD_MIB = 256


class BadSetting(ValueError):
    """A variable that cannot be used; the text names it and what it may be."""


@dataclass(frozen=True)
class Settings:
    """`placement`: "gpu" (vLLM as it is), "ram" or "disk"; `cache_bytes`: bound of the row cache of "disk"; `threads`:
    parallel reads of cold rows; `ahead_bytes`: most that "disk" reads ahead for one prompt; `stats_folder`: where each
    process writes its counters once a second, "" nowhere."""

    placement: str = GPU
    cache_bytes: int = DEFAULT_CACHE_MIB << 20
    threads: int = DEFAULT_THREADS
    ahead_bytes: int = DEFAULT_AHEAD_MIB << 20
    stats_folder: str = ""


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Raises: BadSetting."""
    env = os.environ if environ is None else environ
    placement = env.get(PLACEMENT, "").strip().lower() or GPU
    if placement not in (GPU, RAM, DISK):
        raise BadSetting(f"{PLACEMENT}={placement!r}: use {GPU}, {RAM} or {DISK}")
    return Settings(
        placement,
        _number(env, CACHE_MIB, DEFAULT_CACHE_MIB, least=0) << 20,
        _number(env, THREADS, DEFAULT_THREADS, least=1),
        _number(env, AHEAD_MIB, DEFAULT_AHEAD_MIB, least=0) << 20,
        env.get(STATS, "").strip(),
    )


def _number(env: Mapping[str, str], name: str, default: int, *, least: int) -> int:
    text = env.get(name, "").strip()
    try:
        number = int(text) if text else default
    except ValueError:
        number = least - 1
    if number < least:
        raise BadSetting(f"{name}={text!r}: use a whole number from {least}")
    return number
