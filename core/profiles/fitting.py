"""Saved choices on another build: flags that died become the choice that took their place, values that the build does
not know go back to its own, each with a remark. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from core.engine.arguments import Argument
from core.engine.capabilities.model import Capabilities
from core.engine.extra_args import closest, grouped
from core.engine.found.text import Pasted
from core.engine.found.translate import Remark, translated
from core.engine.options import LaunchOptions
from core.errors import AppError
from core.events import ErrorInfo
from core.planning.choices import Choices
from core.planning.found_choices import with_found


@dataclass(frozen=True, slots=True)
class Fitted:
    """`remarks` are told by `found_choices.explained`."""

    choices: Choices
    remarks: tuple[Remark, ...] = ()


def fitted(choices: Choices, build: Capabilities) -> Fitted:
    """`choices` as `build` takes them. The figures of the plan and what both builds know stay as they are."""
    arguments, stray = _arguments(choices.more.extra)
    found = translated(Pasted(arguments=arguments, env=dict(choices.more.env)), build)
    bare = replace(choices, more=replace(choices.more, extra=(), env=()))
    remarks = [*stray, *found.remarks]
    return Fitted(_known_values(with_found(bare, found), build, remarks), tuple(remarks))


def _arguments(words: tuple[str, ...]) -> tuple[tuple[Argument, ...], list[Remark]]:
    """A word before any option belongs to nothing."""
    first = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    stray = [Remark(word, "refused", {}, _info("option.not_a_flag", word=word)) for word in words[:first]]
    return tuple(grouped(words[first:])), stray


def _known_values(choices: Choices, build: Capabilities, remarks: list[Remark]) -> Choices:
    more = choices.more
    methods = tuple(method.name for method in build.quantizations)
    wishes: tuple[tuple[str, str, Collection[str], str], ...] = (
        ("dtype", "--dtype", _closed(build, "--dtype"), "auto"),
        ("quantization", "--quantization", methods, ""),
        ("load_format", "--load-format", _closed(build, "--load-format"), "auto"),
        ("reasoning_parser", "--reasoning-parser", build.reasoning_parsers, "auto"),
        ("tool_parser", "--tool-call-parser", build.tool_parsers, "auto"),
    )
    changed = {
        name: own
        for name, flag, known, own in wishes
        if _unknown(flag, str(getattr(more, name)), known, ("", "auto"), remarks)
    }
    cache = _unknown("--kv-cache-dtype", choices.kv_cache_dtype, _closed(build, "--kv-cache-dtype"), ("auto",), remarks)
    return replace(
        choices,
        kv_cache_dtype="auto" if cache else choices.kv_cache_dtype,
        more=_replaced(more, changed),
    )


def _replaced(options: LaunchOptions, values: dict[str, str]) -> LaunchOptions:
    return replace(options, **values) if values else options


def _closed(build: Capabilities, flag: str) -> tuple[str, ...]:
    """All values that the build takes; none where it takes others too."""
    option = build.option(flag)
    return option.choices if option is not None and option.closed else ()


def _unknown(flag: str, value: str, known: Collection[str], own: Collection[str], remarks: list[Remark]) -> bool:
    """Args: `known` empty: anything may be said."""
    if not known or value in own or value in known:
        return False
    near = closest(value, known)
    shown = ", ".join((near,) if near else sorted(known))
    remarks.append(Remark(flag, "refused", {}, _info("option.bad_choice", flag=flag, value=value, known=shown)))
    return True


def _info(code: str, **facts: str) -> ErrorInfo:
    return ErrorInfo.of(AppError(code, "", **facts))
