"""Runs a comparison: each launch after the other, each with the same questions, everything written down as it comes."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core import version
from core.engine.cancellation import uninterrupted
from core.engine.endpoint import Endpoint
from core.engine.launch_events import ProofChanged
from core.errors import AppError
from core.events import ComparisonChanged, ErrorInfo, Event, JobDone, Progress
from core.experiment.folder import write_result
from core.experiment.measure import measure
from core.experiment.result import Proved, Result, Run
from core.experiment.spec import Comparison, Variant, read_variant, variant
from core.jobs import Jobs
from core.ledger.record import KV_TOKENS
from core.planning.choices import Choices
from core.planning.hardware import card_memory
from core.preflight.finding import NO_CONSENT, Consent

if TYPE_CHECKING:
    from core.services import Services

log = logging.getLogger(__name__)

JOB: Final = "compare"
# The engine's options are not known, or this is no text of flags: the plain reading decides.
_UNREAD: Final = ("engine.no_vllm", "engine.unreadable", "option.unreadable_text")
_REVISION: Final = re.compile(r"/snapshots/([0-9a-f]{40})")


class Experiments:
    """Reachable as `services.experiments`; one comparison at a time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._jobs = Jobs()

    async def close(self) -> None:
        await self._jobs.close()

    async def compare(
        self, comparison: Comparison, folder: str | None = None, *, consent: Consent = NO_CONSENT
    ) -> tuple[Result, str]:
        """Run it and write the report; gives the result and the folder. `Progress` of job `JOB` and
        `ComparisonChanged` tell how far it is. A launch that fails ends it; what was measured is kept.

        Raises:
            AppError: `compare.busy`, `compare.cancelled`, `server.busy`, `model.*`, `engine.*`, `compare.not_written`.
        """
        return await self._jobs.run(
            JOB,
            self._compare(comparison, folder, consent),
            busy=AppError("compare.busy"),
            cancelled=AppError("compare.cancelled"),
        )

    async def variant(self, label: str, text: str, base: Choices, engine: str | None = None) -> Variant:
        """One side from options as they were typed, in the terms of the engine.

        Raises:
            AppError: `compare.bad_option`, `compare.reserved_option`, `engine.none`, `engine.unknown`, or what the
                engine would refuse (`option.*`).
        """
        plain = variant(label, text, base)
        if not text.strip():
            return plain
        try:
            found = await self._services.options.read_flags(text, engine)
        except AppError as error:
            if error.code not in _UNREAD:
                raise
            return plain
        return read_variant(label, text, base, found, card_memory((await self._services.computer.now()).machine))

    async def cancel(self) -> None:
        """End the running comparison and its server; returns when both are gone."""
        await self._jobs.cancel(JOB)

    async def _compare(self, comparison: Comparison, folder: str | None, consent: Consent) -> tuple[Result, str]:
        services = self._services
        if services.server_status.state in ("starting", "ready", "stopping"):
            raise AppError("server.busy", model=services.server_status.model)
        path = await services.model_path(comparison.model)
        began = time.time()
        target = Path(folder) if folder else services.paths.comparisons / time.strftime("%Y%m%d-%H%M%S")
        found = _REVISION.search(path)
        machine = (await services.computer.now()).machine
        work = _Work(
            services,
            Result(
                comparison, path, found[1] if found else "", _named(machine.cpu.name, machine.gpus),
                version.__version__, began,
            ),
            target,
            consent,
        )  # fmt: skip
        try:
            await work.run()
        finally:
            await uninterrupted(work.finish())
        return work.result, str(target)


def _named(cpu: str, gpus: tuple[object, ...]) -> str:
    return " + ".join((cpu, *(str(getattr(gpu, "name", "")) for gpu in gpus)))


