"""The figures of one answer, as everyone but the meter sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A figure on which client and server differ by more than 5 %. `figure`: a field of `SpeedCard`; `cause`: a word id
    of the terms' group `speed_cause`."""

    figure: str
    ours: float
    servers: float
    cause: str


@dataclass(frozen=True, slots=True)
class SpeedCard:
    """What one answer cost. Counts come from the server's `usage`, never from counting chunks; times are seconds on
    the client's monotonic clock from sending the request.

    `ttft_s`: first content or reasoning. `decode_tokens_per_s`: (completion_tokens - tokens in the first chunk) /
    (last - first), None with fewer than two chunks. `exact` is False when the server sent no usage, or sent it only at
    the end, so that one token is assumed for the first chunk.

    `prefill_tokens_per_s`: prompt tokens that were not cached / TTFT. `cached_tokens`: of the prompt, found in the
    prefix cache, None unknown. `itl_p50_s`, `itl_p99_s`: between two arrivals of new tokens. `thinking_s`,
    `thinking_tokens`: from the first reasoning to the first content (None without reasoning). `acceptance`: share of
    the drafted tokens that speculative decoding kept. `samples`: (seconds, completion tokens so far), at most 240, on
    the final card only. `checked`: the server's own counters were compared; `disagreements` is what they say otherwise,
    `unchecked` a word id (group `speed_unchecked`) for why they could not be.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    ttft_s: float | None = None
    decode_tokens_per_s: float | None = None
    total_s: float = 0.0
    exact: bool = False
    final: bool = False
    prefill_tokens_per_s: float | None = None
    cached_tokens: int | None = None
    itl_p50_s: float | None = None
    itl_p99_s: float | None = None
    thinking_s: float | None = None
    thinking_tokens: int | None = None
    acceptance: float | None = None
    samples: tuple[tuple[float, int], ...] = ()
    checked: bool = False
    unchecked: str = ""
    disagreements: tuple[Disagreement, ...] = ()


NO_FIGURES: Final = SpeedCard()
