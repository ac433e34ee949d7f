"""What one answer cost, from the server's `usage` and the client's clock. Pure; tokens are never counted by chunks.

One chunk of a vLLM stream is not one token: a chunk with empty content still carries a token (a special token, half of
a character), and one chunk may carry several (seen on vLLM 0.32; speculative decoding makes it the rule). With
`stream_options.continuous_usage_stats` every chunk tells the exact `completion_tokens` so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from core.speed_card import SpeedCard

SAMPLES: Final = 240


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a request up to one chunk, as the server gives them. `cached_tokens`: of the prompt, None when
    the server does not tell."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None = None


class SpeedMeter:
    """Feed every chunk in order; `card` is the figure so far. Times are `time.monotonic()` seconds.

    Decode rate = (completion_tokens - tokens in the first chunk) / (last - first), where first is the first chunk with
    content or reasoning and last the latest that brought a token. A server that tells the usage only at the end leaves
    the first chunk's tokens unknown: one is assumed and the card is not `exact`. With no usage at all the counts are 0,
    the rate None.

    Inter-token times are those between two arrivals of new tokens, as in vLLM's `inter_token_latency_seconds`: a chunk
    of several tokens is one arrival, and so are chunks that came in one piece.
    """

    def __init__(self, sent_s: float) -> None:
        self._sent_s = sent_s
        self._now_s = sent_s
        self._first_s: float | None = None
        self._first_tokens: int | None = None
        self._last_s = sent_s
        self._usage: Usage | None = None
        self._gaps = list[float]()
        self._samples = list[tuple[float, int]]()
        self._thought_from_s: float | None = None
        self._thought_until_s: float | None = None
        self._tokens_before_answer: int | None = None

    def feed(self, at_s: float, usage: Usage | None, has_text: bool) -> None:
        """One chunk: when it came, its usage snapshot if it had one, whether it had content or reasoning."""
        self._now_s = max(self._now_s, at_s)
        grew = usage is not None and usage.completion_tokens > self._completion_tokens
        if usage is not None:
            self._usage = usage
        if has_text and self._first_s is None:
            self._first_s = at_s
            self._first_tokens = usage.completion_tokens if usage is not None else None
            self._last_s = at_s
        elif (has_text and (grew or usage is None)) or (grew and self._first_tokens is not None):
            # Usage that comes only once, at the end, does not date the tokens that it counts.
            if at_s > self._last_s:
                self._gaps.append(at_s - self._last_s)
            self._last_s = at_s
        elif has_text:
            self._last_s = at_s
        if usage is not None and self._first_tokens is not None:
            self._sample(at_s, usage.completion_tokens)

    def thinks(self, thinking: bool) -> None:
        """The latest chunk was the first of the thinking, or the first of the answer after it."""
        if thinking and self._thought_from_s is None:
            self._thought_from_s = self._now_s
        elif not thinking and self._thought_from_s is not None and self._thought_until_s is None:
            self._thought_until_s = self._now_s
            self._tokens_before_answer = self._completion_tokens

    def card(self, *, final: bool = False, now_s: float | None = None) -> SpeedCard:
        """The figures up to the last chunk; `now_s` is when the stream ended, for the total."""
        total_s = max(self._now_s, now_s or self._now_s) - self._sent_s
        ttft_s = None if self._first_s is None else self._first_s - self._sent_s
        rate = self._decode_rate()
        guessed = rate is not None and self._first_tokens is None
        usage = self._usage or Usage(0, 0)
        until_s = self._thought_until_s or self._now_s
        gaps = sorted(self._gaps) if final else []
        return SpeedCard(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            ttft_s=ttft_s,
            decode_tokens_per_s=rate,
            total_s=total_s,
            exact=self._usage is not None and not guessed,
            final=final,
            prefill_tokens_per_s=prefill_rate(usage.prompt_tokens, usage.cached_tokens, ttft_s),
            cached_tokens=usage.cached_tokens,
            itl_p50_s=percentile(gaps, 0.5),
            itl_p99_s=percentile(gaps, 0.99),
            thinking_s=None if self._thought_from_s is None else until_s - self._thought_from_s,
            thinking_tokens=self._thinking_tokens(),
            samples=thinned(self._samples) if final else (),
        )

    @property
    def _completion_tokens(self) -> int:
        return self._usage.completion_tokens if self._usage is not None else 0

    def _thinking_tokens(self) -> int | None:
        if self._thought_from_s is None or self._usage is None:
            return None
        if self._thought_until_s is not None and self._first_tokens is None:
            return None  # the counts came at the end only
        return self._completion_tokens if self._tokens_before_answer is None else self._tokens_before_answer

    def _sample(self, at_s: float, tokens: int) -> None:
        after_s = at_s - self._sent_s
        if self._samples and self._samples[-1][0] == after_s:
            self._samples.pop()
        self._samples.append((after_s, tokens))

    def _decode_rate(self) -> float | None:
        if self._first_s is None or self._usage is None:
            return None
        first_tokens = 1 if self._first_tokens is None else self._first_tokens
        tokens, span_s = self._completion_tokens - first_tokens, self._last_s - self._first_s
        return tokens / span_s if tokens > 0 and span_s > 0 else None


def prefill_rate(prompt_tokens: int, cached_tokens: int | None, ttft_s: float | None) -> float | None:
    """Prompt tokens per second of the time to the first token; those found in the prefix cache were not computed."""
    computed = prompt_tokens - (cached_tokens or 0)
    return computed / ttft_s if ttft_s and computed > 0 else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Nearest rank."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def thinned(samples: Sequence[tuple[float, int]], most: int = SAMPLES) -> tuple[tuple[float, int], ...]:
    """At most `most` of them, evenly, the first and the last among them."""
    if len(samples) <= most:
        return tuple(samples)
    step = (len(samples) - 1) / (most - 1)
    return tuple(samples[round(number * step)] for number in range(most))
