"""What a person can do with one message."""

from __future__ import annotations

import enum
from typing import Final


class Verb(enum.StrEnum):
    COPY = "copy"
    EDIT = "edit"
    AGAIN = "again"
    GO_ON = "go_on"
    DELETE = "delete"
    OLDER = "older"
    NEWER = "newer"


# In the order of the buttons; the switch between versions has its own place.
TOOL_VERBS: Final = (Verb.COPY, Verb.EDIT, Verb.AGAIN, Verb.GO_ON, Verb.DELETE)
