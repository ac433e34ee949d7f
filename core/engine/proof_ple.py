"""Whether the per-layer table lies where it was wanted: what Stowage's plugin said, what it counted, what the device
holds. Pure.

The plugin's line alone shows that the table was not put on the device; that rows come from elsewhere shows only when
one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from core.engine.asked import Asked
from core.engine.facts import GIB
from core.engine.finding import Finding, Shown, Verdict
from core.engine.ple_proof import Counted, KeptOff, PleProof, prove

# How much of the table has to be missing on the device.
_ENOUGH: Final = 0.5
_OPTIONS: Final = {"disk": "ple_disk", "ram": "ple_ram"}
_ELSEWHERE: Final = {"disk": "table_in_disk", "ram": "table_in_ram"}


def table_placed(asked: Asked, shown: Shown) -> Finding | None:
    if not asked.ple_place:
        return None
    option = _OPTIONS[asked.ple_place]
    counted = counted_between(shown)
    proof = prove(asked.ple_place, shown.facts.plugin_lines, counted)
    evidence = (*shown.facts.plugin_lines, *_counted(counted), *_on_device(asked, shown))
    if not proof.kept:
        return _not_kept(option, proof, counted, evidence)
    size = _size(proof.kept)
    if proof.proven is False:
        return Finding(option, "True", Verdict.NO_EFFECT, size, _ELSEWHERE[proof.found], "look_at_log", evidence)
    if proof.proven is None:
        return Finding(option, "True", Verdict.CANNOT_TELL, size, "no_row_yet", "ask_something", evidence)
    if _as_large_as_whole(asked, shown, proof.kept):
        return Finding(option, "True", Verdict.CANNOT_TELL, size, "model_not_smaller", "look_at_log", evidence)
    slow = asked.platform != "cpu" and any(line.pinned is False for line in proof.kept)
    return Finding(option, "True", Verdict.TOOK_EFFECT, size, "not_pinned" if slow else "", evidence=evidence)


def counted_between(shown: Shown) -> Counted:
    """Lookups since the server was ready."""
    before = shown.before.table if shown.before is not None else None
    after = shown.after.table if shown.after is not None else None
    return after.since(before or Counted()) if after is not None else Counted()


def _not_kept(option: str, proof: PleProof, counted: Counted, evidence: tuple[str, ...]) -> Finding:
    if counted.lookups and not proof.reason:
        # It counts, so it works; a log of warnings alone does not hold its line.
        return Finding(option, "True", Verdict.CANNOT_TELL, "", "not_said", "", evidence)
    reason = "plugin_gave_up" if proof.reason else "plugin_silent"
    return Finding(option, "True", Verdict.NO_EFFECT, "", reason, "look_at_log", evidence)


def _size(kept: Iterable[KeptOff]) -> str:
    """Of all tables, each once: every rank has the same."""
    gib = _gib(kept)
    return f"{gib:.2f} GiB" if gib >= 0.01 else ""


def _gib(kept: Iterable[KeptOff]) -> float:
    return sum({line.table: line.gib for line in kept}.values())


def _counted(counted: Counted) -> tuple[str, ...]:
    if not counted.lookups:
        return ()
    line = f"stowage-ple: lookups +{counted.lookups}, rows +{counted.rows}, distinct +{counted.unique_rows}"
    share = counted.hit_share
    hits = f", {share:.0%} of them in the cache" if share is not None else ""
    return (f"{line}{hits}, read {counted.read_bytes} bytes in {counted.read_s * 1e3:.1f} ms",)


def _on_device(asked: Asked, shown: Shown) -> tuple[str, ...]:
    held, whole = shown.facts.model_bytes, asked.resident_bytes
    if held is None or whole is None:
        return ()
    return (*shown.facts.lines("model_bytes"), f"all weights by the plan: {whole / GIB:.2f} GiB")


def _as_large_as_whole(asked: Asked, shown: Shown, kept: Iterable[KeptOff]) -> bool:
    """Where the device tells its share: the table is still there."""
    held, whole = shown.facts.model_bytes, asked.resident_bytes
    if held is None or whole is None:
        return False
    return whole - held < _ENOUGH * _gib(kept) * GIB
