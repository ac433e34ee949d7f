"""What the server itself counts: its Prometheus page, parsed and fetched.

Names (vLLM 0.32, facts hold from 0.10.2 on unless said): `vllm:num_requests_running`, `vllm:num_requests_waiting`,
`vllm:kv_cache_usage_perc`, `vllm:prompt_tokens_total`, `vllm:generation_tokens_total`, the histograms
`vllm:time_to_first_token_seconds`, `vllm:inter_token_latency_seconds` (one observation per step that brought tokens)
and `vllm:request_time_per_output_token_seconds` (one per request: decode time / (tokens - 1)). No API key is needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx2

from core.engine.endpoint import Endpoint
from core.engine.health import http_get
from core.errors import AppError

FETCH_S: Final = 5.0

RUNNING: Final = "vllm:num_requests_running"
GENERATED: Final = "vllm:generation_tokens_total"
TIME_PER_OUTPUT_TOKEN: Final = "vllm:request_time_per_output_token_seconds"
INTER_TOKEN_LATENCY: Final = "vllm:inter_token_latency_seconds"
TIME_TO_FIRST_TOKEN: Final = "vllm:time_to_first_token_seconds"
KV_USAGE: Final = "vllm:kv_cache_usage_perc"
# Its name up to 0.9.
KV_USAGE_OLD: Final = "vllm:gpu_cache_usage_perc"

_SAMPLE: Final = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?\s*")
_LABEL: Final = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"')
_ESCAPES: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Sum of what was observed (in the metric's unit) and how many observations."""

    sum: float
    count: float

    def since(self, earlier: Histogram) -> Histogram:
        """What was observed between two pages."""
        return Histogram(self.sum - earlier.sum, self.count - earlier.count)

    @property
    def mean(self) -> float | None:
        return self.sum / self.count if self.count > 0 else None


@dataclass(frozen=True, slots=True)
class Metrics:
    """One page of samples, in its order."""

    samples: tuple[Sample, ...]

    def value(self, name: str, **labels: str) -> float | None:
        """The sum over all samples of a name that carry these labels (one per engine or model); None without any."""
        found = [
            sample.value
            for sample in self.samples
            if sample.name == name and labels.items() <= dict(sample.labels).items()
        ]
        return sum(found) if found else None

    def histogram(self, name: str, **labels: str) -> Histogram:
        """Sum and count of a histogram; both 0 while nothing was observed."""
        return Histogram(self.value(f"{name}_sum", **labels) or 0.0, self.value(f"{name}_count", **labels) or 0.0)


def kv_used(metrics: Metrics) -> float | None:
    """Share of the KV cache in use, 0 to 1: the mean over engines (data parallel ones have a cache each)."""
    for name in (KV_USAGE, KV_USAGE_OLD):
        shares = [sample.value for sample in metrics.samples if sample.name == name]
        if shares:
            return min(1.0, max(0.0, sum(shares) / len(shares)))
    return None


def parse(text: str) -> Metrics:
    """The Prometheus text format. Lines that are no samples (comments, garbage) are passed over."""
    samples: list[Sample] = []
    for line in text.splitlines():
        match = _SAMPLE.fullmatch(line)
        if match is None:
            continue
        name, labels, number = match.groups()
        try:
            value = float(number)
        except ValueError:
            continue
        pairs = {key: _unescaped(raw) for key, raw in _LABEL.findall(labels or "")}
        samples.append(Sample(name, pairs, value))
    return Metrics(tuple(samples))


def _unescaped(raw: str) -> str:
    return _ESCAPES.sub(lambda match: "\n" if match[1] == "n" else match[1], raw)


async def fetch(endpoint: Endpoint, timeout_s: float = FETCH_S) -> Metrics:
    """The server's page now.

    Raises:
        AppError: `server.not_running` when it does not answer with one.
    """
    # Loopback: no proxy from the environment, no certificate store to load.
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=timeout_s) as client:
        try:
            response = await client.get(f"{endpoint.base_url}/metrics")
            response.raise_for_status()
        except httpx2.HTTPError as error:
            raise AppError("server.not_running", repr(error)) from error
    return parse(response.text)


async def poll(port: int, timeout_s: float = FETCH_S) -> Metrics:
    """The page of our own server, for looks that come again and again: plain sockets like the polls of `/health`, which
    cost little and whose lines are left out of the server's log.

    Raises:
        AppError: `server.not_running` when it does not answer with one.
    """
    try:
        status, body = await http_get(port, "/metrics", timeout_s=timeout_s)
    except OSError as error:
        raise AppError("server.not_running", repr(error)) from error
    if status != 200:
        raise AppError("server.not_running", f"/metrics: {status}")
    return parse(body.decode("utf-8", "replace"))
