"""Checks of sending rows to a device and of reading ahead, run by the engine's Python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import torch
from ple_checking import ENDING, ROWS, WIDTH, checkpoint, run_checks, table_of, values
from ple_late_device import LateDevice
from stowage_ple import lookahead
from stowage_ple.ahead import Ahead
from stowage_ple.counters import Counters
from stowage_ple.file_rows import FileRows, TableReadError
from stowage_ple.row_cache import RowCache
from stowage_ple.staging import Staging
from stowage_ple.table import PleTable
from stowage_ple.tensor_file import find_tensor

ROW_BYTES = WIDTH * 2


def check_rows_reach_the_device_however_late_it_copies() -> None:
    table = values()
    for rows_of_a_piece in (1, 7, 64, 5000):
        device = LateDevice()
        staging = Staging(WIDTH, torch.bfloat16, device, piece_bytes=rows_of_a_piece * ROW_BYTES, locked=False)
        for count in (1, 2, 63, 64, 65, 500, 1):
            ids = torch.randint(0, ROWS, (count,), generator=torch.Generator().manual_seed(count))
            into = torch.full((count, WIDTH), torch.nan, dtype=torch.bfloat16)
            with device:
                staging.send(ids, lambda piece: table[piece], into)
            assert torch.equal(into, table[ids]), (rows_of_a_piece, count)
        assert device.current.waited_for, "nobody waited for the copies"


def check_older_work_on_the_memory_comes_first() -> None:
    device = LateDevice()
    table, ids = values(), torch.arange(5)
    into = torch.empty((5, WIDTH), dtype=torch.bfloat16)
    device.current.put_off.append(lambda: into.fill_(-1))
    with device:
        Staging(WIDTH, torch.bfloat16, device, locked=False).send(ids, lambda piece: table[piece], into)
    device.current.run()
    assert torch.equal(into, table[:5])


def check_a_piece_is_gathered_while_the_one_before_is_on_its_way() -> None:
    device = LateDevice()
    table, ids = values(), torch.arange(0, 40)
    staging = Staging(WIDTH, torch.bfloat16, device, piece_bytes=10 * ROW_BYTES, locked=False)
    on_their_way: list[int] = []

    def gather(piece: torch.Tensor) -> torch.Tensor:
        on_their_way.append(len(staging._stream.put_off))
        return table[piece]

    into = torch.empty((40, WIDTH), dtype=torch.bfloat16)
    with device:
        staging.send(ids, gather, into)
    # A copy and the mark after it: never more than those of the two buffers.
    assert on_their_way == [0, 2, 4, 4], on_their_way
    assert device.copies == 4


def check_a_failed_gather_leaves_nothing_under_way() -> None:
    device = LateDevice()
    table = values()
    staging = Staging(WIDTH, torch.bfloat16, device, piece_bytes=10 * ROW_BYTES, locked=False)
    calls = iter((False, False, True))

    def gather(piece: torch.Tensor) -> torch.Tensor:
        if next(calls):
            raise TableReadError("row 20")
        return table[piece]

    into = torch.empty((40, WIDTH), dtype=torch.bfloat16)
    failed = False
    with device:
        try:
            staging.send(torch.arange(0, 40), gather, into)
        except TableReadError:
            failed = True
    assert failed
    assert staging._stream.put_off == []
    again = torch.empty((40, WIDTH), dtype=torch.bfloat16)
    with device:
        staging.send(torch.arange(40, 80), lambda piece: table[piece], again)
    assert torch.equal(again, table[40:80])


def check_other_types_are_sent_in_the_models() -> None:
    device = LateDevice()
    table = values(torch.float32) * 3
    into = torch.empty((5, WIDTH), dtype=torch.bfloat16)
    with device:
        Staging(WIDTH, torch.bfloat16, device, locked=False).send(torch.arange(5), lambda piece: table[piece], into)
    assert torch.equal(into, table[:5].to(torch.bfloat16))


def step(*prompts: tuple[list[int] | None, int, int]) -> SimpleNamespace:
    """What a worker is handed: per prompt its ids, those computed before, and those that this step computes."""
    new = [
        SimpleNamespace(req_id=str(number), prompt_token_ids=ids, num_computed_tokens=done)
        for number, (ids, done, _) in enumerate(prompts)
    ]
    scheduled = {str(number): now for number, (_, _, now) in enumerate(prompts)}
    return SimpleNamespace(scheduled_new_reqs=new, num_scheduled_tokens=scheduled)


def check_only_what_is_later_is_read_ahead() -> None:
    assert lookahead.later_ids(step(([1, 2, 3, 4, 5, 6], 1, 2), ([7, 8], 0, 2), (None, 0, 4))) == [[4, 5, 6]]
    assert lookahead.later_ids(step()) == []


def check_real_workers_outputs_have_these_names() -> None:
    from dataclasses import fields

    from vllm.v1.core.sched.output import NewRequestData, SchedulerOutput
    from vllm.v1.worker.gpu_worker import Worker

    assert {"req_id", "prompt_token_ids", "num_computed_tokens"} <= {field.name for field in fields(NewRequestData)}
    assert {"scheduled_new_reqs", "num_scheduled_tokens"} <= {field.name for field in fields(SchedulerOutput)}
    assert callable(Worker.execute_model)


def check_a_worker_of_another_kind_goes_on() -> None:
    class Worker:
        def execute_model(self, scheduler_output: object, more: int = 0) -> tuple[object, int]:
            return scheduler_output, more

    module = SimpleNamespace(Worker=Worker)
    lookahead.install(module)
    assert Worker().execute_model("something else", more=3) == ("something else", 3)
    lookahead.install(SimpleNamespace())


def check_rows_are_read_ahead_after_the_lookup_that_comes_first() -> None:
    table = values()
    made = checkpoint("ahead", table)
    lookup = table_of(made, "disk", cache_bytes=10 * ROW_BYTES)
    counted = lookup._counters.snapshot
    lookup(torch.tensor([7]))
    lookup.expect([7, 500, 500, -1, ROWS, 20, 500])
    assert lookup._source._ahead._thread is None
    cold = forget(made / "model.safetensors")
    lookup(torch.tensor([8]))
    # Neither those that are cached, nor those that are none of the table's.
    wait_for(lambda: counted()["ahead_rows"] == 2)
    if cold:
        wait_for(lambda: all(in_memory(lookup, row) for row in (500, 20)))
    assert torch.equal(lookup(torch.tensor([500, 20])), table[[500, 20]])
    lookup._source.close()
    assert counted()["ahead_rows"] == 2


def forget(file: Path) -> bool:
    """Have the system drop what it keeps of a file; whether it did (a file system in memory cannot)."""
    opened = os.open(file, os.O_RDONLY)
    try:
        os.fsync(opened)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)
        return not kept(opened, 0)
    finally:
        os.close(opened)


def in_memory(lookup: PleTable, row: int) -> bool:
    file = lookup._source._file
    return kept(file._fd, file._begin + row * ROW_BYTES)


def kept(descriptor: int, position: int) -> bool:
    try:
        return os.preadv(descriptor, [bytearray(8)], position, os.RWF_NOWAIT) == 8
    except BlockingIOError:
        return False


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def check_what_is_read_ahead_is_bounded_and_in_the_order_of_need() -> None:
    made = checkpoint("bounded", values())
    place = find_tensor(made, ENDING)
    asked: list[int] = []

    class Told(FileRows):
        def will_need(self, row: int) -> None:
            asked.append(row)

    counters = Counters({})
    cache = RowCache(ROWS, ROW_BYTES, 0)
    ahead = Ahead(Told(place.file, place.begin, ROW_BYTES, ROWS, 1), 3, cache.absent, counters)
    ahead._fetch([9, 500, 9, 2, 3, 4])
    assert asked == [9, 500, 2]
    assert counters.snapshot()["ahead_rows"] == 3


if __name__ == "__main__":
    run_checks(globals())
