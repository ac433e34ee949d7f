"""Expected failures: `core` raises a code of `core.codes` and facts; `core.words` turns them into text."""

from __future__ import annotations

from core.codes import CODES

Fact = str | int | float | None


class AppError(Exception):
    """A failure the product expects.

    Args:
        code: one of `core.codes.CODES`.
        detail: technical text for the folded "Details" part and the log; never the sentence a person reads first.
        facts: the values the words need (`path=...`, `needed_bytes=...`), only those that `CODES` lists for the code.
    """

    def __init__(self, code: str, detail: str = "", **facts: Fact) -> None:
        known = CODES.get(code)
        if known is None:
            raise ValueError(f"unknown error code {code!r}")
        if extra := set(facts) - known:
            raise ValueError(f"{code} has no facts {sorted(extra)}")
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.facts: dict[str, Fact] = {name: facts.get(name) for name in known}

    def __str__(self) -> str:
        facts = " ".join(f"{k}={v!r}" for k, v in sorted(self.facts.items()) if v is not None)
        head = f"{self.code} {facts}".strip()
        return f"{head}: {self.detail}" if self.detail else head
