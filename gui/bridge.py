"""The only file that crosses threads: verbs go to the runtime thread, events and results come back, once per frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from core.errors import AppError
from core.events import ErrorInfo, Event
from gui.collector import Collector
from gui.event_memory import EventMemory
from gui.event_queue import EventQueue

FRAME_MS = 16

T = TypeVar("T")
E = TypeVar("E", bound=Event)
Done = Callable[[Any], None]
Failed = Callable[[ErrorInfo], None]


class Future(Protocol):
    """What the bridge needs of a `concurrent.futures.Future`."""

    def cancel(self) -> bool: ...
    def cancelled(self) -> bool: ...
    def exception(self) -> BaseException | None: ...
    def result(self) -> Any: ...
    def add_done_callback(self, fn: Callable[[Any], None], /) -> None: ...


class Runtime(Protocol):
    """What the bridge needs of `core.runtime.Runtime`, which is imported only after the first paint."""

    def submit(self, coroutine: Coroutine[Any, Any, Any]) -> Future: ...
    def stop(self, timeout_s: float = ...) -> bool: ...


class Call:
    """A verb on its way. `cancel` ends it; nobody hears of it any more."""

    def __init__(self, owner: QObject, done: Done | None, failed: Failed | None) -> None:
        self.owner = owner
        self.done = done
        self.failed = failed
        self.future: Future | None = None
        self.dropped = False

    def cancel(self) -> None:
        self.dropped = True
        if self.future is not None:
            self.future.cancel()


class Bridge(QObject):
    """Lives on the GUI thread. `call` sends a coroutine to the runtime; `post` may be used from any thread.

    Signals:
        failed_unheard: an expected failure of a call that has no `failed` of its own.
        bug: any other exception, from a call or from a handler's thread.
    """

    failed_unheard = Signal(object)
    bug = Signal(object)
    _arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gui_thread = threading.get_ident()
        self._queue = EventQueue()
        self._memory = EventMemory()
        self._pending = 0
        self._handlers: list[tuple[type[Event], QObject, Callable[[Any], None]]] = []
        self._runtime: Runtime | None = None
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(FRAME_MS)
        self._frame.setTimerType(Qt.TimerType.PreciseTimer)
        self._frame.timeout.connect(self._deliver)
        self._arrived.connect(self._frame.start, Qt.ConnectionType.QueuedConnection)
        self._collector = Collector(self)

    # ---- to the runtime --------------------------------------------------------------------------------------------

    def start(self, make: Callable[[], tuple[Runtime, Any]], *, owner: QObject, done: Done) -> None:
        """Run `make` (imports, a started runtime, the services on it) in a thread of its own, so that no frame waits
        for it; `done` hears what came with the runtime."""
        self._assert_gui_thread()
        self._collector.start()

        def work() -> None:
            try:
                made = make()
            except BaseException as error:
                self._queue_up(lambda error=error: self.bug.emit(error))
                return
            self._queue_up(lambda: self._started(made, owner, done))

        threading.Thread(target=work, name="stowage-start", daemon=True).start()

    def call(
        self,
        verb: Callable[..., Coroutine[Any, Any, T]],
        *args: Any,
        owner: QObject,
        done: Callable[[T], None] | None = None,
        failed: Failed | None = None,
        **kwargs: Any,
    ) -> Call:
        """Run `verb(*args)` on the runtime; `done` or `failed` follow here, unless `owner` is gone by then."""
        self._assert_gui_thread()
        call = Call(owner, done, failed)
        if self._runtime is None:
            raise RuntimeError("the runtime is not started")
        call.future = self._runtime.submit(verb(*args, **kwargs))
        self._pending += 1
        call.future.add_done_callback(lambda _future: self._queue_up(lambda: self._finish(call)))
        return call

    @property
    def idle(self) -> bool:
        """Whether every verb has ended and was answered."""
        return not self._pending

    def stop(self) -> bool:
        """Ask the runtime to end without waiting; True once its thread has ended (call again until then)."""
        self._assert_gui_thread()
        ended = self._runtime is None or self._runtime.stop(0.0)
        if ended:
            self._collector.stop()
        return ended

    # ---- from the runtime ------------------------------------------------------------------------------------------

    def post(self, event: Event) -> None:
        """The event bus's listener. Any thread."""
        self._queue_up(event)

    def post_bug(self, error: BaseException) -> None:
        """The runtime's error hook. Any thread."""
        self._queue_up(lambda: self.bug.emit(error))

    def on(self, kind: type[E], handler: Callable[[E], None], *, owner: QObject) -> None:
        """Call `handler` with every event of `kind` for as long as `owner` lives."""
        self._assert_gui_thread()
        self._handlers.append((kind, owner, handler))

    def tell_again(self) -> None:
        """Dispatch how everything is now: there are new handlers."""
        for event in self._memory.events():
            self._dispatch(event)

    def _queue_up(self, entry: Event | Callable[[], None]) -> None:
        if self._queue.put(entry) and isValid(self):
            self._arrived.emit()

    def _deliver(self) -> None:
        self._handlers = [entry for entry in self._handlers if isValid(entry[1])]
        for entry in self._queue.drain():
            if isinstance(entry, Event):
                self._memory.note(entry)
                self._dispatch(entry)
            else:
                self._guarded(entry)

    def _dispatch(self, event: Event) -> None:
        for kind, owner, handler in tuple(self._handlers):
            if isinstance(event, kind) and isValid(owner):
                self._guarded(lambda handler=handler: handler(event))

    def _guarded(self, action: Callable[[], None]) -> None:
        """One broken handler must not swallow the rest of the frame."""
        try:
            action()
        except Exception as error:
            self.bug.emit(error)

    def _started(self, made: tuple[Runtime, Any], owner: QObject, done: Done) -> None:
        self._runtime = made[0]
        if isValid(owner):
            done(made[1])

    def _finish(self, call: Call) -> None:
        future = call.future
        assert future is not None
        self._pending -= 1
        if call.dropped or future.cancelled() or not isValid(call.owner):
            return
        error = future.exception()
        if error is None:
            if call.done is not None:
                call.done(future.result())
        elif not isinstance(error, AppError):
            self.bug.emit(error)
        elif call.failed is not None:
            call.failed(ErrorInfo.of(error))
        else:
            self.failed_unheard.emit(ErrorInfo.of(error))

    def _assert_gui_thread(self) -> None:
        assert threading.get_ident() == self._gui_thread, "only the GUI thread may use the bridge"
