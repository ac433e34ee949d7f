"""Reading Python in a thread while another thread does the same."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from core.engine.capabilities.parsing import parse

TEXT = "\n".join(
    f"def f{number}(a, b=({number}, [1, {{'x': (3, 4)}}])): return [a + b * {number}]" for number in range(60)
)


@pytest.fixture
def threads_change_often() -> Iterator[None]:
    """Also in the midst of a parse: the collector runs Python there."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()

    def busy(_phase: str, _info: dict[str, int]) -> None:
        sum(range(50))

    sys.setswitchinterval(1e-6)
    gc.callbacks.append(busy)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*thresholds)
    gc.callbacks.remove(busy)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("threads_change_often")
def test_threads_that_parse_at_once_do_not_disturb_each_other() -> None:
    whole = ast.dump(ast.parse(TEXT))
    found: list[str] = []

    def work() -> None:
        found.extend(ast.dump(parse(TEXT)) for _ in range(15))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [whole] * 30


def test_what_is_no_python_is_refused_as_ever() -> None:
    with pytest.raises(SyntaxError):
        parse("def (")
    assert isinstance(parse("1 + 1", "eval").body, ast.BinOp)
