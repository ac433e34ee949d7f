"""The running server's counters, as the chat compares them with its own figures.

Names as in vLLM 0.32 (`v1/metrics/loggers.py`, `v1/spec_decode/metrics.py`). `request_success` counts a request when it
ends by itself; an aborted one is never counted.
"""

from __future__ import annotations

from typing import Final

from core.chat.reconcile import Counters, Sum
from core.engine.endpoint import Endpoint
from core.engine.metrics import GENERATED, RUNNING, TIME_PER_OUTPUT_TOKEN, TIME_TO_FIRST_TOKEN, Metrics, fetch
from core.errors import AppError

WAITING: Final = "vllm:num_requests_waiting"
FINISHED: Final = "vllm:request_success_total"
PROMPT: Final = "vllm:prompt_tokens_total"
CACHED: Final = "vllm:prompt_tokens_cached_total"
PREFIX_HITS: Final = "vllm:prefix_cache_hits_total"
DRAFTED: Final = "vllm:spec_decode_num_draft_tokens_total"
ACCEPTED: Final = "vllm:spec_decode_num_accepted_tokens_total"
# A look must not hold up the question that waits for it.
LOOK_S: Final = 1.0


async def counters(endpoint: Endpoint) -> Counters | None:
    """None when the server shows none."""
    try:
        found = await fetch(endpoint, LOOK_S)
    except AppError:
        return None
    return counters_of(found)


def counters_of(page: Metrics) -> Counters | None:
    running = page.value(RUNNING)
    if running is None:
        return None
    cached = page.value(CACHED)
    return Counters(
        running=running,
        waiting=page.value(WAITING) or 0.0,
        finished=page.value(FINISHED) or 0.0,
        prompt_tokens=page.value(PROMPT),
        generated_tokens=page.value(GENERATED),
        cached_tokens=page.value(PREFIX_HITS) if cached is None else cached,
        drafted_tokens=page.value(DRAFTED),
        accepted_tokens=page.value(ACCEPTED),
        ttft=_sum(page, TIME_TO_FIRST_TOKEN),
        per_token=_sum(page, TIME_PER_OUTPUT_TOKEN),
    )


def _sum(page: Metrics, name: str) -> Sum:
    found = page.histogram(name)
    return Sum(found.sum, found.count)
