"""From what was pasted to the options of this build, with a word about everything that is not taken as it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.engine.arguments import Argument
from core.engine.capabilities.model import Capabilities
from core.engine.extra_args import OURS, SECRETS, check_extra, closest
from core.engine.found.fields import FIELDS, NUMBERS, Wishes, bare_number, count, share, size_gib
from core.engine.found.myths import FLAGS, VARIABLES, Myth
from core.engine.found.shell import is_open
from core.engine.found.text import Pasted, read_text
from core.engine.options import LaunchOptions, OffloadShape, PromptCache, Tuning
from core.errors import AppError, Fact
from core.events import ErrorInfo


@dataclass(frozen=True, slots=True)
class Remark:
    """About one flag or variable. `id` names its words (terms, "found_flag"), which may use `facts`; for "refused"
    they are those of `error`."""

    flag: str
    id: str
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """A flag that this build has. `own`: it became one of the options; else it stays as it is."""

    argument: Argument
    own: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What was understood; None where nothing was said. `said`: the fields of `options` that were spoken of."""

    model: str
    context: int | None
    enforce_eager: bool | None
    tuning: Tuning
    options: LaunchOptions
    remarks: tuple[Remark, ...]
    taken: tuple[Taken, ...] = ()
    said: frozenset[str] = frozenset()


def translate(text: str, capabilities: Capabilities) -> Found:
    """Raises: AppError: `option.unreadable_text`."""
    return translated(read_text(text), capabilities)


def translated(pasted: Pasted, capabilities: Capabilities) -> Found:
    """What was read already, in the terms of a build."""
    work = _Work(capabilities)
    for name, value in pasted.env.items():
        work.variable(name, value)
    for argument in pasted.arguments:
        work.argument(argument)
    return work.found(pasted)


