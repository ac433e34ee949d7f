"""What is known of one build of vLLM. Frozen values, kept on disk as JSON; every fact names the file that states it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, Literal

import msgspec

REGISTRY: Final = "model_executor/models/registry.py"

Kind = Literal["switch", "flag", "value", "list", "json"]


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a fact was read: `file` below the `vllm` package, `line` from 1 (0: the file as a whole)."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One option of the server's command line.

    Attributes:
        flag: the full name, "--max-model-len".
        aliases: other spellings ("-tp"), without the automatic "--no-…".
        kind: "switch" also has a "--no-…" twin; "flag" is there or not; "list" takes several words; "json" takes an
            object or dotted keys.
        type, default: as the source writes them; `default` "" when there is none to be read.
        choices: allowed values; `closed` when nothing else is accepted.
        fields: keys of a JSON option whose class was found.
        deprecated: by the words of its own help.
    """

    flag: str
    kind: Kind
    group: str
    type: str
    default: str
    help: str
    place: Place
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    closed: bool = False
    fields: tuple[str, ...] = ()
    deprecated: bool = False

    @property
    def negative(self) -> str:
        """The twin that turns a switch off, "" for other kinds."""
        return f"--no-{self.flag.removeprefix('--')}" if self.kind == "switch" else ""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every spelling; a switch has a twin for each of its long ones (argparse.BooleanOptionalAction)."""
        own = (self.flag, *self.aliases)
        if self.kind != "switch":
            return own
        return own + tuple(f"--no-{name[2:]}" for name in own if name.startswith("--"))


class Architecture(msgspec.Struct, frozen=True, array_like=True):
    """A name that `config.json` may state. `kind`: the registry's own group ("text_generation", "multimodal", …);
    `line` in the registry."""

    name: str
    kind: str
    line: int

    @property
    def place(self) -> Place:
        return Place(REGISTRY, self.line)


class Quantization(msgspec.Struct, frozen=True, omit_defaults=True):
    """`min_capability` as vLLM writes it (75 for 7.5), None where the class computes it or is not found."""

    name: str
    min_capability: int | None
    place: Place
    deprecated: bool = False


class PleControl(msgspec.Struct, frozen=True, omit_defaults=True):
    """A control of where n-gram or per-layer tables live. `id`: "engram.cpu_offload", "env.VLLM_PLE_CPU_OFFLOAD"."""

    id: str
    default: str
    place: Place
    help: str = ""


class Feature(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something the source does or has, by the name in `features.CHECKS`."""

    id: str
    place: Place


class Noop(msgspec.Struct, frozen=True, omit_defaults=True):
    """An option that this build accepts and then ignores, wholly or in part; `id` names its words (terms, "noop").

    `seen`: the source itself shows it; else it is known of these versions.
    """

    id: str
    flags: tuple[str, ...]
    seen: bool


class Capabilities(msgspec.Struct, frozen=True, dict=True):
    """Everything that was read. `version` "0.32.0" without a local part; `platform` "cpu", "cuda", … or ""."""

    version: str
    platform: str
    options: tuple[Option, ...]
    architectures: tuple[Architecture, ...] = ()
    removed_architectures: dict[str, str] = {}
    quantizations: tuple[Quantization, ...] = ()
    reasoning_parsers: tuple[str, ...] = ()
    tool_parsers: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    features: tuple[Feature, ...] = ()
    ple: tuple[PleControl, ...] = ()
    ngram_architectures: tuple[str, ...] = ()
    noops: tuple[Noop, ...] = ()

    @cached_property
    def by_spelling(self) -> Mapping[str, Option]:
        """Every spelling of every option, "--no-…" included."""
        return {name: option for option in self.options for name in option.spellings}

    def option(self, flag: str) -> Option | None:
        return self.by_spelling.get(flag)

    def has(self, feature: str) -> bool:
        return any(found.id == feature for found in self.features)

    def ignored(self, flag: str) -> Noop | None:
        """What is known to make `flag` do nothing here."""
        return next((noop for noop in self.noops if flag in noop.flags), None)

    def rows(self) -> Iterator[Row]:
        """For a table that can be searched: all of it, one line a fact."""
        for option in self.options:
            yield Row("option", option.flag, option.default, option.help, str(option.place))
        for architecture in self.architectures:
            yield Row("architecture", architecture.name, architecture.kind, "", str(architecture.place))
        for method in self.quantizations:
            minimum = "" if method.min_capability is None else f">= {method.min_capability / 10:.1f}"
            yield Row("quantization", method.name, minimum, "", str(method.place))
        for control in self.ple:
            yield Row("ple", control.id, control.default, control.help, str(control.place))
        for name in self.reasoning_parsers:
            yield Row("reasoning_parser", name, "", "", "reasoning/")
        for name in self.tool_parsers:
            yield Row("tool_parser", name, "", "", "tool_parsers/")
        for noop in self.noops:
            yield Row("noop", noop.id, "", " ".join(noop.flags), "")


class Row(msgspec.Struct, frozen=True):
    """`kind` names its words (terms, "capability"); `value` is the default, the minimum or the group."""

    kind: str
    name: str
    value: str
    text: str
    place: str
