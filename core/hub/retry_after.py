"""How long a server asks to wait. Standard library only: the download's worker uses it too."""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from typing import Final

_RATE_LEFT: Final = re.compile(r"\bt=(\d+)")


def asked_wait_s(headers: Mapping[str, str]) -> int | None:
    """Seconds: `Retry-After` in seconds or as a date, else the Hub's `RateLimit`; None when it asks nothing.

    Args:
        headers: with the names "retry-after" and "ratelimit" in lower case, or in any case where the mapping ignores
            it.
    """
    text = headers.get("retry-after", "").strip()
    if text.isdigit():
        return int(text)
    if text:
        try:
            return max(0, round(email.utils.parsedate_to_datetime(text).timestamp() - time.time()))
        except (ValueError, TypeError):
            return None
    left = _RATE_LEFT.search(headers.get("ratelimit", ""))
    return int(left[1]) if left else None
