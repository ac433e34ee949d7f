"""A fix on the form: the choices that a person sees become those of the launch that follows. Pure."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Final

from core.engine.change import NO_CHANGE, Change, changed_arguments
from core.planning.choices import Choices

# A change's field and the choice it stands for.
_CHOICES: Final = {
    "context": "context",
    "enforce_eager": "enforce_eager",
    "cpu_kv_cache_gib": "cpu_kv_cache_gib",
    "max_num_seqs": "max_num_seqs",
    "kv_cache_dtype": "kv_cache_dtype",
    "offload_gib": "offload_gib",
}


def fixed_choices(change: Change, choices: Choices) -> Choices | None:
    """`choices` with the change made, None where the form has no place for a part of it: then only the launch itself
    can be changed (`Care.relaunch`)."""
    changed = {field.name for field in fields(change) if getattr(change, field.name) != getattr(NO_CHANGE, field.name)}
    if change.own_batch:
        choices = replace(choices, max_num_batched_tokens=None)
        changed.discard("own_batch")
    if changed & {"drop", "add"}:
        choices = replace(choices, extra_args=changed_arguments(choices.extra_args, change))
        changed -= {"drop", "add"}
    if changed - set(_CHOICES):
        return None
    values = {_CHOICES[name]: getattr(change, name) for name in changed}
    return replace(choices, **values)
