"""What a look before a launch finds. Frozen values; the words of a code stand in `resources/words`."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

from core.errors import AppError
from core.events import ErrorInfo
from core.planning.choices import Choices


class Severity(enum.StrEnum):
    """`BLOCK`: this launch would fail. `WARN`: it may fail or be slow. `INFO`: worth knowing."""

    BLOCK = "block"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a button does about a finding.

    `id` is a term of group "remedy" (the button's text), `value` goes into it. `choices`: launch with these instead.
    `any_port`: let Stowage choose the port. Both None and False: the person does it, as the finding's next step says.
    """

    id: str
    value: str = ""
    choices: Choices | None = None
    any_port: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """`info` names what and why. `anyway`: launching all the same is sane; never for what cannot work at all."""

    severity: Severity
    info: ErrorInfo
    remedy: Remedy | None = None
    anyway: bool = True

    @property
    def code(self) -> str:
        return self.info.code


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person launches in spite of: `everything` that may be overridden, or findings of these codes. `fetch`:
    a model of the Hub that is not here, or not whole, is got first."""

    everything: bool = False
    codes: frozenset[str] = frozenset()
    fetch: bool = False

    def covers(self, finding: Finding) -> bool:
        return finding.anyway and (self.everything or finding.code in self.codes)


NO_CONSENT: Final = Consent()
# What the plan on the Launch page says before the click, and forbids nothing.
PLAN_WAS_SHOWN: Final = Consent(
    codes=frozenset(
        f"preflight.{name}" for name in ("no_vram", "no_ram", "no_disk", "kv_too_small", "refused", "no_gpu", "gpu_old")
    )
)


@dataclass(frozen=True, slots=True)
class Preflight:
    """All findings, the worst first. `took_s`: seconds."""

    findings: tuple[Finding, ...] = ()
    took_s: float = 0.0

    def blocking(self, consent: Consent) -> Finding | None:
        """The first finding that stops this launch."""
        blocks = (finding for finding in self.findings if finding.severity is Severity.BLOCK)
        return next((finding for finding in blocks if not consent.covers(finding)), None)


ORDER: Final = tuple(Severity)


@dataclass
class Findings:
    """Collects them."""

    found: list[Finding] = field(default_factory=list[Finding])

    def add(
        self,
        severity: Severity,
        error: AppError,
        remedy: Remedy | None = None,
        *,
        anyway: bool = True,
    ) -> None:
        self.found.append(Finding(severity, ErrorInfo.of(error), remedy, anyway))

    def sorted(self) -> tuple[Finding, ...]:
        return tuple(sorted(self.found, key=lambda finding: ORDER.index(finding.severity)))
