"""The options whose value the server tells back: name, context, types, parallelism. Pure."""

from __future__ import annotations

from typing import Final

from core.engine.asked import Asked
from core.engine.finding import Finding, Shown, Verdict, same


def _served_name(asked: Asked, shown: Shown) -> Finding | None:
    return same("served_name", asked.served_name, shown.facts.served_name, *shown.facts.lines("served_name"))


def _context(asked: Asked, shown: Shown) -> Finding | None:
    if asked.context is None:
        return None
    return same("context", asked.context, shown.facts.max_model_len, *shown.facts.lines("max_model_len"))


def _eager(asked: Asked, shown: Shown) -> Finding | None:
    if not asked.enforce_eager:
        return None
    evidence = shown.facts.lines("enforce_eager")
    if shown.facts.compile_s is not None or shown.facts.graph_bytes:
        told = shown.facts.lines("compile_s", "graph_bytes")
        return Finding("eager", "True", Verdict.NO_EFFECT, "compiled", "compiled_anyway", "look_at_log", told)
    return same("eager", True, shown.facts.enforce_eager, *evidence)


_DTYPES: Final = {"half": "float16", "float": "float32"}


def _dtype(asked: Asked, shown: Shown) -> Finding | None:
    if asked.dtype in ("", "auto"):
        return None
    finding = same("dtype", _DTYPES.get(asked.dtype, asked.dtype), shown.facts.dtype, *shown.facts.lines("dtype"))
    if finding.verdict is Verdict.NO_EFFECT and "bf16_fallback" in shown.facts.warnings:
        told = shown.facts.lines("bf16_fallback")
        return Finding("dtype", finding.asked, Verdict.NO_EFFECT, finding.found, "bf16_fallback", "", told)
    return finding


def _quantization(asked: Asked, shown: Shown) -> Finding | None:
    if not asked.quantization:
        return None
    found = shown.facts.quantization
    evidence = shown.facts.lines("quantization")
    # vLLM picks a faster kernel for the same weights: "awq" becomes "awq_marlin", "gptq" "gptq_marlin".
    if found and found.split("_")[0] == asked.quantization.split("_")[0]:
        return Finding("quantization", asked.quantization, Verdict.TOOK_EFFECT, found, evidence=evidence)
    if found == "":
        return Finding("quantization", asked.quantization, Verdict.NO_EFFECT, "", "not_quantized", "", evidence)
    return same("quantization", asked.quantization, found, *evidence)


def _tensor_parallel(asked: Asked, shown: Shown) -> Finding | None:
    if asked.tensor_parallel is None:
        return None
    facts = shown.facts
    return same("tensor_parallel", asked.tensor_parallel, facts.tensor_parallel, *facts.lines("tensor_parallel"))


def _accepted(option: str, value: int | None, shown: Shown) -> Finding | None:
    """vLLM echoes these and shows nothing of their effect."""
    if value is None:
        return None
    told = shown.facts.was_accepted(option)
    reason = "only_accepted" if told == str(value) else "not_said"
    return Finding(option, str(value), Verdict.CANNOT_TELL, told or "", reason, "", shown.facts.lines("accepted"))


def _max_num_seqs(asked: Asked, shown: Shown) -> Finding | None:
    return _accepted("max_num_seqs", asked.max_num_seqs, shown)


def _max_num_batched_tokens(asked: Asked, shown: Shown) -> Finding | None:
    return _accepted("max_num_batched_tokens", asked.max_num_batched_tokens, shown)


OPTION_RULES: Final = (
    _served_name, _context, _eager, _dtype, _quantization, _tensor_parallel, _max_num_seqs, _max_num_batched_tokens,
)  # fmt: skip
