"""How commands speak: answers on stdout, progress and errors on stderr, JSON when asked."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Final

from core import words
from core.engine.eta import eta
from core.errors import AppError
from core.events import ErrorInfo, Event, Phase, Preflighted, Progress, ServerStatus
from core.hub.model import DownloadInfo
from core.preflight.finding import Preflight

QUIET_EVERY_S: Final = 10.0


class Console:
    """One command's output. `language` is "en" or "ru"; with `as_json` stdout carries exactly one JSON object."""

    def __init__(self, language: str, as_json: bool = False) -> None:
        self.language = language
        self.as_json = as_json
        self._live = sys.stderr.isatty()
        self._width = 0
        self._last_text = ""
        self._last_at = 0.0

    def say(self, name: str, **values: object) -> None:
        """A line of news on stderr; `name` is a term of group "cli"."""
        self._clear()
        print(self.text(name, **values), file=sys.stderr, flush=True)

    def text(self, name: str, **values: object) -> str:
        return words.term("cli", name, self.language).format_map(values)

    def out(self, text: str, end: str = "\n") -> None:
        """The command's own result, on stdout."""
        self._clear()
        print(text, end=end, flush=True)

    def ask(self, text: str) -> None:
        """A question on stderr; the answer is typed behind it."""
        self._clear()
        print(text, end="", file=sys.stderr, flush=True)

    def object(self, value: dict[str, Any]) -> None:
        self._clear()
        print(json.dumps(value, ensure_ascii=False), flush=True)

    def fail(self, error: AppError | ErrorInfo) -> None:
        """A failure in words on stderr, and as an object on stdout when JSON was asked for."""
        info = error if isinstance(error, ErrorInfo) else ErrorInfo.of(error, getattr(error, "last_words", ()))
        told = words.explain(info, self.language)
        self._clear()
        print(told.as_text(), file=sys.stderr, flush=True)
        if told.details:
            indented = "\n".join(f"  {line}" for line in told.details.splitlines()[-30:])
            print(indented, file=sys.stderr, flush=True)
        if self.as_json:
            failure = {"code": info.code, "title": told.title, "message": told.sentence, "next": told.next_step}
            self.object({"error": failure | {"facts": info.facts}})

    def warn(self, warning: ErrorInfo) -> None:
        """Something that does not stop the command, on stderr."""
        told = words.explain(warning, self.language)
        self._clear()
        print(f"{told.title}. {told.sentence} {told.next_step}", file=sys.stderr, flush=True)

    # ---- live progress ---------------------------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        """Show progress events; a terminal gets one living line, a pipe a line whenever the step changes."""
        if isinstance(event, Progress):
            self.progress(words.term("step", event.step, self.language), self.amount(event))
        elif isinstance(event, Preflighted):
            self._findings(event.preflight)
        elif isinstance(event, ServerStatus) and event.phase not in (None, Phase.READY):
            self.progress(words.term("phase", str(event.phase), self.language), self._phase_amount(event))

    def _findings(self, preflight: Preflight) -> None:
        """What a launch goes on in spite of; what stops it comes as its error."""
        for finding in preflight.findings:
            told = words.explain(finding.info, self.language)
            head = words.term("severity", str(finding.severity), self.language)
            self._clear()
            print(f"{head}: {told.title}. {told.sentence} {told.next_step}", file=sys.stderr, flush=True)

    def amount(self, event: Progress | DownloadInfo) -> str:
        """Bytes, rate and time left, as far as they are known."""
        parts: list[str] = []
        if event.total_bytes:
            done, total = (words.show_bytes(n, self.language) for n in (event.done_bytes, event.total_bytes))
            parts.append(f"{done} / {total}")
        if event.rate > 0:
            parts.append(f"{words.show_bytes(event.rate, self.language)}/s")
        if event.eta_s is not None:
            parts.append(self.text("eta", eta=duration(event.eta_s)))
        return " · ".join(parts)

    def _phase_amount(self, event: ServerStatus) -> str:
        elapsed = duration(time.monotonic() - event.started_monotonic)
        fraction = event.phases[-1].fraction
        left = eta(event, time.monotonic() - event.started_monotonic)
        parts = ["" if fraction is None else f"{fraction:.0%}", elapsed]
        if left is not None and not left.late:
            parts.append(self.text("eta", eta=duration(left.remaining_s)))
        return " · ".join(part for part in parts if part)

    def progress(self, head: str, amount: str) -> None:
        """The present state of long work."""
        now = time.monotonic()
        if self._live:
            line = f"{head}  {amount}".rstrip()
            print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(line)
        elif head != self._last_text or now - self._last_at >= QUIET_EVERY_S:
            print(f"{head}  {amount}".rstrip(), file=sys.stderr, flush=True)
            self._last_at = now
        self._last_text = head

    def _clear(self) -> None:
        if self._live and self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0


def duration(seconds: float) -> str:
    """Seconds as `0:24` or `1:02:03`."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{secs:02}" if hours else f"{minutes}:{secs:02}"
