"""`stowage command`: a launch written down, with nothing started."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from core import words
from core.cli.console import Console
from core.engine.found.translate import Found
from core.engine.options import LaunchOptions, Lora, OffloadShape, Place, PromptCache
from core.engine_options import Form
from core.errors import AppError
from core.planning.choices import Choices, of_settings
from core.planning.found_choices import explained, with_found
from core.services import Services

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of the command line as they were given; None where nothing was."""

    model: str
    form: Form
    engine: str | None = None
    context: int | None = None
    eager: bool | None = None
    max_seqs: int | None = None
    max_batched_tokens: int | None = None
    dtype: str | None = None
    kv_dtype: str | None = None
    cpu_kv_gib: int | None = None
    leave_free_gib: float | None = None
    offload_gib: float | None = None
    offload_params: tuple[str, ...] = ()
    offload_groups: str = ""
    cache_ram_gib: float | None = None
    cache_disk: str = ""
    cache_disk_gib: float | None = None
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
        AppError: `engine.*`, `model.*`, `option.*`.
    """
    choices = of_settings(services.settings.current)
    if asked.found:
        found = await services.options.read_flags(await _text(asked.found), asked.engine)
        _tell(console, found)
        choices = with_found(choices, found)
    chosen = with_asked(choices, asked)
    if asked.ple is not None:
        model_id = (await services.find_model(asked.model)).id
        await services.options.check_tables(model_id, asked.engine, chosen)
    written = await services.options.written(asked.model, asked.engine, chosen, asked.form)
    if console.as_json:
        notes = [{"code": note.code, "text": words.explain(note, "en").as_text()} for note in written.notes]
        console.object({"form": asked.form, "text": written.text, "notes": notes})
        return
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
        raise AppError("option.unreadable_text", str(error), reason=str(error)) from error


def _tell(console: Console, found: Found) -> None:
    for remark in found.remarks:
        print(f"{remark.flag}: {explained(remark, console.language)}", file=sys.stderr)


def with_asked(choices: Choices, asked: Asked) -> Choices:
    return replace(
        choices,
        context=asked.context or choices.context,
        enforce_eager=_or_else(asked.eager, choices.enforce_eager),
        cpu_kv_cache_gib=_or_else(asked.cpu_kv_gib, choices.cpu_kv_cache_gib),
        max_num_seqs=asked.max_seqs or choices.max_num_seqs,
        max_num_batched_tokens=asked.max_batched_tokens or choices.max_num_batched_tokens,
        kv_cache_dtype=_or_else(asked.kv_dtype, choices.kv_cache_dtype),
        offload_gib=_or_else(asked.offload_gib, choices.offload_gib),
        leave_free_gib=asked.leave_free_gib if asked.leave_free_gib is not None else choices.leave_free_gib,
        more=_more(choices.more, asked),
    )


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
    name, _, path = text.partition("=")
    return Lora(name if path else Path(name).name, str(Path(path or name).absolute()))


def _shape(shape: OffloadShape, asked: Asked) -> OffloadShape:
    if asked.offload_params:
        shape = replace(shape, params=asked.offload_params)
    if not asked.offload_groups:
        return shape
    try:
        size, away, step = (int(part) for part in (*asked.offload_groups.split(":"), "1", "1")[:3])
    except ValueError as error:
        raise AppError("plan.bad_size", option="--offload-groups", value=asked.offload_groups) from error
    return replace(shape, group_size=size, num_in_group=away, prefetch_step=step)


def _cache(cache: PromptCache, asked: Asked) -> PromptCache:
    return replace(
        cache,
        ram_gib=cache.ram_gib if asked.cache_ram_gib is None else asked.cache_ram_gib,
        disk_path=str(Path(asked.cache_disk).absolute()) if asked.cache_disk else cache.disk_path,
        disk_gib=cache.disk_gib if asked.cache_disk_gib is None else asked.cache_disk_gib,
        keep=asked.cache_keep or cache.keep,
    )
