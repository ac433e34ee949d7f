"""Secrets never reach a log, a view or a report."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable

MASK = "[hidden]"

# Shapes of secrets that may appear without being registered: Hub tokens, bearer headers, key=value spellings.
_SHAPES = re.compile(
    r"hf_[A-Za-z0-9]{16,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=api_key=)[^\s,)'\"]{4,}|(?<=api-key=)[^\s,)'\"]{4,}"
    r"|(?<='api_key': ')[^']{4,}"
)


class Redactor:
    """Replaces known secrets and things shaped like one. `text` in, same text without them out."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: set[str] = set()
        self._pattern = _SHAPES
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        if len(secret) < 4 or secret in self._secrets:
            return
        self._secrets.add(secret)
        longest_first = sorted(self._secrets, key=len, reverse=True)
        self._pattern = re.compile("|".join([*map(re.escape, longest_first), _SHAPES.pattern]))

    def __call__(self, text: str) -> str:
        return self._pattern.sub(MASK, text)


class RedactingFilter(logging.Filter):
    """Applies a `Redactor` to every record, arguments and traceback included."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor
        self._formatter = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = self._redactor(record.getMessage())
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._formatter.formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._redactor(record.exc_text)
        return True
