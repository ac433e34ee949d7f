"""A plan as text for a terminal, in the person's language. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from core import words
from core.events import ErrorInfo
from core.planner.amounts import Amount, Certainty, Item, Tier, Verdict
from core.planner.levers import Lever
from core.planner.options import Options
from core.planner.plan import Plan
from core.planner.ple import GPU
from core.planner.solver import Solution
from core.planner.speed import Bound, Speed
from core.precise_plan import Compared, compare

if TYPE_CHECKING:
    from core.cli.plan import Answer

MOST_LEVERS: Final = 6
_NAME, _SIZE, _MARK = 30, 10, 12


class Say:
    """Terms of group "plan", and sizes, in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, name: str, **values: object) -> str:
        return words.term("plan", name, self.language).format_map(values)

    def size(self, size: int) -> str:
        return words.show_bytes(size, self.language)

    def number(self, value: float, digits: int = 0) -> str:
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", "\u00a0,")) if self.language == "ru" else text

    def written(self, value: str) -> str:
        """A value of an option: a number in the language's own way, anything else as it is."""
        if value.isdigit():
            return self.number(int(value))
        return value.replace(".", ",") if self.language == "ru" and value.replace(".", "").isdigit() else value


def as_text(answer: Answer, language: str) -> str:
    """Head, one table per tier, the verdict, KV cache, speed, what would help, the command."""
    say, plan = Say(language), answer.plan
    blocks = [
        _head(answer, say),
        *(_tier(tier, plan, say) for tier in plan.tiers),
        [_verdict(plan, say), *_cache(plan, say), *_table(plan, say), *_speed(plan, say)],
        _solutions(answer.solutions, say),
        _levers(answer.levers, say),
        _precise(answer, say),
        _warnings(answer, say),
        [say("command"), f"  {plan.command.line(answer.model)}"],
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _head(answer: Answer, say: Say) -> list[str]:
    plan, checkpoint = answer.plan, answer.subject.checkpoint
    request, resolved = plan.request, plan.resolved
    parts = [checkpoint.config.architecture, resolved.dtype]
    if checkpoint.quantization.method:
        parts.append(checkpoint.quantization.method)
    lines = [f"{answer.subject.name}: {', '.join(part for part in parts if part)}"]
    gpus = request.hardware.gpus
    if request.engine.platform == "cpu":
        lines.append(say("on_cpu", version=request.engine.text))
    elif gpus:
        capability = ".".join(map(str, gpus[0].capability))
        count = f"{request.options.tensor_parallel} × " if request.options.tensor_parallel > 1 else ""
        card = f"{count}{gpus[0].name}"
        size = say.size(gpus[0].total_bytes)
        lines.append(say("on_gpu", version=request.engine.text, gpu=card, size=size, capability=capability))
    else:
        lines.append(say("on_nothing", version=request.engine.text))
    context, seqs = say.number(resolved.context), say.number(resolved.max_num_seqs)
    return [*lines, say("context", context=context, seqs=seqs)]


def _tier(tier: Tier, plan: Plan, say: Say) -> list[str]:
    head = say(f"tier_{tier.id}")
    used = say.size(tier.likely_bytes)
    of = say("of", size=say.size(tier.limit_bytes)) if tier.limit_bytes is not None else ""
    lines = [f"{head:<{_NAME + 2}}{used:>{_SIZE}} {of:<{_MARK}}  {say(_VERDICT_WORDS[tier.verdict])}".rstrip()]
    # A whole KV space where its size is decided beforehand, else what one request needs of what is left.
    space = tier.id == "ram" or plan.request.options.kv_cache_bytes is not None
    shown = (item for item in tier.items if item.amount.top > 0 or item.amount.high is None)
    return lines + [_row(item, "kv_space" if space and item.id == "kv_cache" else item.id, say) for item in shown]


_VERDICT_WORDS: Final = {
    Verdict.FITS: "fits",
    Verdict.TIGHT: "tight",
    Verdict.NO: "no",
    Verdict.UNKNOWN: "unknown",
}


def _row(item: Item, part: str, say: Say) -> str:
    amount = item.amount
    name = say(f"part_{part}")
    return f"  {name:<{_NAME}}{say.size(amount.likely):>{_SIZE}}  {say(str(amount.certainty))}{_band(amount, say)}"


def _band(amount: Amount, say: Say) -> str:
    if amount.certainty is Certainty.EXACT:
        return ""
    if amount.certainty is Certainty.LEARNED:
        return f" {say('learned_from', spread=say.size((amount.top - amount.low) // 2), runs=amount.runs)}"
    if amount.high is None:
        return f" {say('at_least', size=say.size(amount.low))}"
    return f" {say('between', low=say.size(amount.low), high=say.size(amount.high))}"


# ---- in sentences --------------------------------------------------------------------------------------------------


def _verdict(plan: Plan, say: Say) -> str:
    if plan.verdict is Verdict.FITS:
        return say("verdict_fits")
    if plan.verdict is Verdict.UNKNOWN:
        return say("verdict_unknown")
    if plan.refused:
        return say("verdict_refused", reason=plan.refused)
    full = [tier for tier in plan.tiers if tier.limit_bytes is not None and tier.likely_bytes > tier.limit_bytes]
    lacking = [
        say("lacks", tier=say(f"tier_{tier.id}"), size=say.size(tier.likely_bytes - (tier.limit_bytes or 0)))
        for tier in full
    ]
    name = "verdict_tight" if plan.verdict is Verdict.TIGHT else "verdict_no"
    return " ".join([say(name), *lacking])


def _cache(plan: Plan, say: Say) -> list[str]:
    kv = plan.kv
    lines: list[str] = []
    if kv.grouping.refused:
        lines.append(say("kv_refused", reason=kv.grouping.refused))
    elif kv.refused and kv.budget_bytes is not None:
        need, room = say.size(kv.bytes_one_request), say.size(kv.budget_bytes)
        lines.append(say("kv_short", context=say.number(plan.resolved.context), need=need, room=room))
    elif kv.capacity_tokens is not None and kv.concurrency is not None:
        requests = say.number(kv.concurrency, 1)
        tokens, size = say.number(kv.capacity_tokens), say.size(kv.budget_bytes or 0)
        name = "kv_room_cpu" if plan.request.engine.platform == "cpu" else "kv_room"
        lines.append(say(name, size=size, tokens=tokens, requests=requests))
    if plan.vram is not None and kv.budget_bytes is not None and plan.longest_context:
        lines.append(say("longest", tokens=say.number(plan.longest_context)))
    return lines


def _table(plan: Plan, say: Say) -> list[str]:
    """Where Stowage's plugin keeps the per-layer embedding table, and what a token pays for its row."""
    ple = plan.ple
    if ple is None or ple.placement == GPU:
        return []
    size, cache = say.size(ple.table_bytes), say.size(ple.ram_bytes)
    lines = [say(f"ple_{ple.placement}", size=size, cache=cache, ms=say.number(ple.cold_read_s * 1e3, 1))]
    if not ple.measured:
        lines.append(say("ple_not_measured"))
    if plan.request.engine.platform != "cpu":
        lines.append(say("ple_not_proven"))
    return lines


_BOUNDS: Final = {
    Bound.VRAM: "bound_vram",
    Bound.LINK: "bound_link",
    Bound.RAM: "bound_ram",
    Bound.LAUNCHES: "bound_launches",
    Bound.KV: "bound_kv",
    Bound.TABLE: "bound_table",
}


def _speed(plan: Plan, say: Say) -> list[str]:
    speed = plan.speed
    if speed is None:
        return [say("speed_unknown_cpu" if plan.request.engine.platform == "cpu" else "speed_unknown")]
    rates = {name: _rate(value, say) for name, value in (("low", speed.low), ("high", speed.high))}
    ttft = {name: say.number(value, 2) for name, value in (("low", speed.ttft_low_s), ("high", speed.ttft_high_s))}
    return [
        say("speed", likely=_rate(speed.likely, say), **rates),
        say("ttft", prompt=speed.prompt_tokens, **ttft),
        _why(speed, say),
    ]


def _why(speed: Speed, say: Say) -> str:
    away = speed.bound in (Bound.LINK, Bound.RAM) and speed.offloaded_read_bytes
    size = speed.offloaded_read_bytes if away else speed.read_bytes
    return say(_BOUNDS[speed.bound], size=say.size(size))


def _rate(value: float, say: Say) -> str:
    return say.number(value, 0 if value >= 20 else 1)


# ---- what one could change -----------------------------------------------------------------------------------------


def _levers(found: tuple[Lever, ...], say: Say) -> list[str]:
    """One of a kind: of several contexts the longest that does as well as any."""
    if not found:
        return []
    mildest: dict[str, Lever] = {}
    for lever in found:
        known = mildest.get(lever.id)
        if known is None or (lever.verdict is known.verdict and lever.vram_gain_bytes < known.vram_gain_bytes):
            mildest[lever.id] = lever
    return [say("levers"), *(_lever(lever, say) for lever in [*mildest.values()][:MOST_LEVERS])]


def _lever(lever: Lever, say: Say) -> str:
    gains: list[str] = []
    if lever.vram_gain_bytes:
        gains.append(say("gain_vram", size=say.size(lever.vram_gain_bytes)))
    if lever.ram_cost_bytes:
        gains.append(say("cost_ram", size=say.size(lever.ram_cost_bytes)))
    if lever.speed_factor is not None and abs(lever.speed_factor - 1) > 0.05:
        gains.append(say("factor", factor=say.number(lever.speed_factor, 2)))
    gains.append(say(_VERDICT_WORDS[lever.verdict]))
    value = say.written(lever.value)
    name, cost = say(f"lever_{lever.id}", value=value), say(f"lever_{lever.id}_cost")
    return f"  {name}: {', '.join(gains)}. {cost}"


def _solutions(found: tuple[Solution, ...], say: Say) -> list[str]:
    lines = [say("solutions")] if found else []
    for number, solution in enumerate(found, 1):
        plan = solution.plan
        gives_up = "; ".join(_losses(plan.request.options, say)) or say("nothing_lost")
        rate = say("rate", rate=_rate(plan.speed.likely, say)) if plan.speed else ""
        parts = [say(_VERDICT_WORDS[plan.verdict]), say("tokens", tokens=say.number(plan.resolved.context)), rate]
        lines.append(f"  {number}. {', '.join(part for part in parts if part)}. {gives_up}")
    return lines


def _losses(options: Options, say: Say) -> list[str]:
    """What these options give up, as `solver` counts it."""
    found: list[str] = []
    if options.max_num_batched_tokens is not None:
        found.append(say("lever_max_num_batched_tokens", value=say.number(options.max_num_batched_tokens)))
    if options.kv_cache_dtype != "auto":
        found.append(say("lever_kv_cache_dtype", value=options.kv_cache_dtype))
    if options.enforce_eager:
        found.append(say("lever_enforce_eager", value=""))
    if options.language_model_only:
        found.append(say("lever_language_model_only", value=""))
    if options.ple_placement != GPU:
        found.append(say(f"lever_ple_{options.ple_placement}"))
    if options.offload_gib > 0:
        name = "lever_cpu_offload_params" if options.offload_params else "lever_cpu_offload_gb"
        found.append(say(name, value=say.written(f"{options.offload_gib:g}")))
    return found


# ---- vLLM's own figures ---------------------------------------------------------------------------------------------


def _precise(answer: Answer, say: Say) -> list[str]:
    precise = answer.precise
    if precise is None:
        return []
    if isinstance(precise, ErrorInfo):
        told = words.explain(precise, say.language)
        return [f"{told.title}. {told.sentence}"]
    name = "precise_cached" if precise.cached else "precise_now"
    lines = [say(name, version=precise.version, engine=precise.engine, seconds=say.number(precise.seconds, 1))]
    refused = precise.refused or (precise.figures.kv.refused if precise.figures is not None else None)
    if refused:
        lines.append(f"  {say('verdict_refused', reason=' '.join(refused.split()))}")
    return lines + [_compared(figure, say) for figure in compare(answer.plan, precise)]


def _compared(figure: Compared, say: Say) -> str:
    ours, theirs = say.number(figure.ours), say.number(figure.theirs)
    mark = say("equal") if figure.equal else say("differs", ours=ours)
    return f"  {say(f'figure_{figure.id}'):<{_NAME}}{theirs:>20}  {mark}"


def _warnings(answer: Answer, say: Say) -> list[str]:
    notes = [say(name) for name in answer.question.assumed] + list(answer.plan.warnings)
    return [say("notes"), *(f"  - {note}" for note in notes)] if notes else []
