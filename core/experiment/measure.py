"""One greedy answer of a running server, measured."""

from __future__ import annotations

import time
from contextlib import aclosing
from typing import Final

from core.chat.client import Params, stream_chat
from core.chat.conversation import Conversation
from core.chat.speed import SpeedMeter
from core.engine.endpoint import Endpoint
from core.experiment.result import Answer

SEED: Final = 0


async def measure(endpoint: Endpoint, prompt: int, repeat: int, text: str, max_tokens: int) -> Answer:
    """Raises: AppError: `chat.*`."""
    params = Params(max_tokens=max_tokens, temperature=0.0, seed=SEED)
    meter, parts = SpeedMeter(time.monotonic()), list[str]()
    messages = Conversation().asked(text).to_api()
    async with aclosing(stream_chat(endpoint, messages, params)) as items:
        async for item in items:
            meter.feed(item.at_s, item.usage, item.has_text)
            parts += [item.reasoning, item.content]
    card = meter.card(final=True, now_s=time.monotonic())
    return Answer(
        prompt,
        repeat,
        "".join(parts),
        card.ttft_s,
        card.decode_tokens_per_s,
        card.prompt_tokens,
        card.completion_tokens,
    )
