"""A server that other computers may reach: where, and with which key."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from typing import Final

from core.engine.command import HOST

EVERYWHERE: Final = "0.0.0.0"
# Set aside for documentation (RFC 5737): nothing is sent there, the system only says from where it would be.
_NOWHERE: Final = ("192.0.2.1", 9)


@dataclass(frozen=True, slots=True)
class Where:
    """Where a launch answers: `port` None for a free one, `api_key` "" for a new one."""

    port: int | None = None
    host: str = HOST
    api_key: str = field(default="", repr=False)


def own_address() -> str | None:
    """This computer's address in its network; None without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if address.startswith(("127.", "0.")) else address
