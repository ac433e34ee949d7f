"""How everything is, as far as events have told it: for what begins to listen while the app runs."""

from __future__ import annotations

from typing import Any

from core.events import Delivery, Event


class EventMemory:
    """Keeps the last event of each kind and key that is `lasting`, joined where such events are joined. Of what belongs
    to one launch only the last launch is kept."""

    def __init__(self) -> None:
        self._events: dict[tuple[type[Event], str], Event] = {}

    def note(self, event: Event) -> None:
        if not event.lasting:
            return
        place = (type(event), event.key)
        older: Any = self._events.get(place)
        if older is not None and event.delivery is Delivery.JOINED:
            event = older.merged(event)
        elif event.delivery is Delivery.JOINED:
            self._forget(type(event))
        self._events[place] = event

    def events(self) -> tuple[Event, ...]:
        """In the order in which each was heard first."""
        return tuple(self._events.values())

    def _forget(self, kind: type[Event]) -> None:
        for place in [place for place in self._events if place[0] is kind]:
            del self._events[place]
