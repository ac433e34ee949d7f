"""How long a start still takes, from what earlier ones took. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.events import Phase, ServerStatus


@dataclass(frozen=True, slots=True)
class Eta:
    """`remaining_s` until ready. `late`: the present phase has taken longer than usual, so the rest is a lower end.
    `phase_s`: what the present phase usually takes, None where no earlier launch had it."""

    remaining_s: float
    late: bool
    phase_s: float | None


def eta(status: ServerStatus, elapsed_s: float) -> Eta | None:
    """None before the first launch like this one, and when nothing is starting.

    Args:
        elapsed_s: seconds since the launch began.
    """
    if not status.expected or not status.phases or status.phase is Phase.READY:
        return None
    usual, current = dict(status.expected), status.phases[-1]
    phase_s = usual.get(current.phase)
    spent_s = max(0.0, elapsed_s - current.began_s)
    left_s = (phase_s or 0.0) - spent_s
    order = list(Phase)
    later = order[order.index(current.phase) + 1 :]
    return Eta(max(0.0, left_s) + sum(usual.get(phase, 0.0) for phase in later), left_s < 0, phase_s)
