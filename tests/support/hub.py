"""A loopback Hub for a test, and what it saw."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from tests.fakes.fake_hub import TLS, FakeHub
from tests.fakes.hub_request import Request

CA_BUNDLE: Final = TLS / "ca.pem"


@contextmanager
def running_hub(*, cdn: bool = True, tls: bool = False) -> Generator[FakeHub]:
    """A Hub on a free port; every thread and connection of it has ended afterwards."""
    hub = FakeHub(cdn=cdn, tls=tls)
    hub.start()
    try:
        yield hub
    finally:
        hub.close()


def bodies(hub: FakeHub, ending: str = "") -> list[Request]:
    """GETs that sent a part of a file whose path, or signed name, ends so; redirects and refusals are left out."""
    return [
        request
        for request in hub.log.all()
        if request.method == "GET"
        and request.status in (200, 206)
        and not request.path.startswith("/api/models")
        and _served(hub, request).endswith(ending)
    ]


def sent_bytes(hub: FakeHub, ending: str = "") -> int:
    return sum(request.sent for request in bodies(hub, ending))


def _served(hub: FakeHub, request: Request) -> str:
    """The path of the file behind a request, signed URLs included."""
    name = request.path.rpartition("/")[2]
    return hub.signed[name][0] if name in hub.signed else request.path
