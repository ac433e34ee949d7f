"""What an answer cost, in words and as an object."""

from __future__ import annotations

from typing import Any

import msgspec

from core import words
from core.cli.console import Console
from core.events import SpeedCard


def speed_lines(speed: SpeedCard, console: Console) -> list[str]:
    """The figures, then what the server's own counters say otherwise."""
    lines = [_first(speed, console)]
    if speed.prefill_tokens_per_s is not None:
        name = "stats_prefill_cached" if speed.cached_tokens else "stats_prefill"
        rate = f"{speed.prefill_tokens_per_s:,.0f}"
        lines.append(console.text(name, rate=rate, cached=f"{speed.cached_tokens or 0:,}"))
    if speed.itl_p50_s is not None and speed.itl_p99_s is not None:
        median, worst = f"{speed.itl_p50_s * 1000:.1f}", f"{speed.itl_p99_s * 1000:.1f}"
        lines.append(console.text("stats_between", median=median, worst=worst))
    if speed.thinking_s is not None:
        tokens = console.text("not_measured") if speed.thinking_tokens is None else f"{speed.thinking_tokens:,}"
        lines.append(console.text("stats_thinking", seconds=f"{speed.thinking_s:.1f}", tokens=tokens))
    if speed.acceptance is not None:
        lines.append(console.text("stats_accepted", percent=f"{100 * speed.acceptance:.0f}"))
    return lines + _checks(speed, console)


def speed_object(speed: SpeedCard) -> dict[str, Any]:
    """Every figure by its name on the card; times in seconds, null where nothing could be measured."""
    return msgspec.to_builtins(speed)


def _first(speed: SpeedCard, console: Console) -> str:
    blank = console.text("not_measured")
    line = console.text(
        "stats",
        ttft=blank if speed.ttft_s is None else f"{speed.ttft_s:.2f} s",
        rate=blank if speed.decode_tokens_per_s is None else f"{speed.decode_tokens_per_s:.1f}",
        prompt=f"{speed.prompt_tokens:,}",
        completion=f"{speed.completion_tokens:,}",
        total=f"{speed.total_s:.1f} s",
    )
    return line if speed.exact else f"{line} {console.text('inexact')}"


def _checks(speed: SpeedCard, console: Console) -> list[str]:
    if speed.unchecked:
        why = words.term("speed_unchecked", speed.unchecked, console.language)
        return [console.text("stats_unchecked", why=why)]
    return [
        console.text(
            "stats_otherwise",
            figure=words.term("speed_figure", one.figure, console.language),
            ours=_figure(one.ours),
            servers=_figure(one.servers),
            cause=words.term("speed_cause", one.cause, console.language),
        )
        for one in speed.disagreements
    ]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.2f}"
