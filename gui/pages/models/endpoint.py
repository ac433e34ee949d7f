"""The address that links of the page lead to."""

from __future__ import annotations

from core.errors import AppError
from gui.desk import Desk


def endpoint_of(desk: Desk) -> str:
    """ "" while the setting is no address: whatever is asked of the Hub then says so itself."""
    try:
        return desk.services.hub.connection.endpoint
    except AppError:
        return ""
