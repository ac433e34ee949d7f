"""The ledger of launches: its verbs, on the runtime's loop. Nothing here ever stops a launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from sqlite3 import Connection

from core.errors import AppError
from core.events import ErrorInfo, Phase
from core.ledger import store
from core.ledger.database import Database
from core.ledger.learning import RUNS, expected_phases, learned
from core.ledger.record import Figure, Identity, LaunchRecord, Outcome
from core.ledger.schema import MIGRATIONS
from core.planner.options import Learned, Lessons

DURATION_RUNS = 8


class LaunchLedger:
    """Owner of `launches.db`."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, MIGRATIONS)

    def take_problems(self) -> list[AppError]:
        """What a person should hear about the file, each once."""
        found, self._database.problems = self._database.problems, []
        return found

    async def close(self) -> None:
        await self._database.close()

    # ---- writing ---------------------------------------------------------------------------------------------------

    async def add(self, record: LaunchRecord) -> None:
        await self._database.write(lambda db: store.add(db, record), None)

    async def became_ready(self, launch: str, ready_s: float, phases: dict[str, float]) -> None:
        def work(db: Connection) -> None:
            store.end(db, launch, Outcome.READY, None, ready_s)
            store.put_phases(db, launch, phases)

        await self._database.write(work, None)

    async def ended(self, launch: str, outcome: Outcome, error: ErrorInfo | None = None) -> None:
        await self._database.write(lambda db: store.end(db, launch, outcome, error, None), None)

    async def put_figures(self, launch: str, figures: Iterable[Figure]) -> None:
        kept = tuple(figures)
        await self._database.write(lambda db: store.put_figures(db, launch, kept), None)

    async def put_proof(self, launch: str, proof: dict[str, str]) -> None:
        await self._database.write(lambda db: store.put_proof(db, launch, proof), None)

    # ---- reading ---------------------------------------------------------------------------------------------------

    async def newest(self, limit: int = 100, model: str | None = None) -> list[LaunchRecord]:
        """Newest first."""
        return await self._database.read(lambda db: store.newest(db, limit, model), [])

    async def find(self, launch: str) -> LaunchRecord | None:
        return await self._database.read(lambda db: store.find(db, launch), None)

    async def last_good(self, model: str) -> LaunchRecord | None:
        return await self._database.read(lambda db: store.last_good(db, model), None)

    async def expected(self, model: str, identity: Identity, machine: str) -> tuple[tuple[Phase, float], ...]:
        """Seconds that each phase usually takes, () before the first launch like this one."""
        found = await self._database.read(
            lambda db: store.durations(db, model, identity, machine, DURATION_RUNS), dict[str, list[float]]()
        )
        return tuple(expected_phases(found).items())

    async def lessons(self, identity: Identity) -> Lessons:
        """What launches of this key have taught, with and without compiling."""
        compiled, eager = (replace(identity, eager=eager) for eager in (False, True))
        return Lessons(await self._learned(compiled), await self._learned(eager))

    async def _learned(self, identity: Identity) -> Learned:
        found = await self._database.read(lambda db: store.ratios(db, identity, RUNS), dict[str, list[float]]())
        return learned(found)
