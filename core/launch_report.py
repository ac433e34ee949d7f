"""One launch as a text to copy into a question or an issue: redacted, complete, for a stranger's eyes. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core import version, words
from core.engine.facts import LaunchFacts
from core.engine.finding import Finding
from core.events import EngineInfo, ServerStatus
from core.machine.budget import MemoryLedger
from core.machine.model import Machine
from core.machine.report import as_json
from core.redact import Redactor

LOG_LINES: Final = 200


@dataclass(frozen=True, slots=True)
class LaunchReport:
    """`command` without key and port; `log` the newest lines, oldest first; `secrets` are left out
    wherever they stand."""

    machine: Machine
    ledger: MemoryLedger
    engine: EngineInfo | None
    model: str
    command: str
    status: ServerStatus
    facts: LaunchFacts
    findings: tuple[Finding, ...]
    log: tuple[str, ...]
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def text(self, language: str = "en") -> str:
        """Markdown in the person's language; the log, names and codes stay as they are. Their own folder is "~"."""
        say = _Say(language)
        parts = [
            say.line("title", version=version.__version__, model=self.model or "?"),
            self._engine(say),
            f"{say.head('command')}\n```\n{self.command}\n```",
            self._outcome(say),
            self._proof(say),
            self._facts(say),
            f"{say.head('computer')}\n```json\n{self._computer()}\n```",
            f"{say.head('log')}\n```\n" + "\n".join(self.log[-LOG_LINES:]) + "\n```",
        ]
        text = "\n\n".join(part for part in parts if part) + "\n"
        return Redactor(self.secrets)(text).replace(str(Path.home()), "~")

    def _computer(self) -> str:
        return json.dumps(as_json(self.machine, self.ledger), indent=1, ensure_ascii=False)

    def _engine(self, say: _Say) -> str:
        if self.engine is None:
            return ""
        engine = self.engine
        return say.line(
            "engine", id=engine.id, version=engine.version, platform=engine.platform, python=engine.python_version
        )

    def _outcome(self, say: _Say) -> str:
        status = self.status
        phases = ", ".join(f"{say.term('phase', p.phase)} {say.seconds(p.began_s)}" for p in status.phases)
        state = say.term("state", str(status.state))
        lines = [f"{say.head('outcome')}\n{state} ({phases})" if phases else f"{say.head('outcome')}\n{state}"]
        if status.error is not None:
            told = words.explain(status.error, say.language)
            lines += [f"`{status.error.code}` {told.title}. {told.sentence}", f"```\n{status.error.detail}\n```"]
        return "\n".join(lines)

    def _proof(self, say: _Say) -> str:
        if not self.findings:
            return ""
        columns = [say.word(name) for name in ("option", "asked", "verdict", "found", "reason", "evidence")]
        return "\n".join(
            (say.head("proof"), _row(*columns), "|---" * len(columns) + "|", *(_proved(say, f) for f in self.findings))
        )

    def _facts(self, say: _Say) -> str:
        facts = self.facts
        sizes = {
            "model_bytes": facts.model_bytes,
            "kv_bytes": facts.kv_bytes,
            "graph_bytes": facts.graph_bytes,
            "offloaded_bytes": facts.offloaded_bytes,
            "ram_bytes": facts.ram_bytes,
            "pinned_bytes": facts.pinned_bytes,
        }
        told = [f"{say.word(name)} {words.show_bytes(size, say.language)}" for name, size in sizes.items() if size]
        named = {
            "kv_tokens": facts.kv_tokens,
            "concurrency": facts.concurrency,
            "attention": facts.attention_backend,
            "runner": facts.runner,
            "dtype": facts.dtype,
            "architecture": facts.architecture,
        }
        told += [f"{say.word(name)} {value}" for name, value in named.items() if value]
        return f"{say.head('facts')}\n" + "; ".join(told) if told else ""


@dataclass(frozen=True, slots=True)
class _Say:
    """The report's own words (terms, group "report") in one language."""

    language: str

    def word(self, name: str) -> str:
        return self.term("report", name)

    def head(self, name: str) -> str:
        return f"## {self.word(name)}"

    def line(self, name: str, **values: str) -> str:
        return self.word(name).format(**values)

    def term(self, group: str, name: str) -> str:
        return words.term(group, name, self.language)

    def seconds(self, value: float) -> str:
        return f"{value:.1f}".replace(".", "," if self.language == "ru" else ".") + self.word("second")


def _proved(say: _Say, finding: Finding) -> str:
    reason = say.term("proof_reason", finding.reason) if finding.reason else ""
    return _row(
        say.term("proof_option", finding.option),
        finding.asked,
        say.term("verdict", str(finding.verdict)),
        finding.found,
        reason,
        " / ".join(finding.evidence)[:300],
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
