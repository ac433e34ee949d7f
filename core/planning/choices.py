"""What a person chooses for a launch, as planner options on one side and as the launcher's request on the other, so
that the plan that is shown is the launch that follows."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from core.engine.build import Build
from core.engine.options import LaunchOptions, LaunchRequest, Traits, Tuning
from core.engine.ple_plugin import PLACEMENT_ENV
from core.engine.spelling.tables import plugin_place
from core.events import EngineInfo
from core.planner.levers import Lever
from core.planner.options import GIB, Engine, Options
from core.planner.plan import Plan
from core.settings import Settings

_NUMBER: Final = re.compile(r"\d+")
NO_TRAITS: Final = Traits()
NO_MORE: Final = LaunchOptions()
MUCH_OFFLOAD_GIB: Final = 2.0
"""From here on every token waits a tenth of a second or more for weights that come over PCIe (20 GB/s)."""
PLANNED_PLATFORMS: Final = ("cpu", "cuda")


@dataclass(frozen=True, slots=True)
class Choices:
    """`context` in tokens, None: the model's own. `cpu_kv_cache_gib` counts on a CPU engine, `kv_cache_dtype`,
    `offload_gib` and `leave_free_gib` on a CUDA engine; `leave_free_gib` None: what a desktop usually needs;
    `more`: all that is chosen seldom, free words for the command line among it."""

    context: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    kv_cache_dtype: str = "auto"
    offload_gib: float = 0.0
    leave_free_gib: float | None = None
    more: LaunchOptions = NO_MORE


def of_settings(
    settings: Settings,
    context: int | None = None,
    enforce_eager: bool | None = None,
    cpu_kv_cache_gib: int | None = None,
) -> Choices:
    """The settings, where nothing else was said."""
    return Choices(
        context=context or settings.context_tokens,
        enforce_eager=settings.enforce_eager if enforce_eager is None else enforce_eager,
        cpu_kv_cache_gib=cpu_kv_cache_gib or settings.cpu_kv_cache_gib,
        max_num_seqs=settings.max_num_seqs,
        max_num_batched_tokens=settings.max_num_batched_tokens,
        leave_free_gib=settings.leave_free_gib,
    )


def engine_of(version: str, platform: str) -> Engine:
    """The planner's engine from "0.32.0+cpu", "cpu"; an unreadable version counts as the newest one planned for."""
    numbers = tuple(int(part) for part in _NUMBER.findall(version.partition("+")[0])[:3])
    platform = "cpu" if platform == "" else platform
    return Engine(numbers, platform) if numbers else Engine(platform=platform)


def at_once(choices: Choices, *, cpu: bool) -> int | None:
    """How many requests may run at once, None: as many as vLLM likes. With much of the weights in RAM the chat and the
    API do not run side by side unless a person wants it: the others wait in vLLM's own queue."""
    if choices.max_num_seqs is None and not cpu and choices.offload_gib >= MUCH_OFFLOAD_GIB:
        return 1
    return choices.max_num_seqs


def options_of(choices: Choices, engine: Engine) -> Options:
    cpu = engine.platform == "cpu"
    common = Options(
        context=choices.context,
        max_num_seqs=at_once(choices, cpu=cpu),
        max_num_batched_tokens=choices.max_num_batched_tokens,
        enforce_eager=choices.enforce_eager,
        dtype=choices.more.dtype,
        prefix_caching=choices.more.prefix_caching,
        language_model_only=choices.more.text_only,
        ple_placement=plugin_place(choices.more),
    )
    exact = choices.more.kv_cache_bytes
    if cpu:
        # The CPU build counts in whole GiB.
        space = choices.cpu_kv_cache_gib if exact is None else max(1, exact // GIB)
        return replace(common, kv_cache_bytes=space * GIB)
    free = choices.leave_free_gib
    shape = choices.more.offload
    return replace(
        common,
        kv_cache_dtype=choices.kv_cache_dtype,
        kv_cache_bytes=exact,
        offload_gib=choices.offload_gib,
        offload_params=shape.params,
        group_size=shape.group_size,
        group_offloaded=shape.num_in_group,
        prefetch_step=shape.prefetch_step,
        kv_offload_gib=choices.more.prompt_cache.ram_gib,
        ple_in_ram=choices.more.ple != "device",
        async_scheduling=choices.more.async_scheduling is not False,
        reserve_bytes=None if free is None else int(free * GIB),
    )


def pulled(choices: Choices, lever: Lever) -> Choices:
    """`choices` with the one change of `lever`; what a person changed since stays."""
    options = lever.options
    return {
        "context": replace(choices, context=options.context),
        "max_num_seqs": replace(choices, max_num_seqs=options.max_num_seqs),
        "max_num_batched_tokens": replace(choices, max_num_batched_tokens=options.max_num_batched_tokens),
        "kv_cache_dtype": replace(choices, kv_cache_dtype=options.kv_cache_dtype),
        "enforce_eager": replace(choices, enforce_eager=options.enforce_eager),
        "cuda_graphs": replace(choices, enforce_eager=options.enforce_eager),
        "cpu_offload_gb": replace(choices, offload_gib=options.offload_gib),
        "cpu_kv_cache": replace(choices, cpu_kv_cache_gib=(options.kv_cache_bytes or GIB) // GIB),
        "ple_disk": replace(choices, more=replace(choices.more, ple="disk")),
        "ple_ram": replace(choices, more=replace(choices.more, ple="ram")),
    }[lever.id]


def tuning_of(choices: Choices, plan: Plan | None = None, *, cpu: bool = False) -> Tuning:
    """Args: `plan` None where none could be made: then the share of the card is vLLM's own; `cpu` a CPU engine."""
    if cpu:
        return Tuning(choices.max_num_seqs, choices.max_num_batched_tokens)
    # Where the per-layer table lies is written with the plugin, by who knows whether the engine can use it.
    env = {name: value for name, value in plan.command.env.items() if name != PLACEMENT_ENV} if plan is not None else {}
    return Tuning(
        at_once(choices, cpu=False),
        choices.max_num_batched_tokens,
        choices.kv_cache_dtype,
        choices.offload_gib,
        plan.utilization if plan is not None and plan.request.hardware.gpus else None,
        tuple(sorted(env.items())),
    )


def request_of(
    model_id: str,
    model_path: str,
    engine: EngineInfo,
    choices: Choices,
    plan: Plan | None = None,
    *,
    traits: Traits = NO_TRAITS,
    build: Build | None = None,
    wsl: bool = False,
    plugins: str = "",
    hub_cache: str = "",
) -> LaunchRequest:
    """Args: `build` None: what the engine's version says; `plugins` and `hub_cache` as `LaunchRequest` has them."""
    return LaunchRequest(
        model_id=model_id,
        model_path=model_path,
        engine=engine,
        max_model_len=choices.context,
        enforce_eager=choices.enforce_eager,
        cpu_kv_cache_gib=choices.cpu_kv_cache_gib,
        tuning=tuning_of(choices, plan, cpu=engine.platform == "cpu"),
        options=choices.more,
        traits=traits,
        build=build,
        wsl=wsl,
        plugins=plugins,
        hub_cache=hub_cache,
    )
