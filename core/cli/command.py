"""`stowage command`: a launch written down, with nothing started."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from core import words
from core.cli.console import Console
from core.engine.found.translate import Found
from core.engine.options import LaunchOptions, Lora, OffloadShape, Place, PromptCache
from core.engine_options import Form, Written
from core.errors import AppError
from core.planner.options import GIB
from core.planner.written import AUTO, read_context, read_size
from core.planning.choices import Choices, of_settings
from core.planning.found_choices import explained, with_found
from core.planning.hardware import card_memory
from core.services import Services

T = TypeVar("T")
LEAST_CONTEXT: Final = 16
_SHARE: Final = "--gpu-memory-utilization"


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of the command line as they were given; None where nothing was. Sizes and the context are texts as
    people write them (`core.planner.written`)."""

    model: str
    form: Form
    engine: str | None = None
    context: str | None = None
    eager: bool | None = None
    max_seqs: int | None = None
    max_batched_tokens: int | None = None
    dtype: str | None = None
    kv_dtype: str | None = None
    cpu_kv_gib: int | None = None
    leave: str | None = None
    offload: str | None = None
    offload_params: tuple[str, ...] = ()
    offload_groups: tuple[int, int, int] | None = None
    cache_ram: str | None = None
    cache_disk: str = ""
    cache_disk_gib: str | None = None
    cache_keep: bool = False
    ple: Place | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    prefix_caching: bool | None = None
    loras: tuple[str, ...] = ()
    seed: int | None = None
    found: str = ""
    extra: tuple[str, ...] = ()


async def write(services: Services, console: Console, asked: Asked) -> None:
    """Notes and what was left out go to stderr, the command itself to stdout.

    Raises:
        AppError: `engine.*`, `model.*`, `option.*`, `plan.bad_size`, `plan.bad_context`.
    """
    choices = of_settings(services.settings.current)
    on_cpu = await _on_cpu(services, asked.engine)
    for_a_card = {"--leave": asked.leave, "--kv-dtype": asked.kv_dtype}
    if asked.found:
        found = await services.options.read_flags(await _text(asked.found), asked.engine)
        _tell(console, found)
        share = found.tuning.gpu_memory_utilization
        for_a_card[_SHARE] = None if share is None else f"{share:g}"
        card = card_memory((await services.computer.now()).machine) if share is not None else None
        choices = with_found(choices, found, card)
        if share is not None and card is None and not on_cpu:
            # No card here to count on: for another computer, as it was written.
            choices = _with_extra(choices, _SHARE, f"{share:g}")
    chosen = with_asked(choices, asked)
    if asked.ple is not None:
        model_id = (await services.find_model(asked.model)).id
        await services.options.check_tables(model_id, asked.engine, chosen)
    written = await services.options.written(asked.model, asked.engine, chosen, asked.form)
    unused = [flag for flag, value in for_a_card.items() if value is not None and on_cpu]
    _print(console, asked.form, written, [(flag, AppError("option.gpu_only")) for flag in unused])


def _print(console: Console, form: Form, written: Written, unused: list[tuple[str, AppError]]) -> None:
    if console.as_json:
        notes = [{"code": note.code, "text": words.explain(note, "en").as_text()} for note in written.notes]
        notes += [{"code": n.code, "text": f"{flag}: {words.explain(n, 'en').sentence}"} for flag, n in unused]
        console.object({"form": form, "text": written.text, "notes": notes})
        return
    for flag, note in unused:
        print(f"{flag}: {words.explain(note, console.language).sentence}", file=sys.stderr)
    for note in written.notes:
        print(words.explain(note, console.language).as_text(), file=sys.stderr)
    console.out(written.text.rstrip("\n"))


async def _text(name: str) -> str:
    """Of a file, "-" for what is piped in."""
    if name == "-":
        return await asyncio.to_thread(sys.stdin.read)
    try:
        return await asyncio.to_thread(Path(name).read_text, "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AppError("option.unreadable_text", str(error), reason=reason) from error


async def _on_cpu(services: Services, engine_id: str | None) -> bool:
    wanted = engine_id or (await services.default_engine()).id
    return any(engine.id == wanted and engine.platform == "cpu" for engine in await services.list_engines())


def _tell(console: Console, found: Found) -> None:
    for remark in found.remarks:
        print(f"{remark.flag}: {explained(remark, console.language)}", file=sys.stderr)


def with_asked(choices: Choices, asked: Asked) -> Choices:
    """Raises: AppError: `plan.bad_size`, `plan.bad_context`."""
    context = _tokens(asked.context)
    if context == AUTO:
        choices = _with_extra(replace(choices, context=None), "--max-model-len", AUTO)
    return replace(
        choices,
        context=context if isinstance(context, int) else choices.context,
        enforce_eager=_or_else(asked.eager, choices.enforce_eager),
        cpu_kv_cache_gib=_or_else(asked.cpu_kv_gib, choices.cpu_kv_cache_gib),
        max_num_seqs=asked.max_seqs or choices.max_num_seqs,
        max_num_batched_tokens=asked.max_batched_tokens or choices.max_num_batched_tokens,
        kv_cache_dtype=_or_else(asked.kv_dtype, choices.kv_cache_dtype),
        offload_gib=_or_else(_gib("--offload", asked.offload), choices.offload_gib),
        leave_free_gib=_or_else(_gib("--leave", asked.leave), choices.leave_free_gib),
        more=_more(choices.more, asked),
    )


def _tokens(text: str | None) -> int | str | None:
    found = read_context(text) if text is not None else None
    if isinstance(found, int) and found < LEAST_CONTEXT:
        raise AppError("plan.bad_context", value=text)
    return found


def _with_extra(choices: Choices, *added: str) -> Choices:
    return replace(choices, more=replace(choices.more, extra=(*choices.more.extra, *added)))


def _gib(option: str, text: str | None) -> float | None:
    return None if text is None else read_size(option, text) / GIB


def _or_else(value: T | None, other: T) -> T:
    return other if value is None else value


def _more(more: LaunchOptions, asked: Asked) -> LaunchOptions:
    given = {
        "dtype": asked.dtype,
        "ple": asked.ple,
        "tensor_parallel": asked.tensor_parallel,
        "pipeline_parallel": asked.pipeline_parallel,
        "prefix_caching": asked.prefix_caching,
        "seed": asked.seed,
        "loras": tuple(_lora(each) for each in asked.loras) or None,
        "offload": _shape(more.offload, asked),
        "prompt_cache": _cache(more.prompt_cache, asked),
        "extra": (*more.extra, *asked.extra),
    }
    return replace(more, **{name: value for name, value in given.items() if value is not None})


def _lora(text: str) -> Lora:
    name, given, path = text.partition("=")
    path = path if given else text
    return Lora(name if given and name else Path(path).name, str(Path(path).absolute()))


def _shape(shape: OffloadShape, asked: Asked) -> OffloadShape:
    if asked.offload_params:
        shape = replace(shape, params=asked.offload_params)
    if asked.offload_groups is None:
        return shape
    size, away, step = asked.offload_groups
    return replace(shape, group_size=size, num_in_group=away, prefetch_step=step)


def _cache(cache: PromptCache, asked: Asked) -> PromptCache:
    return replace(
        cache,
        ram_gib=_or_else(_gib("--cache-ram", asked.cache_ram), cache.ram_gib),
        disk_path=str(Path(asked.cache_disk).absolute()) if asked.cache_disk else cache.disk_path,
        disk_gib=_or_else(_gib("--cache-disk-gib", asked.cache_disk_gib), cache.disk_gib),
        keep=asked.cache_keep or cache.keep,
    )
