"""A recorded computer, and a driver that does what a test wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support import fake_nvml
from tests.support.recorded import Recorded

StartDriver = Callable[..., fake_nvml.Driver]


@pytest.fixture(scope="session")
def nvml_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_nvml.build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def computer(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path / "computer")


@pytest.fixture
def start_driver(nvml_library: Path, computer: Recorded, tmp_path: Path) -> Iterator[StartDriver]:
    """Starts the reading program against `computer` with the driver in a given state."""
    with ExitStack() as stack:

        def start(
            *parts: Mapping[str, str], environment: Mapping[str, str] | None = None, **values: str
        ) -> fake_nvml.Driver:
            driver = fake_nvml.Driver(tmp_path, nvml_library, computer.root, environment)
            driver.says(*parts, **values)
            return stack.enter_context(driver)

        yield start
