"""What one answer cost, from the server's `usage` and the client's clock. Pure; tokens are never counted by chunks.

One chunk of a vLLM stream is not one token: a chunk with empty content still carries a token (a special token, half of
a character), and one chunk may carry several (seen on vLLM 0.32; speculative decoding makes it the rule). With
`stream_options.continuous_usage_stats` every chunk tells the exact `completion_tokens` so far.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.events import SpeedCard


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a request up to one chunk, as the server gives them."""

    prompt_tokens: int
    completion_tokens: int


class SpeedMeter:
    """Feed every chunk in order; `card` is the figure so far. Times are `time.monotonic()` seconds.

    Decode rate = (completion_tokens - tokens in the first chunk) / (last - first), where first is the first chunk with
    content or reasoning and last the latest that brought a token. A server that tells the usage only at the end leaves
    the first chunk's tokens unknown: one is assumed and the card is not `exact`. With no usage at all the counts are 0,
    the rate None.
    """

    def __init__(self, sent_s: float) -> None:
        self._sent_s = sent_s
        self._now_s = sent_s
        self._first_s: float | None = None
        self._first_tokens: int | None = None
        self._last_s = sent_s
        self._usage: Usage | None = None

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
        elif has_text or (grew and self._first_tokens is not None):
            # Usage that comes only once, at the end, does not date the tokens that it counts.
            self._last_s = at_s

    def card(self, *, final: bool = False, now_s: float | None = None) -> SpeedCard:
        """The figures up to the last chunk; `now_s` is when the stream ended, for the total."""
        total_s = max(self._now_s, now_s or self._now_s) - self._sent_s
        ttft_s = None if self._first_s is None else self._first_s - self._sent_s
        rate = self._decode_rate()
        guessed = rate is not None and self._first_tokens is None
        return SpeedCard(
            prompt_tokens=self._usage.prompt_tokens if self._usage else 0,
            completion_tokens=self._completion_tokens,
            ttft_s=ttft_s,
            decode_tokens_per_s=rate,
            total_s=total_s,
            exact=self._usage is not None and not guessed,
            final=final,
        )

    @property
    def _completion_tokens(self) -> int:
        return self._usage.completion_tokens if self._usage is not None else 0

    def _decode_rate(self) -> float | None:
        if self._first_s is None or self._usage is None:
            return None
        first_tokens = 1 if self._first_tokens is None else self._first_tokens
        tokens, span_s = self._completion_tokens - first_tokens, self._last_s - self._first_s
        return tokens / span_s if tokens > 0 and span_s > 0 else None