class _Work:
    """One comparison under way. `result` is always what is known so far."""

    def __init__(self, services: Services, result: Result, folder: Path, consent: Consent) -> None:
        self._services = services
        self._folder = folder
        self._consent = consent
        self._proof: tuple[Proved, ...] = ()
        self._launch_s: list[float] = []
        self._question_s: list[float] = []
        self.result = result

    async def run(self) -> None:
        await asyncio.to_thread(self._make_folder)
        unsubscribe = self._services.bus.subscribe(self._hear)
        try:
            for number, variant in enumerate(self.result.comparison.runs, 1):
                await self._run(number, variant)
                if self.result.runs[-1].error is not None:
                    self.result = replace(self.result, state="failed")
                    return
            self.result = replace(self.result, state="done")
        finally:
            unsubscribe()

    async def finish(self) -> None:
        """However it ended: no server is left, and the report is there."""
        if self.result.state == "running":
            self.result = replace(self.result, state="cancelled")
        await self._services.stop_server()
        self.result = replace(self.result, ended_at=time.time())
        await asyncio.to_thread(write_result, self.result, self._folder)
        self._services.bus.emit(ComparisonChanged(self.result, str(self._folder)))
        self._services.bus.emit(JobDone(JOB))

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AppError("compare.not_written", str(error), path=str(self._folder), reason=error.strerror) from error

    # ---- one launch ------------------------------------------------------------------------------------------------

    async def _run(self, number: int, variant: Variant) -> None:
        run, self._proof = Run(variant.label, number), ()
        self._put(run)
        self._tell("compare_launch", number, 0)
        began = time.monotonic()
        try:
            endpoint = await self._services.launch(
                self.result.comparison.model,
                self.result.comparison.engine,
                choices=variant.choices,
                consent=self._consent,
                port=0,
            )
            self._launch_s.append(time.monotonic() - began)
            await self._ask(number, endpoint)
        except AppError as error:
            log.info("run %d (%s) failed: %s", number, variant.label, error)
            status = self._services.server_status
            info = status.error if status.error is not None and status.error.code == error.code else None
            self._put(replace(self._present(number), error=info or ErrorInfo.of(error)))
        finally:
            await uninterrupted(self._close(number, self._services.server_status.launch_id))

    async def _ask(self, number: int, endpoint: Endpoint) -> None:
        comparison = self.result.comparison
        for repeat in range(comparison.repeats + 1):
            for prompt, text in enumerate(comparison.prompts):
                began = time.monotonic()
                answer = await measure(endpoint, prompt, repeat, text, comparison.max_tokens)
                self._question_s.append(time.monotonic() - began)
                if repeat > 0:
                    run = self._present(number)
                    self._put(replace(run, answers=(*run.answers, answer)))
                self._tell("compare_ask", number, repeat * len(comparison.prompts) + prompt + 1)

    async def _close(self, number: int, launch_id: str) -> None:
        """Stop the server and write down what is known of its launch."""
        await self._services.stop_server()
        record = await self._services.launches.find(launch_id) if launch_id else None
        run = replace(self._present(number), proof=self._proof)
        if record is not None:
            figures = {figure.name: figure.actual for figure in record.figures if figure.actual is not None}
            run = replace(
                run,
                command=record.command,
                version=record.identity.engine_version,
                engine=record.identity.engine,
                ready_s=record.ready_s,
                phases=tuple(record.phases.items()),
                memory=tuple((name, value) for name, value in figures.items() if name.startswith(("ram.", "vram."))),
                kv_tokens=figures.get(KV_TOKENS),
            )
        source = self._services.paths.logs / f"server-{launch_id}.log"
        name = f"run-{number}-{run.label}.log"
        if launch_id and await asyncio.to_thread(_copied, source, self._folder / name):
            run = replace(run, log=name)
        self._put(run)

    # ---- what is told ----------------------------------------------------------------------------------------------

    def _present(self, number: int) -> Run:
        return next(run for run in self.result.runs if run.number == number)

    def _put(self, run: Run) -> None:
        self.result = self.result.with_run(run)
        self._services.bus.emit(ComparisonChanged(self.result))

    def _tell(self, step: str, number: int, asked: int) -> None:
        comparison = self.result.comparison
        questions = (comparison.repeats + 1) * len(comparison.prompts)
        done, total = (number - 1) * questions + asked, len(comparison.runs) * questions
        eta_s = None
        if self._launch_s and self._question_s:
            launches = (len(comparison.runs) - number) * _mean(self._launch_s)
            eta_s = launches + (total - done) * _mean(self._question_s)
        note = f"{self._present(number).label} {asked}/{questions}"
        self._services.bus.emit(Progress(JOB, step, number, len(comparison.runs), eta_s=eta_s, note=note))

    def _hear(self, event: Event) -> None:
        if isinstance(event, ProofChanged):
            self._proof = tuple(Proved(f.option, f.asked, str(f.verdict), f.found) for f in event.findings)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _copied(source: Path, target: Path) -> bool:
    """The whole log: what was rotated away comes first."""
    parts = [source.with_name(f"{source.name}.{n}") for n in (2, 1)] + [source]
    present = [part for part in parts if part.is_file()]
    if not present:
        return False
    with target.open("wb") as out:
        for part in present:
            with part.open("rb") as opened:
                shutil.copyfileobj(opened, out)
    return True
