"""Launches as plain data, for a terminal, a file or another program. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.ledger.record import LaunchRecord


def as_object(record: LaunchRecord) -> dict[str, Any]:
    """Plain data: seconds, Unix time, bytes; a figure's `error` is its share of what came."""
    found = asdict(record)
    found["outcome"] = str(record.outcome)
    found["figures"] = [asdict(figure) | {"error": figure.error} for figure in record.figures]
    return found
