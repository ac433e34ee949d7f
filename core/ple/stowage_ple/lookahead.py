"""Reading ahead: what a long prompt will ask for is known before its turn comes.

vLLM computes a long prompt in parts. A worker is handed the whole of it with the first part, so the rows of the later
ones can come from the disk while the first is computed. The kernel does it (`posix_fadvise`): nothing here holds rows,
and one that did not come in time is read when it is needed, as without.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

log = logging.getLogger("vllm.stowage_ple")

# vLLM 0.32 and 0.33: `execute_model(self, scheduler_output)`, of the GPU and the CPU worker alike.
MODULE = "vllm.v1.worker.gpu_worker"


def install(module: Any) -> None:
    """Have the worker class of `module` announce new prompts to the tables before each step."""
    worker = getattr(module, "Worker", None)
    stock = getattr(worker, "execute_model", None)
    if worker is None or stock is None:
        log.info("stowage-ple: this vLLM does not tell prompts beforehand: rows are read when they are needed")
        return

    @functools.wraps(stock)
    def execute_model(self: Any, scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
        announce(scheduler_output)
        return stock(self, scheduler_output, *args, **kwargs)

    worker.execute_model = execute_model


def announce(scheduler_output: Any) -> None:
    """Tell the tables the ids of new prompts beyond the part that is computed now."""
    try:
        later = later_ids(scheduler_output)
    except (AttributeError, KeyError, TypeError) as error:
        # A vLLM that hands over something else. Reading ahead only saves time: the step goes on.
        log.debug("stowage-ple: nothing is read ahead: %s", error)
        return
    if not later:
        return
    from stowage_ple.lookup import known_tables  # torch: not for a process in which the plugin is off

    for table in known_tables():
        for ids in later:
            table.expect(ids)


def later_ids(scheduler_output: Any) -> list[list[int]]:
    """Per new request, the ids of its prompt whose turn is not yet (0.32, v1/core/sched/output.py `NewRequestData`)."""
    later: list[list[int]] = []
    for request in scheduler_output.scheduled_new_reqs:
        begin = request.num_computed_tokens + scheduler_output.num_scheduled_tokens[request.req_id]
        rest = request.prompt_token_ids[begin:] if request.prompt_token_ids is not None else []
        if rest:
            later.append(rest)
    return later
