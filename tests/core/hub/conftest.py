"""A user of the Hub: their folders, nothing of Hugging Face in the environment but what a test puts there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.support.hub import running_hub

_FOREIGN = ("HF_", "HUGGING", "TRANSFORMERS_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "REQUESTS_CA", "CURL_CA")


@pytest.fixture
def hf_home(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Hugging Face's tools keep token and cache."""
    for name in list(os.environ):
        if name.upper().startswith(_FOREIGN):
            monkeypatch.delenv(name)
    folder = tmp_path / "huggingface"
    monkeypatch.setenv("HF_HOME", str(folder))
    return folder


@pytest.fixture
def fake_hub(hf_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A loopback Hub, which the environment names as the endpoint."""
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub
