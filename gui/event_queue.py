"""What waits for the next frame: events and results from the runtime thread, in order.

A `LATEST` or `JOINED` event meets its older fellow only when nothing that must be delivered stands between them, so the
order a listener sees is the order in which things happened.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from core.events import Delivery, Event

Entry = Event | Callable[[], None]


class EventQueue:
    """Filled from any thread, emptied by one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._open: dict[tuple[type[Event], str], int] = {}

    def put(self, entry: Entry) -> bool:
        """Add an event or a call; True when the queue was empty before (the reader must be woken)."""
        with self._lock:
            was_empty = not self._entries
            if not isinstance(entry, Event) or entry.delivery is Delivery.EVERY:
                self._open.clear()
                self._entries.append(entry)
                return was_empty
            place = self._open.get((type(entry), entry.key))
            if place is None:
                self._open[(type(entry), entry.key)] = len(self._entries)
                self._entries.append(entry)
            elif entry.delivery is Delivery.LATEST:
                self._entries[place] = entry
            else:
                older: Any = self._entries[place]
                self._entries[place] = older.merged(entry)
            return was_empty

    def drain(self) -> list[Entry]:
        with self._lock:
            entries, self._entries = self._entries, []
            self._open.clear()
            return entries
