"""Which modules a checkpoint's quantization leaves out, whatever prefix the lists use for them.

Checkpoints, transformers and vLLM put different prefixes before the same path ("model.language_model.layers.3",
"backbone.layers.3"). All names are compared without them.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_PREFIX: Final = re.compile(r"^(?:(?:model|language_model|backbone|thinker|text_model|transformer)\.)+")
# What a pattern anchored at the start may expect before the path.
_LEADS: Final = ("", "model.", "model.language_model.", "language_model.model.", "backbone.")


def bare(name: str) -> str:
    return _PREFIX.sub("", name)


class Names:
    """A list of module names, wildcards (`*`) and regular expressions (`re:`).

    `substring`: a plain entry also counts when it occurs anywhere in a module's path (AWQ, ModelOpt).
    """

    def __init__(self, entries: Iterable[str], *, substring: bool = False) -> None:
        exact: set[str] = set()
        plain: list[str] = []
        globs: list[str] = []
        expressions: list[str] = []
        for entry in entries:
            if entry.startswith("re:"):
                expressions.append(entry[3:])
            elif any(sign in entry for sign in "*?["):
                globs.append(fnmatch.translate(bare(entry)))
            else:
                exact.add(bare(entry))
                plain.append(bare(entry))
        self._exact = exact
        self._parts = tuple(plain) if substring else ()
        self._globs = _combined(globs)
        self._expressions = _combined(expressions)

    def __contains__(self, path: str) -> bool:
        """`path`: a module's path without the leading model prefixes."""
        if path in self._exact or any(part and part in path for part in self._parts):
            return True
        if self._globs and self._globs.match(path):
            return True
        expression = self._expressions
        return expression is not None and any(expression.match(lead + path) for lead in _LEADS)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def _combined(patterns: list[str]) -> re.Pattern[str] | None:
    usable = [pattern for pattern in patterns if _compiled(pattern) is not None]
    return _compiled("|".join(f"(?:{pattern})" for pattern in usable)) if usable else None
