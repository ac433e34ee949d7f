"""What a probe found, and where it is remembered."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from core.files import write_whole
from core.machine.model import Machine
from core.machine.reading import NOT_YET, Known, Reading, Unknown, Why

log = logging.getLogger(__name__)

# Results of computers that this home folder visited (a portable disk, a network home); older ones go.
_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class LinkProbe:
    """Host-to-device copies to one GPU, GB/s of 10^9 bytes."""

    gpu_id: str
    pinned_gb_s: float
    pageable_gb_s: float


@dataclass(frozen=True, slots=True)
class Probe:
    """Rates in GB/s of 10^9 bytes, on all usable cores for RAM.

    `disk_random_iops`: 4 KiB reads per second with `random_depth` at once; `disk_random_latency_us`: with one at a
    time.
    `cache_bypassed` False: the page cache may have answered, so the disk's figures may be too good. `folder`: where the
    disk was read. `links` in the order in which CUDA numbers the GPUs in the engine that measured.
    """

    taken_at: float = 0.0
    ram_read_gb_s: Reading[float] = NOT_YET
    ram_threads: int = 0
    folder: str = ""
    disk_sequential_gb_s: Reading[float] = NOT_YET
    disk_random_iops: Reading[float] = NOT_YET
    disk_random_latency_us: Reading[float] = NOT_YET
    random_depth: int = 0
    cache_bypassed: bool = False
    links: tuple[LinkProbe, ...] = ()
    links_reason: str = ""
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        readings = {name: getattr(self, name) for name in _READINGS}
        unknown = {name: str(reading) for name, reading in readings.items() if isinstance(reading, Unknown)}
        document: dict[str, Any] = {name: reading.or_none() for name, reading in readings.items()}
        document |= {name: getattr(self, name) for name in _PLAIN}
        document["links"] = [msgspec.to_builtins(link) for link in self.links]
        return document | ({"unknown": unknown} if unknown else {})


_READINGS: Final = ("ram_read_gb_s", "disk_sequential_gb_s", "disk_random_iops", "disk_random_latency_us")
_PLAIN: Final = ("taken_at", "ram_threads", "folder", "random_depth", "cache_bypassed", "links_reason", "seconds")


class _Stored(msgspec.Struct):
    """`Probe` as it lies in the file."""

    taken_at: float
    ram_read_gb_s: float | None
    ram_threads: int
    folder: str
    disk_sequential_gb_s: float | None
    disk_random_iops: float | None
    disk_random_latency_us: float | None
    random_depth: int
    cache_bypassed: bool
    links: tuple[LinkProbe, ...] = ()
    links_reason: str = ""
    seconds: float = 0.0
    unknown: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    def probe(self) -> Probe:
        def reading(name: str) -> Reading[float]:
            value: float | None = getattr(self, name)
            return Known(value) if value is not None else Unknown(Why.FAILED, self.unknown.get(name, ""))

        values: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN}
        values |= {name: reading(name) for name in _READINGS}
        return Probe(links=self.links, **values)


def machine_key(machine: Machine) -> str:
    """The same for the same computer with the same parts, so that new RAM, another GPU or disk asks for a new probe."""
    models = machine.disk("models")
    parts = [
        machine.cpu.name,
        str(machine.cpu.logical_cores.or_none()),
        str((machine.ram.physical_total_bytes.or_none() or 0) >> 30),
        *sorted(gpu.id for gpu in machine.gpus),
        *(() if models is None else (models.mount, *models.devices)),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


class ProbeStore:
    """`probe.json`: results by machine. A file that cannot be read counts as empty: a probe takes seconds to repeat."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, key: str) -> Probe | None:
        stored = self._load().get(key)
        return stored.probe() if stored is not None else None

    def keep(self, key: str, probe: Probe) -> None:
        """Raises: OSError."""
        documents = {known: msgspec.to_builtins(stored) for known, stored in self._load().items() if known != key}
        newest = sorted(documents.items(), key=lambda item: item[1]["taken_at"], reverse=True)[: _KEPT - 1]
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole = dict(newest) | {key: probe.as_json()}
        write_whole(self._path, json.dumps(whole, indent=2, sort_keys=True).encode() + b"\n")

    def _load(self) -> dict[str, _Stored]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Stored])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("%s is not read: %s", self._path, error)
            return {}


def now() -> float:
    """Unix seconds, whole: what is remembered for weeks needs no more."""
    return float(round(time.time()))
