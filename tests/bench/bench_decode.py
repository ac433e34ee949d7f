"""Decode tokens/s that a person sees through Stowage against a minimal raw-socket client on the same server.

Alternating runs. Whatever else runs on the machine only slows a run, so the fastest third of each side is compared;
the ratio must be at least 0.98.
Writes `artefacts/bench/decode.json`.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from pathlib import Path

import pytest

from core.chat.params import Params
from core.chat.service import ChatService
from core.engine.endpoint import Endpoint
from core.events import EngineInfo, EventBus
from tests.bench.raw_client import raw_answer
from tests.support.real_server import real_server

RUNS = 12
TOKENS = 150
LEAST_RATIO = 0.98
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "decode.json"
MESSAGES = ({"role": "user", "content": "Tell a long story about a lighthouse."},)


def stowage_rate(endpoint: Endpoint) -> float:
    async def main() -> float:
        service = ChatService(EventBus(), lambda: endpoint)
        try:
            done = await service.start_answer("a", MESSAGES, Params(max_tokens=TOKENS, temperature=0.0))
        finally:
            await service.close()
        assert done.error is None
        assert done.speed.completion_tokens == TOKENS
        assert done.speed.decode_tokens_per_s is not None
        return done.speed.decode_tokens_per_s

    return asyncio.run(main())


def raw_rate(endpoint: Endpoint) -> float:
    body = {
        "model": endpoint.model,
        "messages": list(MESSAGES),
        "max_tokens": TOKENS,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
    }
    found = raw_answer(endpoint, body)
    assert found.completion_tokens == TOKENS
    return found.decode_tokens_per_s


def fastest(rates: list[float]) -> float:
    """The mean of the fastest third."""
    return statistics.mean(sorted(rates)[-(len(rates) // 3) :])


@pytest.mark.bench
@pytest.mark.engine
@pytest.mark.timeout(280)
def test_stowage_sees_the_tokens_as_fast_as_a_raw_socket(
    tmp_path: Path, real_engine: EngineInfo, starter_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stowage: list[float] = []
    raw: list[float] = []
    with real_server(tmp_path, real_engine, starter_path, 1024) as endpoint:
        raw_rate(endpoint)  # the first answer of a server is slower
        for run in range(RUNS):
            # Whoever goes second may find a warmer machine: take turns at that too.
            if run % 2:
                raw.append(raw_rate(endpoint))
            stowage.append(stowage_rate(endpoint))
            if not run % 2:
                raw.append(raw_rate(endpoint))
    seen, possible = fastest(stowage), fastest(raw)
    ratio = seen / possible
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    figures = {"unit": "decode tokens/s", "tokens": TOKENS, "stowage": stowage, "raw_socket": raw, "ratio": ratio}
    RESULT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    with capsys.disabled():
        print(
            f"\ndecode: Stowage {seen:.2f} tokens/s, raw socket {possible:.2f}, "
            f"ratio {ratio:.4f} (at least {LEAST_RATIO})"
        )
    assert ratio >= LEAST_RATIO
