"""The server's own counters beside the client's figures. Pure.

Counters before and after an answer tell what the server thinks that it cost, as long as no other request ran. Where a
figure differs by more than 5 %, the card says so and why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from core.chat.speed import prefill_rate
from core.speed_card import Disagreement, SpeedCard

TOLERANCE: Final = 0.05
# Loopback, HTTP and the parsing of one chunk; less than this is no news about a time.
FLOOR_S: Final = 0.02
FEW_TOKENS: Final = 16


@dataclass(frozen=True, slots=True)
class Sum:
    """Sum and count of a histogram."""

    sum: float = 0.0
    count: float = 0.0

    def since(self, before: Sum) -> Sum:
        return Sum(self.sum - before.sum, self.count - before.count)


@dataclass(frozen=True, slots=True)
class Counters:
    """One look at `/metrics` (names of vLLM 0.32 in `core.speed_counters`). None: this server has no such counter."""

    running: float = 0.0
    waiting: float = 0.0
    finished: float = 0.0
    prompt_tokens: float | None = None
    generated_tokens: float | None = None
    cached_tokens: float | None = None
    drafted_tokens: float | None = None
    accepted_tokens: float | None = None
    ttft: Sum = Sum()
    per_token: Sum = Sum()


def reconcile(card: SpeedCard, before: Counters | None, after: Counters | None, *, ended: bool) -> SpeedCard:
    """The card with what the server says. Args: `ended`: the answer came to its end (an aborted one is not counted)."""
    if before is None or after is None:
        return replace(card, unchecked="no_metrics")
    if not ended:
        return replace(card, unchecked="unfinished")
    requests = after.finished - before.finished
    if before.running > 0 or after.running > 0 or requests > 1:
        return replace(card, unchecked="others")
    if requests < 1:
        return replace(card, unchecked="settling")
    cached = card.cached_tokens if card.cached_tokens is not None else _whole(before.cached_tokens, after.cached_tokens)
    return replace(
        card,
        checked=True,
        cached_tokens=cached,
        prefill_tokens_per_s=prefill_rate(card.prompt_tokens, cached, card.ttft_s),
        acceptance=_acceptance(before, after),
        disagreements=tuple(_disagreements(card, before, after)),
    )


def _disagreements(card: SpeedCard, before: Counters, after: Counters) -> list[Disagreement]:
    found = list[Disagreement]()
    counted = card.completion_tokens > 0
    prompt = _whole(before.prompt_tokens, after.prompt_tokens)
    generated = _whole(before.generated_tokens, after.generated_tokens)
    if prompt is not None and _differ(card.prompt_tokens, prompt):
        cause = "template" if counted else "no_usage"
        found.append(Disagreement("prompt_tokens", card.prompt_tokens, prompt, cause))
    if generated is not None and _differ(card.completion_tokens, generated):
        cause = "unknown" if counted else "no_usage"
        found.append(Disagreement("completion_tokens", card.completion_tokens, generated, cause))
    ttft = after.ttft.since(before.ttft)
    if card.ttft_s is not None and ttft.count == 1 and _differ(card.ttft_s, ttft.sum, FLOOR_S):
        cause = "delivery" if card.ttft_s > ttft.sum else "rounding"
        found.append(Disagreement("ttft_s", card.ttft_s, ttft.sum, cause))
    per_token = after.per_token.since(before.per_token)
    if card.decode_tokens_per_s is not None and per_token.count == 1 and per_token.sum > 0:
        servers = 1 / per_token.sum
        if _differ(card.decode_tokens_per_s, servers):
            found.append(Disagreement("decode_tokens_per_s", card.decode_tokens_per_s, servers, _why(card, servers)))
    return found


def _why(card: SpeedCard, servers: float) -> str:
    if not card.exact:
        return "no_usage"
    if card.completion_tokens < FEW_TOKENS:
        return "rounding"
    return "delivery" if (card.decode_tokens_per_s or 0.0) < servers else "bunched"


def _differ(ours: float, servers: float, floor: float = 0.0) -> bool:
    return abs(ours - servers) > max(TOLERANCE * abs(servers), floor)


def _whole(before: float | None, after: float | None) -> int | None:
    return None if before is None or after is None else round(after - before)


def _acceptance(before: Counters, after: Counters) -> float | None:
    drafted = _whole(before.drafted_tokens, after.drafted_tokens)
    accepted = _whole(before.accepted_tokens, after.accepted_tokens)
    return accepted / drafted if drafted and accepted is not None else None
