"""The lock of what the tests keep: made once, used by many at a time, never deleted under anybody."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.held_folder import held

DEADLINE_S = 10.0


def test_two_workers_that_find_nothing_make_it_once_and_use_it_together(tmp_path: Path) -> None:
    folder = tmp_path / "engines"
    both_begin, both_use = threading.Barrier(2), threading.Barrier(2)

    def work() -> bool:
        made = False
        with held(folder) as lock:
            both_begin.wait(DEADLINE_S)
            if not folder.exists():
                with lock.making():
                    if not folder.exists():
                        with lock.alone():
                            folder.mkdir()
                            made = True
            # Broken (an error) when one of them has to wait for the other's end.
            both_use.wait(DEADLINE_S)
        return made

    with ThreadPoolExecutor(2) as pool:
        assert sorted(done.result() for done in [pool.submit(work), pool.submit(work)]) == [False, True]


def test_it_is_not_made_anew_while_somebody_uses_it(tmp_path: Path) -> None:
    folder = tmp_path / "engines"
    alone = threading.Event()

    def make_anew() -> None:
        with held(folder) as lock, lock.making(), lock.alone():
            alone.set()

    with ThreadPoolExecutor(1) as pool:
        with held(folder):
            done = pool.submit(make_anew)
            with pytest.raises(TimeoutError):
                done.result(0.2)
            assert not alone.is_set()
        done.result(DEADLINE_S)
    assert alone.is_set()
