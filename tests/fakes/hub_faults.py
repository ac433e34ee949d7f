"""What the loopback Hub can do wrong, per file, per path or everywhere, a number of times or always."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass
class Fault:
    """One misbehaviour. It happens `times` times (-1: always) to requests with one of `methods`; positions and sizes
    count bytes of one answer's body, except `flip_at`, which is a position in the file.

    `drop_after`: close the connection there. `stall_after`: send nothing more for `stall_s`, then close. `rate` in
    bytes/s. `size_header`: what Content-Length and X-Linked-Size say on HEAD. `send_bytes`: a GET says and sends only
    so many. `extra_bytes`: a GET says and sends so many zeros more. `status`: answer with it, with `error_code` as
    X-Error-Code and `headers`. `etag`: say another one. `after_byte`: only for ranges that start at or behind it.
    """

    times: int = -1
    methods: tuple[str, ...] = ("GET", "HEAD")
    drop_after: int | None = None
    stall_after: int | None = None
    stall_s: float = 3600.0
    rate: float = 0.0
    size_header: int | None = None
    send_bytes: int | None = None
    extra_bytes: int = 0
    flip_at: int | None = None
    status: int = 0
    error_code: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    ignore_range: bool = False
    etag: str = ""
    after_byte: int = 0
    delay_s: float = 0.0
    origin: str = ""

    @classmethod
    def of(cls, values: dict[str, Any]) -> Fault:
        """From JSON."""
        known = {each.name for each in fields(cls)}
        given: dict[str, Any] = {name: value for name, value in values.items() if name in known}
        if "methods" in given:
            given["methods"] = tuple(given["methods"])
        return cls(**given)


class Faults:
    """Faults by key: "org/name/path/in/repo" for a file wherever it is served, "/api/..." for a request path, "*" for
    all. Of a key's faults the first that has times left happens. `Fault.origin` "hub" or "cdn" keeps it to one of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[str, list[Fault]] = {}

    def set(self, key: str, *faults: Fault) -> None:
        with self._lock:
            self._by_key[key] = list(faults)

    def clear(self) -> None:
        with self._lock:
            self._by_key.clear()

    def take(self, key: str, method: str, origin: str, start: int = 0) -> Fault | None:
        """The fault that happens to this request, counted as having happened."""
        with self._lock:
            for name in (key, "*"):
                for fault in self._by_key.get(name, ()):
                    if fault.times and self._fits(fault, method, origin, start):
                        fault.times -= fault.times > 0
                        return fault
        return None

    @staticmethod
    def _fits(fault: Fault, method: str, origin: str, start: int) -> bool:
        return method in fault.methods and start >= fault.after_byte and fault.origin in ("", origin)
