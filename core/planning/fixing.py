"""A fix on the form: the choices that a person sees become those of the launch that follows. Pure."""

from __future__ import annotations

from dataclasses import replace

from core.engine.change import Change, changed_options, main_values
from core.planning.choices import Choices


def fixed_choices(change: Change, choices: Choices) -> Choices | None:
    """`choices` with the change made, None where the form has no place for a part of it: then only the launch itself
    can be changed (`Care.relaunch`)."""
    values = main_values(change)
    if "utilization" in values or change.any_port:
        return None
    return replace(choices, more=changed_options(choices.more, change), **values)
