"""Every expected failure by its code, `area.what`, and the facts that its words need: a file of `CODES` per area.

Each code has a title, a sentence and a next step in every language (`resources/words`); a test holds both together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from core.codes import app, chat, engine, failed_launch, machine, model, option, server

AREAS: Final = (
    app.CODES,
    chat.CODES,
    engine.CODES,
    failed_launch.CODES,
    machine.CODES,
    model.CODES,
    option.CODES,
    server.CODES,
)
CODES: Final[Mapping[str, frozenset[str]]] = {
    code: frozenset(facts.split()) for area in AREAS for code, facts in area.items()
}
