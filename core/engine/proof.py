"""Did the launch do what it was asked? Every requested option becomes an expectation with evidence and a verdict. Pure.

A flag that vLLM accepts proves nothing: weight offload was accepted and ignored by the V2 runner of 0.22 to 0.27.1
(issues 51396, 56283; mended by PR 51413 in 0.28.0) and is by every CPU build. So an option "took effect" only when the
running server shows its effect, "had no effect" when it shows the opposite, and else it cannot be told.
"""

from __future__ import annotations

from core.engine.asked import Asked
from core.engine.finding import Finding, Shown, Verdict
from core.engine.proof_memory import MEMORY_RULES
from core.engine.proof_options import OPTION_RULES
from core.engine.proof_ple import table_placed

_ORDER = (Verdict.NO_EFFECT, Verdict.CANNOT_TELL, Verdict.TOOK_EFFECT)


def prove(asked: Asked, shown: Shown) -> tuple[Finding, ...]:
    """One finding per option that was asked for, of a server that is ready; those without effect first, then those
    that cannot be told."""
    rules = (*MEMORY_RULES, table_placed, *OPTION_RULES)
    findings = [finding for rule in rules if (finding := rule(asked, shown)) is not None]
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.verdict)))
