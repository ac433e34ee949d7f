"""The options that move memory: weight offload, KV offload, tables in RAM, KV type, prefix caching. Pure.

Sources: facts dossier A (weight offload), B (KV offload), C (tables); 0.32 CPU build as recorded.
"""

from __future__ import annotations

from typing import Final

from core.engine.asked import Asked
from core.engine.facts import GIB
from core.engine.finding import Finding, Shown, Verdict, same

# The V2 runner that ignored weight offload: from its first default to the release with PR 51413.
_DEAF_RUNNER: Final = ((0, 22), (0, 28))
# The first release that says how much it offloaded.
_SAYS_OFFLOAD: Final = (0, 17)
_KV_OFFLOAD_SINCE: Final = (0, 12)
# How much of the requested weight offload has to show before it counts as done.
_ENOUGH: Final = 0.5


def _weight_offload(asked: Asked, shown: Shown) -> Finding | None:
    if asked.weight_offload_gib <= 0:
        return None
    wanted = f"{asked.weight_offload_gib:g} GiB"
    moved = shown.facts.offloaded_bytes
    lines = shown.facts.lines("offloader", "offloaded_bytes", "model_bytes")
    if moved:
        workers = max(1, sum(1 for worker in shown.facts.workers if worker.offloaded_bytes is not None))
        partly = moved < _ENOUGH * asked.weight_offload_gib * GIB * workers
        found = f"{moved / GIB:.2f} GiB"
        evidence = (*lines, *_pinned(shown))
        return Finding(
            "weight_offload", wanted, Verdict.TOOK_EFFECT, found, "partly" if partly else "", evidence=evidence
        )
    if asked.version and asked.version < _SAYS_OFFLOAD and asked.platform != "cpu":
        return _by_model_size(asked, shown, wanted)
    reason, advice = _why_not_offloaded(asked, shown)
    told = (*lines, *shown.facts.lines("runner", "wsl_no_pin", "no_pinned_memory"))
    return Finding("weight_offload", wanted, Verdict.NO_EFFECT, "0 GiB", reason, advice, told)


def _pinned(shown: Shown) -> tuple[str, ...]:
    pinned = shown.facts.pinned_bytes
    return (f"pinned RAM: {pinned / GIB:.2f} GiB",) if pinned else ()


def _by_model_size(asked: Asked, shown: Shown, wanted: str) -> Finding:
    """Old versions do not say what they offloaded: the model on the device must be smaller than it is."""
    on_device, whole = shown.facts.model_bytes, asked.resident_bytes
    lines = shown.facts.lines("model_bytes")
    if on_device is None or whole is None:
        return Finding("weight_offload", wanted, Verdict.CANNOT_TELL, "", "old_version", "", lines)
    saved = whole - on_device
    found = f"{max(0, saved) / GIB:.2f} GiB"
    if saved >= _ENOUGH * min(asked.weight_offload_gib * GIB, whole):
        return Finding("weight_offload", wanted, Verdict.TOOK_EFFECT, found, evidence=lines)
    return Finding("weight_offload", wanted, Verdict.NO_EFFECT, found, "model_not_smaller", "look_at_log", lines)


def _why_not_offloaded(asked: Asked, shown: Shown) -> tuple[str, str]:
    """Reason and advice, the surest first."""
    facts = shown.facts
    if asked.platform == "cpu" or facts.device == "cpu":
        return "cpu_build", "leave_out"
    first, fixed = _DEAF_RUNNER
    if asked.version and first <= asked.version < fixed and facts.runner != "V1" and not asked.v1_runner:
        return "v2_runner", "v1_runner"
    if any("," in name for name in asked.weight_offload_params):
        return "comma", "spaces"
    if any("embed_tokens" in name or "lm_head" in name for name in asked.weight_offload_params):
        return "tables_not_covered", "other_params"
    if asked.weight_offload_params:
        return "no_match", "other_params"
    if "wsl_no_pin" in facts.warnings or "no_pinned_memory" in facts.warnings:
        return "no_pinned_memory", "wsl_pin"
    return "no_proof_line", "look_at_log"


