"""Flags of an article as choices of the Launch page, and what a person is told about each."""

from __future__ import annotations

from dataclasses import replace

from core import words
from core.engine.found.translate import Found, Remark
from core.planning.choices import Choices


def with_found(choices: Choices, found: Found) -> Choices:
    """`choices` with what an article says; where it says nothing they stay."""
    tuning = found.tuning
    return replace(
        choices,
        context=found.context or choices.context,
        enforce_eager=choices.enforce_eager if found.enforce_eager is None else found.enforce_eager,
        max_num_seqs=tuning.max_num_seqs or choices.max_num_seqs,
        max_num_batched_tokens=tuning.max_num_batched_tokens or choices.max_num_batched_tokens,
        kv_cache_dtype=tuning.kv_cache_dtype if tuning.kv_cache_dtype != "auto" else choices.kv_cache_dtype,
        offload_gib=tuning.cpu_offload_gib or choices.offload_gib,
        more=found.options,
    )


def explained(remark: Remark, language: str) -> str:
    """What a person reads about one flag."""
    shown = {name: words.show_fact(name, value, language) for name, value in remark.facts.items()}
    text = words.term("found_flag", remark.id, language).format_map(shown)
    if remark.error is not None:
        text = f"{text} {words.explain(remark.error, language).sentence}"
    if why := remark.facts.get("why"):
        text = f"{text} {words.term('noop', str(why), language)}"
    return text
