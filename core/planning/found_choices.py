"""Flags of an article as choices of the Launch page, and what a person is told about each."""

from __future__ import annotations

from dataclasses import replace

from core import words
from core.engine.extra_args import grouped
from core.engine.found.translate import Found, Remark
from core.engine.options import LaunchOptions
from core.errors import Fact
from core.planner.options import GIB
from core.planning.choices import Choices
from core.planning.hardware import CardMemory


def with_found(choices: Choices, found: Found, card: CardMemory | None = None) -> Choices:
    """`choices` with what an article says; where it says nothing they stay.

    Args:
        card: a share of it becomes what is left free.
    """
    tuning = found.tuning
    free = free_of_share(tuning.gpu_memory_utilization, card)
    return replace(
        choices,
        context=found.context or choices.context,
        enforce_eager=choices.enforce_eager if found.enforce_eager is None else found.enforce_eager,
        max_num_seqs=tuning.max_num_seqs or choices.max_num_seqs,
        max_num_batched_tokens=tuning.max_num_batched_tokens or choices.max_num_batched_tokens,
        kv_cache_dtype=tuning.kv_cache_dtype if tuning.kv_cache_dtype != "auto" else choices.kv_cache_dtype,
        offload_gib=tuning.cpu_offload_gib or choices.offload_gib,
        leave_free_gib=choices.leave_free_gib if free is None else free,
        more=_merged(choices.more, found),
    )


def free_of_share(share: float | None, card: CardMemory | None) -> float | None:
    """GiB to leave free, besides what other programs use, so that vLLM gets the share that `--gpu-memory-utilization`
    names: it counts of the whole card. None where one of the two is not known."""
    if share is None or card is None:
        return None
    return round(max(0.0, card.free_bytes - share * card.total_bytes) / GIB, 1)


def _merged(options: LaunchOptions, found: Found) -> LaunchOptions:
    values = {name: getattr(found.options, name) for name in found.said}
    named = {argument.flag for argument in grouped(found.options.extra)}
    kept = [word for each in grouped(options.extra) if each.flag not in named for word in each.words]
    env = dict(options.env) | dict(found.options.env)
    return replace(options, **values, extra=(*kept, *found.options.extra), env=tuple(sorted(env.items())))


def explained(remark: Remark, language: str) -> str:
    """What a person reads about one flag."""
    shown = {name: _shown(name, value, language) for name, value in remark.facts.items()}
    text = words.term("found_flag", remark.id, language).format_map(shown)
    if remark.error is not None:
        text = f"{text} {words.explain(remark.error, language).sentence}"
    if why := remark.facts.get("why"):
        text = f"{text} {words.term('noop', str(why), language)}"
    return text


def _shown(name: str, value: Fact, language: str) -> str:
    """A size with one decimal, or as many as it has, and the decimal mark of the language."""
    if not isinstance(value, float):
        return words.show_fact(name, value, language)
    text = f"{value:.1f}" if value == round(value, 1) else f"{value:g}"
    return text.replace(".", ",") if language == "ru" else text
