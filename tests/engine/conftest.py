"""Fixtures of the engine's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.paths import Paths
from tests.support.serving import Serving, fake_engine


@pytest.fixture
def serving(home: Paths, tmp_path: Path) -> Serving:
    """A user with a fake engine."""
    home.ensure()
    return Serving(home, tmp_path, fake_engine(tmp_path))
