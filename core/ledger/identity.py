"""Which launches teach each other: from this computer, the engine and the model to a key. Pure."""

from __future__ import annotations

from core.checkpoint.architecture import Checkpoint
from core.events import EngineInfo
from core.ledger.record import Identity
from core.machine.model import Machine
from core.planning.hardware import planned_gpu


def identity_of(machine: Machine, engine: EngineInfo, checkpoint: Checkpoint, *, eager: bool) -> Identity:
    cpu = engine.platform == "cpu"
    gpu = None if cpu else planned_gpu(machine)
    return Identity(
        gpu=machine.cpu.name if gpu is None else gpu.name,
        driver="" if gpu is None else machine.driver.version.or_none() or "",
        engine=engine.id,
        engine_version=engine.version,
        platform=engine.platform,
        architecture=checkpoint.config.architecture,
        quantization=checkpoint.quantization.method,
        eager=eager,
    )


def machine_name(machine: Machine) -> str:
    """What phase durations depend on: a ledger may move to another computer with its home folder."""
    cores = machine.cpu.logical_cores.or_none() or 0
    cards = [gpu.name for gpu in machine.gpus if gpu.usable]
    return " + ".join((f"{machine.cpu.name} x{cores}", *cards))