def _kv_offload(asked: Asked, shown: Shown) -> Finding | None:
    if asked.kv_offload_gib <= 0 and not asked.kv_disk:
        return None
    facts = shown.facts
    option = "kv_disk" if asked.kv_disk else "kv_offload"
    wanted = f"{asked.kv_offload_gib:g} GiB" if asked.kv_offload_gib else ""
    lines = facts.lines("kv_connector", "kv_offload_spec", "kv_region", "kv_disk_path")
    if not (facts.kv_region_path or facts.kv_disk_path or facts.kv_connector):
        reason, advice = _why_no_kv_offload(asked, shown)
        return Finding(option, wanted, Verdict.NO_EFFECT, "", reason, advice, lines)
    if facts.prefix_caching is False:
        return Finding(option, wanted, Verdict.NO_EFFECT, "", "needs_prefix_caching", "prefix_caching_on", lines)
    found = f"{facts.kv_region_bytes / GIB:.2f} GiB" if facts.kv_region_bytes else ""
    stored, loaded = shown.grown("kv_stored_bytes"), shown.grown("kv_loaded_bytes")
    if stored or loaded:
        counted = (f"vllm:kv_offload_store_bytes +{stored or 0:.0f}", f"vllm:kv_offload_load_bytes +{loaded or 0:.0f}")
        return Finding(option, wanted, Verdict.TOOK_EFFECT, found, evidence=(*lines, *counted))
    reason = "not_measured" if stored is None else "nothing_stored"
    return Finding(option, wanted, Verdict.CANNOT_TELL, found, reason, "", lines)


def _why_no_kv_offload(asked: Asked, shown: Shown) -> tuple[str, str]:
    if asked.platform == "cpu" or shown.facts.device == "cpu":
        return "cpu_build", "leave_out"
    if asked.version and asked.version < _KV_OFFLOAD_SINCE:
        return "version_too_old", "newer_engine"
    if asked.prefix_caching is False:
        return "needs_prefix_caching", "prefix_caching_on"
    return "no_proof_line", "look_at_log"


def _ple(asked: Asked, shown: Shown) -> Finding | None:
    if asked.ple_in_ram is None:
        return None
    wanted = "cpu" if asked.ple_in_ram else "gpu"
    lines = shown.facts.lines("ple")
    found = shown.facts.ple_device
    if not found:
        return Finding("ple", wanted, Verdict.NO_EFFECT, "", "tables_not_covered", "newer_engine", lines)
    in_ram = found.startswith("cpu")
    if in_ram != asked.ple_in_ram:
        return Finding("ple", wanted, Verdict.NO_EFFECT, found, "other_value", "look_at_log", lines)
    if in_ram and shown.facts.ple_pinned is False:
        return Finding("ple", wanted, Verdict.TOOK_EFFECT, found, "not_pinned", "wsl_pin", lines)
    return Finding("ple", wanted, Verdict.TOOK_EFFECT, found, evidence=lines)


def _kv_cache_dtype(asked: Asked, shown: Shown) -> Finding | None:
    if asked.kv_cache_dtype in ("", "auto"):
        return None
    found = shown.cache.get("cache_dtype") or shown.facts.kv_cache_dtype
    lines = shown.facts.lines("kv_cache_dtype")
    # "fp8" is a family: vLLM tells the member it took, "fp8_e4m3".
    if found.startswith(f"{asked.kv_cache_dtype}_"):
        return Finding("kv_cache_dtype", asked.kv_cache_dtype, Verdict.TOOK_EFFECT, found, evidence=lines)
    return same("kv_cache_dtype", asked.kv_cache_dtype, found, *lines)


def _prefix_caching(asked: Asked, shown: Shown) -> Finding | None:
    if asked.prefix_caching is None:
        return None
    said = shown.cache.get("enable_prefix_caching") or str(shown.facts.prefix_caching)
    queries, hits = shown.grown("prefix_queries"), shown.grown("prefix_hits")
    wanted = str(asked.prefix_caching)
    evidence = shown.facts.lines("prefix_caching")
    if hits is not None:
        evidence = (*evidence, f"vllm:prefix_cache_hits_total +{hits:.0f} of {queries or 0:.0f} tokens")
    if asked.prefix_caching and said == "False":
        return Finding("prefix_caching", wanted, Verdict.NO_EFFECT, said, "turned_off", "look_at_log", evidence)
    if hits is None:
        return Finding("prefix_caching", wanted, Verdict.CANNOT_TELL, said, "not_measured", "", evidence)
    if (hits > 0) == asked.prefix_caching:
        return Finding("prefix_caching", wanted, Verdict.TOOK_EFFECT, said, evidence=evidence)
    reason = "no_hit" if asked.prefix_caching else "hits_anyway"
    return Finding("prefix_caching", wanted, Verdict.NO_EFFECT, said, reason, "look_at_log", evidence)


MEMORY_RULES: Final = (_weight_offload, _kv_offload, _ple, _kv_cache_dtype, _prefix_caching)
