"""What a proof consists of: what the server shows, and one verdict per option. Frozen values."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from core.engine.counters import Counters
from core.engine.facts import LaunchFacts


class Verdict(enum.StrEnum):
    TOOK_EFFECT = "took_effect"
    NO_EFFECT = "no_effect"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class Finding:
    """One option. `option`, `reason` and `advice` are word ids (terms, groups "proof_option", "proof_reason",
    "proof_advice"; "" for none); `asked` and `found` are values as vLLM spells them; `evidence` the lines and counters
    behind the verdict."""

    option: str
    asked: str
    verdict: Verdict
    found: str = ""
    reason: str = ""
    advice: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What the server shows: its facts, its cache's own settings (`counters.cache_config`), and its counters before and
    after a prompt was put to it twice (None where it was not)."""

    facts: LaunchFacts
    cache: dict[str, str] = field(default_factory=dict[str, str])
    before: Counters | None = None
    after: Counters | None = None

    def grown(self, name: str) -> float | None:
        """By how much a counter grew over the repeated prompt."""
        if self.before is None or self.after is None:
            return None
        return float(getattr(self.after, name)) - float(getattr(self.before, name))


def same(option: str, asked: object, found: object, *evidence: str) -> Finding:
    """The verdict where the server tells the option's value back."""
    if found is None or found == "":
        return Finding(option, str(asked), Verdict.CANNOT_TELL, reason="not_said")
    if asked == found:
        return Finding(option, str(asked), Verdict.TOOK_EFFECT, str(found), evidence=evidence)
    return Finding(option, str(asked), Verdict.NO_EFFECT, str(found), "other_value", "look_at_log", evidence)
