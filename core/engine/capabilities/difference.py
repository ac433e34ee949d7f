"""What changed between two builds: which options came, went, or mean something else now."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

import msgspec

from core.engine.capabilities.model import Capabilities, Option

What = Literal["added", "removed", "default", "choices", "kind", "fields", "ignored", "works"]


class Change(msgspec.Struct, frozen=True):
    """`what` names its words (terms, "capability_change"). `before` and `after`: defaults, lists of what went and what
    came, or the id of a no-op."""

    flag: str
    what: What
    before: str = ""
    after: str = ""


class Difference(msgspec.Struct, frozen=True):
    """From `old` to `new` (versions). Names of architectures and of methods only."""

    old: str
    new: str
    options: tuple[Change, ...]
    architectures_added: tuple[str, ...]
    architectures_removed: tuple[str, ...]
    quantizations_added: tuple[str, ...]
    quantizations_removed: tuple[str, ...]

    def of(self, flags: Collection[str]) -> tuple[Change, ...]:
        """The changes that concern a person who uses `flags` (full names, or "--no-…")."""
        wanted = {f"--{flag.removeprefix('--no-')}" if flag.startswith("--no-") else flag for flag in flags}
        wanted |= set(flags)
        return tuple(change for change in self.options if change.flag in wanted and change.what != "added")


def difference(old: Capabilities, new: Capabilities) -> Difference:
    before, after = (
        [{each.name for each in c.architectures} for c in (old, new)],
        [{each.name for each in c.quantizations} for c in (old, new)],
    )
    return Difference(
        old.version,
        new.version,
        tuple(_options(old, new)),
        tuple(sorted(before[1] - before[0])),
        tuple(sorted(before[0] - before[1])),
        tuple(sorted(after[1] - after[0])),
        tuple(sorted(after[0] - after[1])),
    )


def _options(old: Capabilities, new: Capabilities) -> Iterator[Change]:
    was, now = ({option.flag: option for option in c.options} for c in (old, new))
    for flag in sorted(was.keys() | now.keys()):
        if flag not in now:
            # The name may live on as another spelling of a renamed option.
            heir = new.option(flag)
            yield Change(flag, "removed", was[flag].default, heir.flag if heir else "")
        elif flag not in was:
            yield Change(flag, "added", "", now[flag].default)
        else:
            yield from _of_one(was[flag], now[flag])
            yield from _meaning(flag, old, new)


def _of_one(was: Option, now: Option) -> Iterator[Change]:
    if was.kind != now.kind:
        yield Change(was.flag, "kind", was.kind, now.kind)
    if was.default != now.default:
        yield Change(was.flag, "default", was.default, now.default)
    yield from _of_names(was.flag, "choices", was.choices, now.choices)
    yield from _of_names(was.flag, "fields", was.fields, now.fields)


def _of_names(flag: str, what: What, was: Collection[str], now: Collection[str]) -> Iterator[Change]:
    """Between two lists that are both known."""
    gone, came = sorted(set(was) - set(now)), sorted(set(now) - set(was))
    if was and now and (gone or came):
        yield Change(flag, what, ", ".join(gone), ", ".join(came))


def _meaning(flag: str, old: Capabilities, new: Capabilities) -> Iterator[Change]:
    was, now = ({noop.id for noop in c.noops if flag in noop.flags} for c in (old, new))
    for name in sorted(now - was):
        yield Change(flag, "ignored", "", name)
    for name in sorted(was - now):
        yield Change(flag, "works", name, "")
