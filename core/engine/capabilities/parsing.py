"""`ast.parse` that other threads do not disturb."""

from __future__ import annotations

import ast
from typing import Literal, overload

_TRIES = 20


@overload
def parse(text: str) -> ast.Module: ...
@overload
def parse(text: str, mode: Literal["eval"]) -> ast.Expression: ...
def parse(text: str, mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    """`ast.parse`. CPython 3.11 counts how deep it is for all threads together: where another one parses in between
    (formatting a traceback does), it says "AST constructor recursion depth mismatch" of a tree that is right. Then it
    is made again; 3.12 and later count for each by itself.

    Raises:
        SyntaxError, ValueError: as `ast.parse` does.
    """
    for _ in range(_TRIES - 1):
        try:
            return ast.parse(text, mode=mode)
        except SystemError:
            continue
    return ast.parse(text, mode=mode)
