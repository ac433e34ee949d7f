"""The worker: an order on standard input, JSON lines on standard output, one model on the disk.

Its input is a lifeline: when it ends, the app is gone, and the worker ends or goes on as it was told. Killing it at any
moment is fine: what is on the disk is what a later worker goes on with.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
import traceback
from typing import Any, Final

from core.hub.download.worker import snapshot
from core.hub.download.worker.blob import Blob
from core.hub.download.worker.board import Board, Refused, Stopped
from core.hub.download.worker.fetch import fetch, free_bytes
from core.hub.download.worker.order import FileOrder, Order
from core.hub.download.worker.pace import Limit
from core.hub.download.worker.transport import Transport

_REPORT_S: Final = 0.25
_DISK_S: Final = 1.0


class Worker:
    def __init__(self, order: Order) -> None:
        self._order = order
        self._board = Board()
        self._limit = Limit(order.limit_bytes_per_s)
        self._transport = Transport(order)
        self._queue: queue.SimpleQueue[FileOrder] = queue.SimpleQueue()
        self._failure: Refused | None = None
        self._after_close = order.after_close
        self._heard = True

    def run(self) -> int:
        """The exit code: 0 when everything is there."""
        order = self._order
        # Small files first: with its configuration a model can be shown and planned.
        for file in sorted(order.files, key=lambda file: (file.size >= 1 << 20, file.path)):
            self._queue.put(file)
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self._count()
            self._work()
            path = snapshot.finish(order)
        except Refused as error:
            self._failure = error
        except OSError as error:
            self._failure = Refused("not_writable", repr(error), path=error.filename, reason=error.strerror)
        else:
            self._say(self._board.report() | {"path": path})
            return 0
        failure = self._failure
        self._say(self._board.report() | {"failed": failure.kind, "detail": failure.detail, "facts": failure.facts})
        return 1

    def _count(self) -> None:
        """What is there already, before the first byte."""
        os.makedirs(self._order.cache, exist_ok=True)
        for file in self._order.files:
            self._board.set_have(file.path, _present(self._order, file))
        self._watch_disk()
        self._say(self._board.report())

    def _work(self) -> None:
        threads = [threading.Thread(target=self._thread, daemon=True) for _ in range(max(1, self._order.at_once))]
        for thread in threads:
            thread.start()
        looked = time.monotonic()
        while any(thread.is_alive() for thread in threads) and self._failure is None:
            next(thread for thread in threads if thread.is_alive() or thread is threads[-1]).join(_REPORT_S)
            self._say(self._board.report())
            if time.monotonic() - looked > _DISK_S:
                self._watch_disk()
                looked = time.monotonic()
        if self._failure is not None:
            raise self._failure

    def _thread(self) -> None:
        try:
            while not self._board.stop.is_set():
                fetch(self._order, self._queue.get_nowait(), self._transport, self._limit, self._board)
        except (queue.Empty, Stopped):
            return
        except Refused as error:
            self._fail(error)
        except Exception as error:
            traceback.print_exc()
            self._fail(Refused("bug", repr(error)))

    def _fail(self, error: Refused) -> None:
        self._failure = self._failure or error
        self._board.stop.set()

    def _watch_disk(self) -> None:
        left = sum(file.size for file in self._order.files) - self._board.done
        self._board.disk_low = left > free_bytes(self._order.cache)

    def _listen(self) -> None:
        """Orders while it runs, and the end of the app."""
        for line in sys.stdin.buffer:
            said: dict[str, Any] = json.loads(line)
            if "limit_bytes_per_s" in said:
                self._limit.change(int(said["limit_bytes_per_s"]))
            self._after_close = said.get("after_close", self._after_close)
        if self._after_close == "pause":
            os._exit(0)

    def _say(self, message: dict[str, Any]) -> None:
        if not self._heard:
            return
        try:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()
        except OSError:
            self._heard = False  # the app is gone, and we were told to go on


def _present(order: Order, file: FileOrder) -> int:
    if snapshot.is_copy(order, file):
        return file.size
    blob = Blob(order, file)
    for path in (blob.path, blob.part):
        try:
            size = os.stat(path).st_size
        except OSError:
            continue
        if size <= file.size and (path == blob.part or size == file.size):
            return size
    return 0


def main() -> None:
    order = Order.decode(sys.stdin.buffer.readline())
    code = Worker(order).run()
    # Other threads may still hang in a read: they have nothing to lose.
    os._exit(code)