@dataclass
class _Work:
    capabilities: Capabilities
    wishes: Wishes = field(default_factory=Wishes)
    extra: list[str] = field(default_factory=list[str])
    env: dict[str, str] = field(default_factory=dict[str, str])
    remarks: list[Remark] = field(default_factory=list[Remark])
    taken: list[Taken] = field(default_factory=list[Taken])

    def found(self, pasted: Pasted) -> Found:
        wishes = self.wishes
        if "loras" in wishes.options:
            # The choice of adapters writes this one, too.
            self.extra = [word for word in self.extra if word != "--enable-lora"]
            self.taken = [Taken(t.argument, t.own or t.argument.flag == "--enable-lora") for t in self.taken]
        options = LaunchOptions(
            **wishes.options,
            offload=OffloadShape(**wishes.offload),
            prompt_cache=PromptCache(**wishes.cache),
            extra=tuple(self.extra),
            env=tuple(sorted(self.env.items())),
        )
        said = {*wishes.options} | {name for name in ("offload", "cache") if getattr(wishes, name)}
        return Found(
            pasted.model,
            wishes.context,
            wishes.eager,
            Tuning(**wishes.tuning),
            options,
            tuple(self.remarks),
            tuple(self.taken),
            frozenset("prompt_cache" if name == "cache" else name for name in said),
        )

    def remark(self, flag: str, name: str, **facts: Fact) -> None:
        self.remarks.append(Remark(flag, name, facts))

    # ---- variables -------------------------------------------------------------------------------------------------

    def variable(self, name: str, value: str) -> None:
        known = name in self.capabilities.environment
        if name in VARIABLES and not known:
            self._myth(name, VARIABLES[name], (value,) if value else ())
        elif re.search(r"TOKEN|SECRET|KEY", name):
            self.remark(name, "secret")
        elif not known and name.startswith("VLLM_"):
            close = closest(name, self.capabilities.environment)
            self.remark(name, "unknown_variable", close=close or None)
        else:
            self.env[name] = value

    # ---- flags -----------------------------------------------------------------------------------------------------

    def argument(self, argument: Argument) -> None:
        flag = argument.flag
        real = self.capabilities.option(flag.partition(".")[0])
        if real is None and flag in FLAGS:
            self._myth(flag, FLAGS[flag], argument.values)
        elif flag == "--swap-space" or (real is not None and real.flag == "--swap-space"):
            self._myth(flag, FLAGS["--swap-space"], argument.values)
        elif flag in SECRETS or flag in OURS:
            self.remark(flag, "secret" if flag in SECRETS else "ours")
        elif place := next((value for value in argument.values if is_open(value)), None):
            self.remark(flag, "open_place", value=place)
        else:
            self._real(self._mended(argument))

    def _myth(self, flag: str, myth: Myth, values: tuple[str, ...]) -> None:
        value = values[0] if values else ""
        facts: dict[str, Fact] = {"value": value or None, "gib": None}
        gib = size_gib(value)
        wishes = self.wishes
        if myth.means == "offload" and gib is not None:
            wishes.tuning["cpu_offload_gib"] = facts["gib"] = gib
        elif myth.means == "swap" and gib is not None:
            wishes.cache["ram_gib"] = facts["gib"] = gib
        elif myth.means == "context":
            wishes.context = count(value) or wishes.context
        elif myth.means == "seqs" and count(value):
            wishes.tuning["max_num_seqs"] = count(value)
        elif myth.means == "utilization" and share(value):
            wishes.tuning["gpu_memory_utilization"] = share(value)
        elif myth.means in ("ram_tables", "disk_tables") and value not in ("0", "false"):
            wishes.options["ple"] = "ram" if myth.means == "ram_tables" else "disk"
        self.remarks.append(Remark(flag, myth.id, facts))

    def _mended(self, argument: Argument) -> Argument:
        """Shortened names in full, switches without their values, lists without commas; each with a remark."""
        flag, values = argument.flag, argument.values
        spellings = self.capabilities.by_spelling
        base, dot, rest = flag.partition(".")
        longer = [name for name in spellings if name.startswith(base)] if base not in spellings else []
        if len(longer) == 1 and base.startswith("--"):
            self.remark(flag, "abbreviated", full=longer[0])
            flag = longer[0] + dot + rest
        option = spellings.get(flag)
        if option is not None and option.kind == "switch" and values and values[0].lower() in ("true", "false"):
            off = values[0].lower() == "false"
            self.remark(flag, "switch_value", written=option.negative if off else option.flag)
            return Argument(option.negative if off else option.flag)
        if flag in ("--cpu-offload-params", "--offload-params") and len(values) == 1 and "," in values[0]:
            self.remark(flag, "commas", value=values[0])
            return Argument(flag, tuple(part.strip() for part in values[0].split(",") if part.strip()))
        if option is not None and len(values) == 1 and (number := bare_number(values[0], option)) is not None:
            self.remark(flag, "bare_number", value=values[0], written=number)
            return Argument(flag, (number,))
        return Argument(flag, values)

    def _real(self, argument: Argument) -> None:
        try:
            (checked,) = check_extra(argument.words, self.capabilities)
        except AppError as error:
            self.remarks.append(Remark(argument.flag, "refused", {}, ErrorInfo.of(error)))
            return
        noop = self.capabilities.ignored(checked.flag)
        if noop is not None:
            self.remark(checked.flag, "ignored", why=noop.id)
        take = FIELDS.get(checked.flag)
        try:
            taken = take is not None and take(self.wishes, checked.values)
        except ValueError:
            taken = False
        if not taken and checked.flag in NUMBERS:
            error = AppError("option.bad_number", flag=checked.flag, value=" ".join(checked.values))
            self.remarks.append(Remark(checked.flag, "refused", {}, ErrorInfo.of(error)))
            return
        self.taken.append(Taken(checked, taken))
        if checked.flag == "--served-model-name" and len(checked.values) > 1:
            self.remark(checked.flag, "first_name", value=checked.values[0], rest=", ".join(checked.values[1:]))
        if not taken:
            self.extra += checked.words
