"""The plan of the next launch from frozen snapshots: pure and fast enough for every movement of a slider."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from core.checkpoint.architecture import Checkpoint
from core.machine.model import Disk, Machine
from core.machine.probe.result import Probe
from core.planner.amounts import Verdict
from core.planner.levers import Lever
from core.planner.options import NO_LESSONS, Engine, Lessons, Request
from core.planner.plan import Plan, make_plan
from core.planning.choices import PLANNED_PLATFORMS, Choices, options_of
from core.planning.hardware import launch_hardware, planned_gpu
from core.planning.levers import launch_levers


class NoPlan(enum.Enum):
    """Why there is none yet, or cannot be one."""

    READING = "reading"  # the model's files or the computer are still being looked at
    MODEL = "model"  # the model cannot be read
    PLATFORM = "platform"  # an engine for hardware that the planner does not know
    NO_CARD = "no_card"  # a CUDA engine and no NVIDIA card


@dataclass(frozen=True, slots=True)
class Basis:
    """What a plan rests on besides the choices. `engine_needed`: it would have to be installed first; `here`: the
    model's files are on this computer; `lessons`: of earlier launches; `disk` that holds the files, None: that of the
    models."""

    checkpoint: Checkpoint
    engine: Engine
    machine: Machine
    probe: Probe | None = None
    engine_needed: bool = False
    here: bool = True
    lessons: Lessons = NO_LESSONS
    disk: Disk | None = None

    def obstacle(self) -> NoPlan | None:
        if self.engine.platform not in PLANNED_PLATFORMS:
            return NoPlan.PLATFORM
        return NoPlan.NO_CARD if self.engine.platform == "cuda" and planned_gpu(self.machine) is None else None

    def request(self, choices: Choices) -> Request:
        hardware = launch_hardware(self.machine, self.probe, self.disk)
        return Request(options_of(choices, self.engine), self.engine, hardware, self.lessons.of(choices.enforce_eager))


def plan_launch(basis: Basis, choices: Choices) -> Plan:
    disk = basis.checkpoint.disk
    size = disk.total_bytes if disk is not None else None
    plan = make_plan(
        basis.checkpoint,
        basis.request(choices),
        download_bytes=size,
        present_bytes=(size or 1) if basis.here else 0,
        engine_needed=basis.engine_needed,
    )
    vram = plan.vram
    if vram is not None and vram.limit_bytes is None and plan.verdict in (Verdict.FITS, Verdict.TIGHT):
        # A card that sleeps or tells nothing: that the RAM suffices does not answer the question.
        return replace(plan, verdict=Verdict.UNKNOWN)
    return plan


def levers_of(basis: Basis, plan: Plan) -> tuple[Lever, ...]:
    """About ten plans: for a moment of rest, not for every movement."""
    return launch_levers(basis.checkpoint, plan.request, plan)
