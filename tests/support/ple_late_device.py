"""A stand-in for `torch.cuda` in which copies happen as late as they may: only when something waits for them.

Tensors lie in the host's memory. What is copied inside `stream(...)` is put off until an event or the stream is waited
for, so that a buffer that is filled again too early, or rows that nobody waits for, give wrong rows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Stream:
    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.put_off: list[Callable[[], object]] = []
        self.waited_for: list[Stream] = []

    def run(self, count: int | None = None) -> None:
        now, self.put_off = self.put_off[:count], self.put_off[len(self.put_off) if count is None else count :]
        for work in now:
            work()

    def wait_stream(self, other: Stream) -> None:
        self.waited_for.append(other)
        other.run()


class Event:
    """Of one stream; `record` marks the work that it has by then."""

    def __init__(self) -> None:
        self._stream: Stream | None = None
        self._mark: Callable[[], object] | None = None

    def record(self, stream: Stream) -> None:
        self._stream, self._mark = stream, lambda: None
        stream.put_off.append(self._mark)

    def synchronize(self) -> None:
        if self._stream is not None and self._mark in self._stream.put_off:
            self._stream.run(self._stream.put_off.index(self._mark) + 1)


class LateDevice(TorchDispatchMode):
    """Has the names of `torch.cuda` that the plugin uses; as a mode, it puts the copies of its streams off."""

    Stream = Stream
    Event = Event

    def __init__(self) -> None:
        super().__init__()
        self.current = Stream(torch.device("cpu"))
        self.copies = 0
        self._inside: Stream | None = None

    def current_stream(self, device: torch.device) -> Stream:
        return self.current

    @contextlib.contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        self._inside = stream
        try:
            yield
        finally:
            self._inside = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._inside is not None and func is torch.ops.aten.copy_.default:
            self.copies += 1
            self._inside.put_off.append(lambda: func(*args, **kwargs))
            return args[0]
        return func(*args, **kwargs)
