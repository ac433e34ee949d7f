"""Fixtures of the engine's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.paths import Paths
from tests.support.failing_disk import FailingDisk, NoDisk, failing_disk, is_attached
from tests.support.serving import Serving, fake_engine, wait_for

DISK_MIB = 192


@pytest.fixture
def serving(home: Paths, tmp_path: Path) -> Serving:
    """A user with a fake engine."""
    home.ensure()
    return Serving(home, tmp_path, fake_engine(tmp_path))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FailingDisk]:
    """A mounted disk that can be made to fail; nothing of it is left after the test."""
    try:
        with failing_disk(tmp_path, DISK_MIB) as made:
            yield made
    except NoDisk as error:
        pytest.skip(f"no disk of its own may be mounted here: {error}")
    assert wait_for(lambda: not is_attached(made.image), 10)
