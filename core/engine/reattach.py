"""What an earlier run of the app left behind: take it back or clear it away."""

from __future__ import annotations

import logging
from pathlib import Path

from core.engine.guardian_link import GuardianLink
from core.engine.ledger import Entry, Ledger
from core.engine.orphans import sweep
from core.engine.server_process import OnLines, ServerProcess
from core.errors import AppError
from core.events import Phase, PhaseTime, ServerState, ServerStatus

log = logging.getLogger(__name__)


async def adopt(entry: Entry, on_lines: OnLines) -> tuple[ServerProcess, ServerStatus] | None:
    """Attach to a living guardian; None when another process owns it or it is leaving by itself."""
    try:
        link = await GuardianLink.attach(entry.socket, entry.launch_id)
    except AppError as error:
        log.info("launch %s is left alone: %s", entry.launch_id, error)
        return None
    card = link.hello["card"]
    status = ServerStatus(
        ServerState.READY,
        launch_id=entry.launch_id,
        model=card["model"],
        engine=card["engine"],
        port=card["port"],
        phases=tuple(PhaseTime(Phase(p), began, ended, part) for p, began, ended, part in card.get("phases", ())),
        started_monotonic=card.get("started_monotonic", 0.0),
        kept=True,
        reattached=True,
        max_model_len=card.get("max_model_len", 0),
    )
    return ServerProcess(link, entry, card["api_key"], on_lines), status


async def clean(entry: Entry, ledger: Ledger) -> list[int]:
    """End what is left of a launch whose guardian is dead, and forget it. Returns the pids that would not go; the
    entry then stays for the next start."""
    left = await sweep(entry.mark)
    if not left:
        Path(entry.socket).unlink(missing_ok=True)
        ledger.remove(entry.launch_id)
    return left
