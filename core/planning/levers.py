"""The levers that a launch can pull: those of the planner that the launcher can carry out, and those of a CPU build,
where memory is RAM and the KV cache has a size of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from core.checkpoint.architecture import Checkpoint
from core.planner.amounts import Verdict
from core.planner.levers import Lever, levers
from core.planner.options import GIB, Options, Request
from core.planner.plan import Plan, make_plan
from core.planner.ple import DISK, other_placements

CARRIED_OUT: Final = frozenset(
    (
        *("context", "max_num_seqs", "max_num_batched_tokens", "kv_cache_dtype", "enforce_eager", "cpu_offload_gb"),
        *("ple_disk", "ple_ram"),
    )
)
MOST: Final = 4
MUCH_SLOWER: Final = 0.5
_GOOD: Final = (Verdict.FITS, Verdict.TIGHT)
_BETTER: Final = {Verdict.NO: _GOOD, Verdict.UNKNOWN: _GOOD, Verdict.TIGHT: (Verdict.FITS,)}


def launch_levers(checkpoint: Checkpoint, request: Request, plan: Plan) -> tuple[Lever, ...]:
    """The best few, best first; none while nothing is wrong and nothing would be faster; those that are not enough
    alone only where none is. One of a kind: of several shorter contexts the longest that fits."""
    cpu = request.engine.platform == "cpu"
    found = list(_on_cpu(checkpoint, request, plan)) if cpu else list(_on_gpu(checkpoint, request, plan))
    if plan.verdict is Verdict.FITS:
        found = [lever for lever in found if (lever.speed_factor or 1.0) > 1.05 and lever.verdict is Verdict.FITS]
    better = [lever for lever in found if lever.verdict in _BETTER.get(plan.verdict, ())]
    kept: dict[str, Lever] = {}
    for lever in better or found:
        kept.setdefault(lever.id, lever)
    return tuple(kept.values())[:MOST]


def _on_gpu(checkpoint: Checkpoint, request: Request, plan: Plan) -> Iterator[Lever]:
    if request.options.offload_gib > 0:
        yield from _less_offload(checkpoint, request, plan)
    if request.options.enforce_eager and plan.verdict is Verdict.FITS:
        options = replace(request.options, enforce_eager=False)
        changed = make_plan(checkpoint, replace(request, options=options))
        if changed.verdict is plan.verdict:
            yield _lever("cuda_graphs", "on", options, plan, changed)
    found = [lever for lever in levers(checkpoint, request, plan) if lever.id in CARRIED_OUT]
    # Of the contexts the longest comes first among those that are equally good.
    found.sort(key=lambda lever: -int(lever.value) if lever.id == "context" else 0)
    order = {Verdict.FITS: 0, Verdict.TIGHT: 1, Verdict.UNKNOWN: 2, Verdict.NO: 3}
    # What makes it many times slower (weights over PCIe, while a table would do) comes after all that is enough.
    yield from sorted(
        found,
        key=lambda lever: (
            lever.verdict not in _GOOD,
            (lever.speed_factor or 1.0) < MUCH_SLOWER,
            order[lever.verdict],
            lever.id == "enforce_eager",
        ),
    )


def _less_offload(checkpoint: Checkpoint, request: Request, plan: Plan) -> Iterator[Lever]:
    options = replace(request.options, offload_gib=0.0)
    changed = make_plan(checkpoint, replace(request, options=options))
    if changed.verdict is Verdict.FITS:
        yield _lever("cpu_offload_gb", "0", options, plan, changed)


def _on_cpu(checkpoint: Checkpoint, request: Request, plan: Plan) -> Iterator[Lever]:
    for name, value, options in _cpu_changes(request, plan):
        changed = make_plan(checkpoint, replace(request, options=options))
        if changed.verdict in _GOOD or plan.verdict is changed.verdict is Verdict.UNKNOWN:
            yield _lever(name, value, options, plan, changed)


def _cpu_changes(request: Request, plan: Plan) -> Iterator[tuple[str, str, Options]]:
    options, kv = request.options, plan.kv
    wanted = max(1, -(-(kv.bytes_one_request + kv.bytes_per_block) // GIB))
    space = (options.kv_cache_bytes or GIB) // GIB
    if wanted != space and (kv.refused or (plan.verdict is not Verdict.FITS and wanted < space)):
        yield "cpu_kv_cache", str(wanted), replace(options, kv_cache_bytes=wanted * GIB)
    if plan.verdict is not Verdict.FITS and any(place == DISK for place, _ in other_placements(plan.ple, request)):
        yield "ple_disk", DISK, replace(options, ple_placement=DISK)
    if kv.refused and kv.longest_context:
        context = kv.longest_context // 256 * 256 or kv.longest_context
        yield "context", str(context), replace(options, context=context)


def _lever(name: str, value: str, options: Options, plan: Plan, changed: Plan) -> Lever:
    before, after = plan.vram or plan.host.tier, changed.vram or changed.host.tier
    gain = max(0, before.likely_bytes - after.likely_bytes)
    ram = max(0, changed.host.tier.likely_bytes - plan.host.tier.likely_bytes)
    factor = changed.speed.likely / plan.speed.likely if plan.speed and changed.speed else None
    return Lever(name, value, options, gain, ram, factor, changed.verdict, "")
