"""What is shown of a launch after the click, as frozen values in the person's language. Made by `run_words`."""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.finding import Verdict
from core.preflight.finding import Severity


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A finding of the look before the launch; `remedy` the text of its button, "" for none."""

    code: str
    severity: Severity
    kind: str
    title: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class ProofLine:
    """One option that was asked for. `chip` in two words, `text` in a sentence; `why` and `next_step` "" where there is
    nothing to explain; `evidence` as the server wrote it; `whole` what was shortened, "" for nothing."""

    option: str
    verdict: Verdict
    chip: str
    text: str
    why: str = ""
    next_step: str = ""
    evidence: str = ""
    whole: str = ""


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One amount: planned, come, and how far off; `meaning` says where the plan's figure is from."""

    id: str
    name: str
    planned: str
    came: str
    off: str
    meaning: str


@dataclass(frozen=True, slots=True)
class FixLine:
    """A button. `action` "" where it changes options and launches; else what has to be done first."""

    kind: str
    text: str
    action: str = ""
