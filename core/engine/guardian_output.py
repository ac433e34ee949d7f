"""What the server prints: always read, cleaned, written to the file, kept for whoever asks. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
from pathlib import Path
from typing import Final

from core.engine.guardian_owner import OwnerLine
from core.engine.guardian_wire import Spec
from core.engine.log_file import RotatingFile
from core.engine.log_lines import LineSplitter, Tail
from core.redact import Redactor

_F_SETPIPE_SZ: Final = 1031
_PIPE_BYTES: Final = 1024 * 1024

FLUSH_S: Final = 0.05
# What one flush carries at most: about 10 000 lines a second, far above vLLM, and little work for the owner.
_FLUSH_LINES: Final = 500
_FLUSH_CHARS: Final = 128 * 1024
_TAIL_LINES: Final = 1000
_TAIL_CHARS: Final = 1024 * 1024


class Output:
    """Reader of the server's pipe. `tail` are its newest lines; `flush` gives the owner what is new."""

    def __init__(self, spec: Spec, selector: selectors.BaseSelector) -> None:
        self._selector = selector
        self._redact = Redactor(spec.secrets)
        # Looking for these first is several times faster than the redactor's pattern, and a flood must not block vLLM.
        self._markers = (*spec.secrets, "hf_", "Bearer ", "api_key", "api-key")
        self._quiet = spec.quiet
        self._log = RotatingFile(Path(spec.log_path))
        self._splitter = LineSplitter(redact=self._redact)
        self._pending = Tail(_FLUSH_LINES, _FLUSH_CHARS)
        self._pipe: int | None = None
        self.flush_at = 0.0
        self.tail = Tail(_TAIL_LINES, _TAIL_CHARS)

    def open(self) -> int:
        """Make the pipe; returns the end to write to. One pipe for both outputs keeps the order of their lines."""
        self._pipe, write_end = os.pipe()
        os.set_blocking(self._pipe, False)
        with contextlib.suppress(OSError):  # a limit of the system may forbid a bigger pipe; then it stays small
            fcntl.fcntl(write_end, _F_SETPIPE_SZ, _PIPE_BYTES)
        self._selector.register(self._pipe, selectors.EVENT_READ, self._on_readable)
        return write_end

    @property
    def waits(self) -> bool:
        """Whether there is something to flush."""
        return bool(len(self._pending))

    def forget_pending(self) -> None:
        """A new owner gets the tail instead."""
        self._pending.take()

    def flush(self, owner: OwnerLine | None, now: float, *, force: bool = False) -> None:
        """Hand over what is new; an owner that has not taken the last batch yet gets nothing, and a count later."""
        if owner is None or not self.waits or (owner.congested and not force):
            return
        lines, dropped = self._pending.take()
        owner.send(event="lines", lines=lines, dropped=dropped)
        self.flush_at = now + FLUSH_S

    def catch_up(self) -> None:
        """Read what is in the pipe at this moment: it never holds more than one read takes."""
        self._read()

    def drain(self) -> None:
        """Read what the dead left in the pipe."""
        while self._read():
            pass
        self._take(self._splitter.finish())

    def close(self) -> None:
        self._close_pipe()
        self._log.close()

    def _on_readable(self, _events: int) -> None:
        self._read()

    def _read(self) -> bool:
        """Read once; False when there was nothing."""
        if self._pipe is None:
            return False
        try:
            data = os.read(self._pipe, _PIPE_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._close_pipe()
            return False
        self._take(self._splitter.feed(data))
        return True

    def _take(self, lines: list[str]) -> None:
        lines = [line for line in lines if not any(part in line for part in self._quiet)]
        if not lines:
            return
        text = "\n".join(lines)
        if any(marker in text for marker in self._markers):
            lines = [self._redact(line) for line in lines]
            text = "\n".join(lines)
        self._log.write(text.encode("utf-8", "replace") + b"\n")
        self.tail.extend(lines)
        self._pending.extend(lines)

    def _close_pipe(self) -> None:
        if self._pipe is not None:
            self._selector.unregister(self._pipe)
            os.close(self._pipe)
            self._pipe = None
