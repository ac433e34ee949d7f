"""What every presenter works with. Built once by `gui.app` and passed down."""

from __future__ import annotations

from dataclasses import dataclass

from core.services import Services
from gui.bridge import Bridge
from gui.words import Speech


@dataclass(frozen=True, slots=True)
class Desk:
    bridge: Bridge
    services: Services
    speech: Speech
