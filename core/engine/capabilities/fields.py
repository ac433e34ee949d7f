"""The fields of vLLM's config classes, with the text below each as its help."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from core.engine.capabilities.annotations import Hint, last_name, literal_text, read_default, read_hint
from core.engine.capabilities.model import Place
from core.engine.capabilities.source import Module, Source


@dataclass(frozen=True, slots=True)
class Field:
    """`type` and `default` as text. `place` is the line of the field itself."""

    name: str
    type: str
    hint: Hint
    default: str
    help: str
    place: Place


def class_fields(name: str, module: Module, source: Source) -> dict[str, Field]:
    """All fields of a class and of its bases, the bases' first, as `dataclasses.fields` orders them."""
    found = source.class_of(name, module)
    if found is None:
        return {}
    node, home = found
    fields: dict[str, Field] = {}
    for base in reversed(node.bases):
        fields |= class_fields(last_name(base), home, source)
    for each in _own_fields(node, home, source):
        fields[each.name] = each
    return fields


def _own_fields(node: ast.ClassDef, home: Module, source: Source) -> Iterator[Field]:
    for index, statement in enumerate(node.body):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        kind = ast.unparse(statement.annotation)
        if "ClassVar" in kind or "InitVar" in kind:
            continue
        following = node.body[index + 1] if index + 1 < len(node.body) else None
        yield Field(
            statement.target.id,
            kind,
            read_hint(statement.annotation, home, source),
            read_default(statement.value, home, source),
            _text_below(following),
            Place(home.file, statement.lineno),
        )


def _text_below(statement: ast.stmt | None) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    text = value.value if isinstance(value, ast.Constant) else None
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def text_of(node: ast.expr, module: Module, source: Source) -> str:
    """A help text: a literal, a name for one, or the readable parts of a sum of them."""
    if isinstance(node, ast.Name) and (found := source.value(node.id, module)):
        return text_of(found[0], found[1], source)
    if isinstance(node, ast.BinOp):
        return text_of(node.left, module, source) + text_of(node.right, module, source)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part, module, source) for part in node.values if isinstance(part, ast.Constant))
    return literal_text(node) if isinstance(node, ast.Constant) else ""
