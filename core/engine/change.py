"""One change of a launch's options, and how it is made. Pure.

The only place that knows both a fix and the fields of a `LaunchRequest`: whoever gives the request new fields looks
here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from core.engine.command import LaunchRequest


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be different; None and () leave things as they are. `drop` are flags ("--swap-space") that go with
    their values; `add` complete arguments; `env` variables that change what the server does."""

    context: int | None = None
    enforce_eager: bool | None = None
    cpu_kv_cache_gib: int | None = None
    max_num_seqs: int | None = None
    kv_cache_dtype: str | None = None
    offload_gib: float | None = None
    utilization: float | None = None
    any_port: bool = False
    own_batch: bool = False
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


NO_CHANGE: Final = Change()


def apply(change: Change, request: LaunchRequest) -> LaunchRequest:
    """`request` with the change made; equal to `request` where it has no effect."""
    tuning = request.tuning
    tuning = replace(
        tuning,
        max_num_seqs=_or(change.max_num_seqs, tuning.max_num_seqs),
        max_num_batched_tokens=None if change.own_batch else tuning.max_num_batched_tokens,
        kv_cache_dtype=_or(change.kv_cache_dtype, tuning.kv_cache_dtype),
        cpu_offload_gib=_or(change.offload_gib, tuning.cpu_offload_gib),
        gpu_memory_utilization=_or(change.utilization, tuning.gpu_memory_utilization),
        env=tuple(sorted((dict(tuning.env) | dict(change.env)).items())),
    )
    return replace(
        request,
        max_model_len=_or(change.context, request.max_model_len),
        enforce_eager=_or(change.enforce_eager, request.enforce_eager),
        cpu_kv_cache_gib=_or(change.cpu_kv_cache_gib, request.cpu_kv_cache_gib),
        port=None if change.any_port else request.port,
        extra_args=changed_arguments(request.extra_args, change),
        tuning=tuning,
    )


_T = TypeVar("_T")


def _or(new: _T | None, old: _T) -> _T:
    return old if new is None else new


def changed_arguments(args: tuple[str, ...], change: Change) -> tuple[str, ...]:
    """Further arguments with what `change` drops and adds."""
    kept = without(args, change.drop)
    return (*kept, *(() if _holds(kept, change.add) else change.add))


def without(args: Iterable[str], flags: Iterable[str]) -> tuple[str, ...]:
    """`args` without these flags, their values and their parts ("--engram-config.cpu_offload")."""
    dropped = tuple(flags)
    kept: list[str] = []
    dropping = False
    for arg in args:
        if arg.startswith("--"):
            name = arg.partition("=")[0]
            dropping = any(name == flag or name.startswith(flag + ".") for flag in dropped)
        if not dropping:
            kept.append(arg)
    return tuple(kept)


def _holds(args: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(args[at : at + len(part)] == part for at in range(len(args) - len(part) + 1))
