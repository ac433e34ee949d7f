"""Arguments in the making: what will stand on the command line, in the environment, and what a person must be told."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import AppError, Fact
from core.events import ErrorInfo


@dataclass(frozen=True, slots=True)
class Argument:
    """One option with its values; none for a switch."""

    flag: str
    values: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return (self.flag, *self.values)


@dataclass
class Sheet:
    """Filled by the parts of `options_to_arguments`. `notes`: codes "option.*", wishes that this build cannot fulfil
    or fulfils otherwise."""

    arguments: list[Argument] = field(default_factory=list[Argument])
    env: dict[str, str] = field(default_factory=dict[str, str])
    notes: list[ErrorInfo] = field(default_factory=list[ErrorInfo])

    def add(self, flag: str, *values: object) -> None:
        self.arguments.append(Argument(flag, tuple(str(value) for value in values)))

    def note(self, code: str, **facts: Fact) -> None:
        self.notes.append(ErrorInfo.of(AppError(code, "", **facts)))

    def has(self, flag: str) -> bool:
        return any(argument.flag == flag for argument in self.arguments)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for argument in self.arguments for word in argument.words)
