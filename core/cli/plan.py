"""`stowage plan`: where every gigabyte of a model would go, here or on a computer that one does not have."""

from __future__ import annotations

import asyncio
import functools
import shlex
from dataclasses import dataclass, replace
from typing import Any

from core import words
from core.checkpoint.architecture import Checkpoint
from core.cli.frame import Frame
from core.cli.plan_request import Asked, Question, Subject, find_subject, make_question, with_lessons
from core.cli.plan_text import as_text
from core.engine.environments import Environments
from core.engine.precise import Precise, PreciseMode
from core.errors import AppError
from core.events import ErrorInfo
from core.planner.kv_cache import longest_context
from core.planner.levers import Lever, levers
from core.planner.options import GIB, Hardware, Request
from core.planner.plan import Plan, make_plan
from core.planner.report import report
from core.planner.solver import Solution, Wishes, solve
from core.precise_plan import compare, task_of

__all__ = ["Answer", "Asked", "plan_command"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown. `solutions`: the best few with `--solve`, the first of which is `plan`; else empty. `precise`:
    vLLM's own figures or why there are none; None when they were not asked for."""

    subject: Subject
    question: Question
    plan: Plan
    levers: tuple[Lever, ...]
    solutions: tuple[Solution, ...] = ()
    precise: Precise | ErrorInfo | None = None

    @property
    def model(self) -> str:
        """As the command line names it: a config alone is no folder that vLLM could serve."""
        return shlex.quote(str(self.subject.path)) if self.subject.path.is_dir() else self.subject.name


async def plan_command(frame: Frame, asked: Asked) -> None:
    """Raises: AppError: `model.*`, `plan.*`."""
    subject = await asyncio.to_thread(find_subject, frame, asked.model)
    question = await with_lessons(frame, await make_question(frame, asked), subject.checkpoint)
    answer = await asyncio.to_thread(make_answer, subject, question, asked)
    if asked.precise:
        answer = replace(answer, precise=await _precise(frame, answer))
    if frame.console.as_json:
        frame.console.object(as_object(answer))
    else:
        frame.console.out(as_text(answer, frame.console.language))


async def _precise(frame: Frame, answer: Answer) -> Precise | ErrorInfo:
    """The plan stands without it, so what hinders it is an answer too."""
    try:
        engine = answer.question.installed or await Environments(frame.paths, frame.settings, frame.bus).default()
        task = await asyncio.to_thread(task_of, answer.subject.path, answer.plan)
        tell = functools.partial(frame.console.say, "precise_runs", engine=engine.id)
        return await PreciseMode(frame.paths).run(engine, task, tell)
    except AppError as error:
        return ErrorInfo.of(error)


def make_answer(subject: Subject, question: Question, asked: Asked) -> Answer:
    checkpoint, request = subject.checkpoint, question.request
    solutions: tuple[Solution, ...] = ()
    if asked.solve:
        solutions = solve(checkpoint, request, _wishes(asked, request))
        request = solutions[0].plan.request if solutions else request
    plan = _plan(subject, question, request)
    if question.longest and not asked.solve:
        request = replace(request, options=replace(request.options, context=_longest(checkpoint, plan)))
        plan = _plan(subject, question, request)
    return Answer(subject, question, plan, levers(checkpoint, request, plan), solutions)


def _plan(subject: Subject, question: Question, request: Request) -> Plan:
    held = subject.present_bytes
    return make_plan(
        subject.checkpoint,
        request,
        download_bytes=held or None,
        present_bytes=held,
        engine_needed=question.engine_needed,
    )


def _wishes(asked: Asked, request: Request) -> Wishes:
    options = request.options
    return Wishes(
        context=options.context,
        reserve_bytes=options.reserve_bytes,
        vision=not asked.text_only,
        full_kv_precision=asked.full_kv_precision,
        concurrent=asked.max_seqs or 1,
    )


def _longest(checkpoint: Checkpoint, plan: Plan) -> int | None:
    """What vLLM's own `auto` comes to: the model's limit, or less where the KV cache would not fit. None when not even
    one token does; the plan then says what is missing."""
    limit = checkpoint.context.tokens if checkpoint.context.key else plan.resolved.context
    if plan.request.engine.platform != "cpu":
        return min(limit, plan.longest_context) or None
    ram = plan.host.tier
    if ram.limit_bytes is None or not plan.kv.bytes_per_block:
        return limit
    others = sum(item.amount.top for item in ram.items if item.id != "kv_cache")
    room = max(0, ram.limit_bytes - others) // GIB * GIB
    return longest_context(plan.kv.grouping, limit, plan.resolved.in_flight, room - plan.kv.bytes_per_block) or None


def as_object(answer: Answer) -> dict[str, Any]:
    """Sizes in bytes, bandwidths in bytes per second; unknown is null."""
    subject, question = answer.subject, answer.question
    return report(subject.checkpoint, answer.plan, model=answer.model, levers=answer.levers) | {
        "model": {"name": subject.name, "path": str(subject.path)},
        "hardware": _hardware(answer.plan.request.hardware),
        "assumptions": list(question.assumed),
        "solutions": [_solution(solution, answer.model) for solution in answer.solutions],
        **_precise_object(answer),
    }


def _precise_object(answer: Answer) -> dict[str, Any]:
    """`precise` null, and `precise_reason` where it was asked for and could not be had."""
    precise = answer.precise
    if isinstance(precise, Precise):
        equal = {figure.id: figure.equal for figure in compare(answer.plan, precise)}
        return {"precise": precise.as_json() | {"equal": equal}, "precise_reason": None}
    if precise is None:
        return {"precise": None, "precise_reason": None}
    told = words.explain(precise, "en")
    return {"precise": None, "precise_reason": {"code": precise.code, "title": told.title, "message": told.sentence}}


def _hardware(hardware: Hardware) -> dict[str, Any]:
    return {
        "gpus": [
            {
                "name": gpu.name,
                "total_bytes": gpu.total_bytes,
                "free_bytes": gpu.free_bytes,
                "capability": ".".join(map(str, gpu.capability)),
                "bandwidth_bytes_per_s": gpu.bandwidth or None,
                "link_bytes_per_s": gpu.link or None,
            }
            for gpu in hardware.gpus
        ],
        "ram_total_bytes": hardware.ram_total_bytes,
        "ram_available_bytes": hardware.ram_available_bytes,
        "ram_bandwidth_bytes_per_s": hardware.ram_bandwidth,
        "cpu_cores": hardware.cpu_cores,
    }


def _solution(solution: Solution, model: str) -> dict[str, Any]:
    plan = solution.plan
    return {
        "verdict": str(plan.verdict),
        "gives_up": list(solution.gives_up),
        "context": plan.resolved.context,
        "offloaded_bytes": plan.offload.offloaded_bytes,
        "kv_capacity_tokens": plan.kv.capacity_tokens,
        "tokens_per_s": plan.speed.likely if plan.speed else None,
        "command": plan.command.line(model),
    }
