"""A server's phases as the steps of the timeline. Pure."""

from __future__ import annotations

from core.events import Phase, PhaseTime, ServerState, ServerStatus
from gui import figures
from gui.widgets.phase_timeline import Step, StepState
from gui.words import Speech

SHOWN = (Phase.ENVIRONMENT, Phase.LOAD, Phase.COMPILE, Phase.KV_CACHE, Phase.WARM_UP)


def steps_of(status: ServerStatus, elapsed_s: float, speech: Speech) -> tuple[Step, ...]:
    """One step per phase, in order; a phase that a later one overtook was left out."""
    seen = {time.phase: time for time in status.phases}
    last = max((SHOWN.index(phase) for phase in seen if phase in SHOWN), default=-1)
    if Phase.READY in seen or status.state is ServerState.READY:
        last = len(SHOWN)
    return tuple(
        _step(place, phase, seen.get(phase), last, status, elapsed_s, speech) for place, phase in enumerate(SHOWN)
    )


def _step(
    place: int,
    phase: Phase,
    time: PhaseTime | None,
    last: int,
    status: ServerStatus,
    elapsed_s: float,
    speech: Speech,
) -> Step:
    name, meaning = speech.phase(phase), speech.phase_meaning(phase)
    if time is None:
        state = StepState.SKIPPED if place < last else StepState.AHEAD
        return Step(name, state, figures.DASH if place < last else "", None, meaning)
    if time.ended_s is not None:
        return Step(name, StepState.DONE, figures.clock(time.ended_s - time.began_s), None, meaning)
    if status.state is ServerState.FAILED:
        return Step(name, StepState.FAILED, "", None, meaning)
    note = figures.clock(elapsed_s - time.began_s)
    if time.fraction is not None and time.fraction < 1:
        note = f"{speech.percent(time.fraction)} · {note}"
    return Step(name, StepState.RUNNING, note, time.fraction, meaning)
