"""One short prompt, put to the server twice: the second time its prefix is in the cache, or it is not."""

from __future__ import annotations

import time
from typing import Final

import httpx2

from core.engine import metrics
from core.engine.counters import Counters, counters_of
from core.engine.endpoint import Endpoint

# Cache hits come in whole blocks (16 tokens, 128 on a CPU build, more for hybrid models): some of them must fit.
_WORDS: Final = 400
# A word here is two tokens with most tokenizers, never four.
_WORDS_PER_TOKEN: Final = 0.25
TIMEOUT_S: Final = 120.0


async def ask_twice(endpoint: Endpoint, context_tokens: int) -> tuple[Counters, Counters] | None:
    """The counters before and after; one token is answered each time. None where the server refuses.

    Only prompts are sent, through `/v1/completions`: no chat template has a say.
    """
    words = min(_WORDS, int((context_tokens or _WORDS) * _WORDS_PER_TOKEN))
    prompt = " ".join(str(number % 10) for number in range(words))
    body = {"model": endpoint.model, "prompt": prompt, "max_tokens": 1, "temperature": 0.0}
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    # Loopback: no proxy from the environment, no certificate store to load.
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=TIMEOUT_S) as client:
        before = counters_of(await metrics.fetch(endpoint), time.monotonic())
        for _ in range(2):
            try:
                answer = await client.post(f"{endpoint.base_url}/v1/completions", json=body, headers=headers)
            except httpx2.HTTPError:
                return None
            if answer.status_code != 200:
                return None
        return before, counters_of(await metrics.fetch(endpoint), time.monotonic())
