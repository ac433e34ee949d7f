"""The Prometheus page: what is read of it, what is passed over."""

from __future__ import annotations

import asyncio
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.endpoint import Endpoint
from core.engine.metrics import RUNNING, Histogram, fetch, parse
from core.errors import AppError
from tests.support.fake_chat_server import fake_chat

# Cut from the page of a vLLM 0.32.0 server.
PAGE = r"""
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="starter"} 1.0
vllm:num_requests_running{engine="1",model_name="starter"} 2.0
vllm:generation_tokens_total{engine="0",model_name="a, \"b\" {c}\\d\n"} 8.0
vllm:request_success_total{engine="0",finished_reason="stop",model_name="starter"} 3.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="starter"} 4.0
vllm:inter_token_latency_seconds_bucket{engine="0",le="0.01",model_name="starter"} 0.0
vllm:inter_token_latency_seconds_bucket{engine="0",le="+Inf",model_name="starter"} 7.0
vllm:inter_token_latency_seconds_count{engine="0",model_name="starter"} 7.0
vllm:inter_token_latency_seconds_sum{engine="0",model_name="starter"} 0.21
process_start_time_seconds 1.7e+09 1700000000000
odd NaN
this is no sample
vllm:broken{ 5
"""


def test_values_labels_and_sums() -> None:
    page = parse(PAGE)
    assert page.value(RUNNING) == 3.0
    assert page.value(RUNNING, engine="1") == 2.0
    assert page.value("vllm:request_success_total", finished_reason="length") == 4.0
    assert page.value("vllm:generation_tokens_total", model_name='a, "b" {c}\\d\n') == 8.0
    assert page.value("process_start_time_seconds") == 1.7e9
    assert math.isnan(page.value("odd") or 0.0)
    assert page.value("vllm:nothing") is None
    assert len(page.samples) == 11


def test_histograms() -> None:
    latency = parse(PAGE).histogram("vllm:inter_token_latency_seconds")
    assert latency == Histogram(0.21, 7.0)
    assert latency.mean == pytest.approx(0.03)
    assert latency.since(Histogram(0.11, 5.0)).mean == pytest.approx(0.05)
    assert latency.since(latency).mean is None
    assert parse("").histogram("vllm:inter_token_latency_seconds") == Histogram(0.0, 0.0)


@given(st.text())
def test_garbage_is_passed_over(text: str) -> None:
    for sample in parse(text).samples:
        assert sample.name in text


def test_fetched_from_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with fake_chat() as endpoint:
        assert asyncio.run(fetch(endpoint)).value(RUNNING) == 0.0
    with pytest.raises(AppError) as caught:
        asyncio.run(fetch(Endpoint("http://127.0.0.1:9", "m", "k")))
    assert caught.value.code == "server.not_running"
