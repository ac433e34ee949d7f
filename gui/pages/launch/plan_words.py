"""A plan in words: whether it fits, what follows from each option, how fast it will be and why."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.planner.amounts import Certainty, Item, Tier, Verdict
from core.planner.levers import Lever
from core.planner.plan import Plan
from core.planner.speed import Bound, Speed
from core.words import show_bytes
from gui import figures
from gui.pages.launch.part_words import PartWords
from gui.pages.launch.plan_ghost import items_of, short_of
from gui.pages.launch.plan_view import Consequences, LeverLine, PlanView, Says, TierLine

GIB = 1 << 30


def _matters(tier: Tier) -> bool:
    """Not the disk, while nothing is to come to it but caches and there is room."""
    return tier.id != "disk" or tier.verdict is not Verdict.FITS or any(map(_counts, tier.items[:-1]))


def _counts(item: Item) -> bool:
    """What is exactly nothing is not a part."""
    return item.amount.top > 0 or item.amount.certainty is not Certainty.EXACT


class PlanWords(QObject):
    """One language."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.parts = PartWords(language, self)

    def view(self, plan: Plan, budgets: dict[str, str], command: str, limit: int, *, known: bool) -> PlanView:
        """Args: `budgets` the bar's id of each tier; `limit` the model's own context, 0 unknown; `known` whether its
        architecture is modelled."""
        headline, detail = self._verdict(plan)
        tiers = tuple(
            TierLine(budgets[tier.id], tier.verdict, tuple(map(self.parts.line, filter(_counts, items_of(tier, plan)))))
            for tier in plan.tiers
            if tier.id in budgets and _matters(tier)
        )
        speed, meaning = self._speed(plan)
        return PlanView(
            plan.verdict,
            headline,
            detail,
            tiers,
            speed,
            meaning,
            plan.speed is None and plan.request.engine.platform == "cpu" and bool(plan.weights.by_part),
            self._consequences(plan, limit),
            self._notes(plan, known),
            plan.warnings,
            command,
        )

    def size(self, count_bytes: float) -> str:
        return show_bytes(count_bytes, self._language)

    def count(self, number: int) -> str:
        return figures.count(number, self._language)

    # ---- does it fit -----------------------------------------------------------------------------------------------

    def verdict(self, verdict: Verdict) -> str:
        return {
            Verdict.FITS: self.tr("Fits"),
            Verdict.TIGHT: self.tr("Tight"),
            Verdict.NO: self.tr("Does not fit"),
            Verdict.UNKNOWN: self.tr("Not known whether it fits"),
        }[verdict]

    def _verdict(self, plan: Plan) -> tuple[str, str]:
        head = self.verdict(plan.verdict)
        if plan.verdict is not Verdict.NO:
            return self.tr("{verdict}: {reason}").format(verdict=head, reason=self._why(plan)), ""
        reason = self._why_not(plan)
        detail = self.tr("You can launch it all the same; it will most likely end with an error.")
        return self.tr("{verdict}: {reason}").format(verdict=head, reason=reason), detail

    def _why(self, plan: Plan) -> str:
        tier = plan.vram or plan.host.tier
        place = self.tier(tier.id)
        if plan.verdict is Verdict.FITS:
            spare = (tier.limit_bytes or 0) - tier.likely_bytes
            return self.tr("about {size} of {place} to spare").format(size=self.size(spare), place=place)
        if plan.verdict is Verdict.TIGHT:
            return self.tr("by the likely figures, not by the highest ones")
        if plan.vram is not None and plan.vram.limit_bytes is None:
            return self.tr("the card's memory cannot be seen")
        return self.tr("only a lower end of what it needs is known")

    def _why_not(self, plan: Plan) -> str:
        kv = plan.kv
        if plan.resolved.context_too_long:
            return self.tr("the context is longer than the model allows")
        if plan.refused:
            return self.tr("vLLM refuses this model on this computer")
        if kv.grouping.refused:
            return self.tr("vLLM cannot lay out the memory of this model")
        for tier in plan.tiers:
            if tier.verdict is Verdict.NO:
                return self._short(tier)
        text = self.tr("{context} tokens need {need} of KV cache and {room} are there")
        room = max(0, kv.budget_bytes or 0)
        return text.format(
            context=self.count(plan.resolved.context), need=self.size(kv.bytes_one_request), room=self.size(room)
        )

    def _short(self, tier: Tier) -> str:
        text = self.tr("{place} is short by {size}")
        return text.format(place=self.tier(tier.id), size=self.size(short_of(tier)))

    def tier(self, tier_id: str) -> str:
        return {"vram": self.tr("VRAM"), "ram": self.tr("RAM"), "disk": self.tr("the disk")}[tier_id]

    def _notes(self, plan: Plan, known: bool) -> tuple[str, ...]:
        notes: list[str] = []
        if not known:
            notes.append(
                self.tr("Stowage does not know this architecture: sizes are a floor and a range, not vLLM's own count.")
            )
        if plan.offload.clipped:
            text = self.tr("Only {size} of this model can be moved to RAM.")
            notes.append(text.format(size=self.size(plan.offload.ceiling_bytes)))
        return tuple(notes)

    # ---- what follows from each option -----------------------------------------------------------------------------

    def _consequences(self, plan: Plan, limit: int) -> Consequences:
        return Consequences(
            context=self._context(plan, limit),
            requests=self._requests(plan),
            kv=self._kv(plan),
            free=self._free(plan),
            offload=self._offload(plan),
            step=self._step(plan),
            dtype=self._dtype(plan),
            eager=self._eager(plan),
        )

    def _context(self, plan: Plan, limit: int) -> Says:
        context, amount = plan.resolved.context, plan.kv_amount
        if limit and context > limit:
            return Says(self.tr("the model allows {limit} tokens").format(limit=self.count(limit)))
        size = self.parts.size(amount)
        own = plan.request.options.context is None
        if own:
            text = self.tr("{context} tokens · {size} of KV cache").format(context=self.count(context), size=size)
        else:
            text = self.tr("{size} of KV cache").format(size=size)
        each = amount.likely / context / 1024 if context else 0
        meaning = self.tr("For one conversation of {context} tokens, about {kib} KiB each. {certainty}").format(
            context=self.count(context),
            kib=figures.decimal(each, 1 if each < 100 else 0, self._language),
            certainty=self.parts.certainty(amount),
        )
        return Says(text, meaning)

    def _requests(self, plan: Plan) -> Says:
        wanted, kv = plan.request.options.max_num_seqs, plan.kv
        most = self.tr("up to {count}").format(count=self.count(plan.resolved.max_num_seqs))
        if kv.concurrency is None or kv.capacity_tokens is None or kv.refused:
            return Says("" if wanted else most)
        full = figures.decimal(kv.concurrency, 1, self._language)
        text = self.tr("room for {count} at full length").format(count=full)
        meaning = self.tr("The KV cache holds {tokens} tokens in all; shorter requests share it.").format(
            tokens=self.count(kv.capacity_tokens)
        )
        return Says(text if wanted else f"{most} · {text}", meaning)

    def _kv(self, plan: Plan) -> Says:
        kv = plan.kv
        if kv.refused:
            if not kv.longest_context:
                return Says(self.tr("too little for one request"))
            text = self.tr("enough for {tokens} tokens of context")
            return Says(text.format(tokens=self.count(kv.longest_context)))
        if kv.capacity_tokens is None:
            return Says()
        return Says(self.tr("holds {tokens} tokens").format(tokens=self.count(kv.capacity_tokens)))

    def _free(self, plan: Plan) -> Says:
        vram = plan.vram
        if vram is None or vram.limit_bytes is None or vram.total_bytes is None:
            return Says()
        text = self.tr("vLLM may take {limit} of {total}")
        meaning = self.tr("vLLM takes all of its share at once and fills what is left of it with KV cache.")
        return Says(text.format(limit=self.size(vram.limit_bytes), total=self.size(vram.total_bytes)), meaning)

    def _offload(self, plan: Plan) -> Says:
        offload = plan.offload
        if not offload.offloaded_bytes:
            return Says(self.tr("all weights on the card"))
        text = self.tr("{moved} of weights, {pinned} of RAM")
        meaning = self.tr("Blocks in RAM are rounded up to powers of two.")
        moved, pinned = self.size(offload.offloaded_bytes), self.size(offload.pinned_bytes)
        return Says(text.format(moved=moved, pinned=pinned), meaning)

    def _step(self, plan: Plan) -> Says:
        tokens = self.count(plan.resolved.max_num_batched_tokens)
        amount = plan.vram.part("activations") if plan.vram is not None else None
        if amount is None:
            return Says(self.tr("{tokens} tokens at a time").format(tokens=tokens))
        text = self.tr("{tokens} at a time · {size} of working memory")
        return Says(text.format(tokens=tokens, size=self.parts.size(amount)))

    def _dtype(self, plan: Plan) -> Says:
        if plan.resolved.layer_dtype.startswith("fp8"):
            return Says(self.tr("half the memory of 16 bits"))
        return Says(self.tr("{size} a request").format(size=self.parts.size(plan.kv_amount)))

    def _eager(self, plan: Plan) -> Says:
        amount = plan.vram.part("graphs") if plan.vram is not None else None
        if amount is None or not amount.likely:
            return Says()
        return Says(self.tr("CUDA graphs: {size}").format(size=self.parts.size(amount)))

    # ---- speed -----------------------------------------------------------------------------------------------------

    def _speed(self, plan: Plan) -> tuple[str, str]:
        speed = plan.speed
        if speed is None:
            return self._no_speed(plan), ""
        text = self.tr("about {low}–{high} tok/s, limited by {bound}")
        if plan.verdict is Verdict.NO:
            text = self.tr("if it fitted, about {low}–{high} tok/s, limited by {bound}")
        text = text.format(low=self._rate(speed.low), high=self._rate(speed.high), bound=self._bound(speed.bound))
        return text, self._speed_meaning(speed)

    def _speed_meaning(self, speed: Speed) -> str:
        text = self.tr(
            "For one conversation. Each token reads {read} of weights. A question of {tokens} tokens is answered after "
            "{low} to {high} s."
        ).format(
            read=self.size(speed.read_bytes + speed.offloaded_read_bytes),
            tokens=self.count(speed.prompt_tokens),
            low=figures.decimal(speed.ttft_low_s, 1, self._language),
            high=figures.decimal(speed.ttft_high_s, 1, self._language),
        )
        if not speed.offloaded_read_bytes:
            return text
        away = self.tr("{size} of them come from RAM.").format(size=self.size(speed.offloaded_read_bytes))
        return f"{text} {away}"

    def _no_speed(self, plan: Plan) -> str:
        if not plan.weights.by_part:
            return self.tr("not known for this model")
        if plan.request.engine.platform == "cpu":
            return self.tr("not known until the RAM of this computer is measured")
        return self.tr("not known for this graphics card")

    def _rate(self, rate: float) -> str:
        return figures.decimal(rate, 0 if rate >= 10 else 1, self._language)

    def _bound(self, bound: Bound) -> str:
        return {
            Bound.VRAM: self.tr("the speed of the graphics memory"),
            Bound.LINK: self.tr("the way from RAM to the graphics card"),
            Bound.RAM: self.tr("the speed of the RAM"),
            Bound.LAUNCHES: self.tr("the time to start each step of work"),
            Bound.KV: self.tr("reading the KV cache"),
            Bound.TABLE: self.tr("waiting for rows of the embedding table"),
        }[bound]

    # ---- levers ----------------------------------------------------------------------------------------------------

    def lever(self, lever: Lever, plan: Plan) -> LeverLine:
        name = self._lever_name(lever)
        gains: list[str] = []
        if lever.vram_gain_bytes >= 50 << 20:
            gains.append(self.tr("frees {size}").format(size=self.size(lever.vram_gain_bytes)))
        if lever.speed_factor is not None and lever.speed_factor > 1.05:
            factor = figures.decimal(lever.speed_factor, 1, self._language)
            gains.append(self.tr("{factor} times as fast").format(factor=factor))
        gains.append(self._outcome(lever.verdict, plan.verdict))
        return LeverLine(lever.id, name, " · ".join(gains), self._lever_cost(lever))

    def _outcome(self, after: Verdict, before: Verdict) -> str:
        if after is Verdict.NO:
            return self.tr("not enough alone")
        if after is before:
            return {
                Verdict.FITS: self.tr("still fits"),
                Verdict.TIGHT: self.tr("still tight"),
                Verdict.UNKNOWN: self.tr("still not known"),
            }[after]
        return {
            Verdict.FITS: self.tr("then it fits"),
            Verdict.TIGHT: self.tr("then it is tight"),
            Verdict.UNKNOWN: self.tr("then it is not known"),
        }[after]

    def _lever_name(self, lever: Lever) -> str:
        number = self.count(int(lever.value)) if lever.value.isdecimal() else lever.value
        if lever.id == "cpu_offload_gb":
            if lever.value == "0":
                return self.tr("No offload")
            return self.tr("Offload {size}").format(size=self.size(float(lever.value) * GIB))
        return {
            "context": self.tr("Context {count}"),
            "max_num_seqs": self.tr("{count} at once"),
            "max_num_batched_tokens": self.tr("{count} tokens per step"),
            "kv_cache_dtype": self.tr("KV cache in 8 bits"),
            "enforce_eager": self.tr("No CUDA graphs"),
            "cuda_graphs": self.tr("With CUDA graphs"),
            "cpu_kv_cache": self.tr("KV cache {count} GiB"),
            "ple_disk": self.tr("Per-layer table on disk"),
            "ple_ram": self.tr("Per-layer table in RAM"),
        }[lever.id].format(count=number)

    def _lever_cost(self, lever: Lever) -> str:
        if lever.id == "cpu_offload_gb" and lever.value == "0":
            return self.tr("All weights stay on the graphics card.")
        return {
            "context": self.tr("Questions and answers together may be shorter."),
            "max_num_seqs": self.tr("More requests than that wait for their turn."),
            "max_num_batched_tokens": self.tr("Long questions are read in more steps."),
            "kv_cache_dtype": self.tr("A little precision is lost in long conversations."),
            "enforce_eager": self.tr("It writes clearly more slowly."),
            "cuda_graphs": self.tr("The start takes longer."),
            "cpu_offload_gb": self.tr("Every token waits for these weights to come from RAM."),
            "cpu_kv_cache": self.tr("RAM set aside for the conversation changes."),
            "ple_disk": self.tr("A rare word may wait for the disk."),
            "ple_ram": self.tr("It takes its whole size there."),
        }[lever.id]
