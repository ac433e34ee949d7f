"""May a failed launch be tried again by itself? Pure but for its own memory."""

from __future__ import annotations

from typing import Final

from core.engine.change import apply
from core.engine.command import LaunchRequest
from core.engine.fixes import Fix, fixes_for
from core.errors import AppError

AUTOMATIC: Final = 2


class Attempts:
    """One click. At most `AUTOMATIC` further tries, never two for the same cause: a cause that came back was not
    fixed, and a loop of starts would only heat the room."""

    def __init__(self) -> None:
        self._causes: set[str] = set()

    def next(self, error: AppError, request: LaunchRequest) -> tuple[Fix, LaunchRequest] | None:
        """The fix to try without asking and the request with it, None where the person has to decide."""
        if error.code in self._causes or len(self._causes) >= AUTOMATIC:
            return None
        self._causes.add(error.code)
        for fix in fixes_for(error.code, error.facts, request):
            if fix.automatic:
                return fix, apply(fix.change, request)
        return None
