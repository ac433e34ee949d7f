"""One launch as a text to copy into a question or an issue: redacted, complete, for a stranger's eyes. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core import version, words
from core.engine.facts import GIB, LaunchFacts
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

    def text(self) -> str:
        """Markdown in English, which is what an issue is read in; the user's own folder is "~"."""
        parts = [
            f"# Stowage {version.__version__}: launch of {self.model or '?'}",
            self._engine(),
            f"## Command\n```\n{self.command}\n```",
            self._outcome(),
            self._proof(),
            self._facts(),
            f"## Computer\n```json\n{self._computer()}\n```",
            "## Log\n```\n" + "\n".join(self.log[-LOG_LINES:]) + "\n```",
        ]
        text = "\n\n".join(part for part in parts if part) + "\n"
        return Redactor(self.secrets)(text).replace(str(Path.home()), "~")

    def _computer(self) -> str:
        return json.dumps(as_json(self.machine, self.ledger), indent=1, ensure_ascii=False)

    def _engine(self) -> str:
        if self.engine is None:
            return ""
        engine = self.engine
        return f"Engine {engine.id}: vLLM {engine.version} ({engine.platform}), Python {engine.python_version}"

    def _outcome(self) -> str:
        status = self.status
        phases = ", ".join(f"{p.phase} {p.began_s:.1f} s" for p in status.phases)
        lines = [f"## Outcome\n{status.state} ({phases})"]
        if status.error is not None:
            told = words.explain(status.error, "en")
            lines += [f"`{status.error.code}` {told.title}. {told.sentence}", f"```\n{status.error.detail}\n```"]
        return "\n".join(lines)

    def _proof(self) -> str:
        rows = [
            f"| {f.option} | {f.asked} | {f.verdict} | {f.found} | {f.reason} | {' / '.join(f.evidence)[:300]} |"
            for f in self.findings
        ]
        if not rows:
            return ""
        return "\n".join(
            ("## Proof", "| option | asked | verdict | found | reason | evidence |", "|---|---|---|---|---|---|", *rows)
        )

    def _facts(self) -> str:
        facts = self.facts
        sizes = {
            "model": facts.model_bytes,
            "KV cache": facts.kv_bytes,
            "graphs": facts.graph_bytes,
            "offloaded": facts.offloaded_bytes,
            "RAM of the processes": facts.ram_bytes,
            "pinned": facts.pinned_bytes,
        }
        told = [f"{name} {size / GIB:.2f} GiB" for name, size in sizes.items() if size]
        named = {
            "KV tokens": facts.kv_tokens,
            "concurrency": facts.concurrency,
            "attention": facts.attention_backend,
            "runner": facts.runner,
            "dtype": facts.dtype,
            "architecture": facts.architecture,
        }
        told += [f"{name} {value}" for name, value in named.items() if value]
        return "## Facts\n" + "; ".join(told) if told else ""
