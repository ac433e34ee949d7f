"""Types and defaults of a field as text: unions taken apart, aliases of `Literal` followed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any, Final

from core.engine.capabilities.parsing import parse
from core.engine.capabilities.source import Module, Source

_UNIONS: Final = ("Union", "Optional")
_WRAPPERS: Final = ("Annotated", "SkipValidation", "Required")
_FACTORIES: Final = {"list": "[]", "dict": "{}", "set": "set()", "tuple": "()"}
_DEPTH: Final = 8


@dataclass(slots=True)
class Hint:
    """The parts of a type: builtin and other `names`, values of `Literal`, the class of a JSON object."""

    names: set[str] = field(default_factory=set[str])
    literals: list[Any] = field(default_factory=list[Any])
    config: tuple[ast.ClassDef, Module] | None = None


def read_hint(node: ast.expr, module: Module, source: Source) -> Hint:
    hint = Hint()
    _walk(node, module, source, hint, _DEPTH)
    return hint


def _walk(node: ast.expr, module: Module, source: Source, hint: Hint, depth: int) -> None:
    if depth <= 0:
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        _walk(node.left, module, source, hint, depth)
        _walk(node.right, module, source, hint, depth)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):  # a forward reference
            _walk(parse(node.value, "eval").body, module, source, hint, depth - 1)
        else:
            hint.names.add(str(node.value))
    elif isinstance(node, ast.Subscript):
        _subscript(node, module, source, hint, depth)
    elif isinstance(node, ast.Name):
        _name(node.id, module, source, hint, depth)
    elif isinstance(node, ast.Attribute):
        hint.names.add(node.attr)


def _subscript(node: ast.Subscript, module: Module, source: Source, hint: Hint, depth: int) -> None:
    outer = last_name(node.value)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer == "Literal":
        _literal(inner, module, source, hint, depth)
    elif outer in _UNIONS:
        for part in inner:
            _walk(part, module, source, hint, depth)
        if outer == "Optional":
            hint.names.add("None")
    elif outer in _WRAPPERS:
        _walk(inner[0], module, source, hint, depth)
    else:
        hint.names.add(outer.lower() if outer in ("List", "Dict", "Set", "Tuple") else outer)
        if outer in ("list", "List", "set", "Set", "tuple", "Tuple"):
            element = Hint()
            _walk(inner[0], module, source, element, depth - 1)
            hint.literals += element.literals


def _literal(parts: list[ast.expr], module: Module, source: Source, hint: Hint, depth: int) -> None:
    for part in parts:
        if isinstance(part, ast.Constant):
            hint.literals.append(part.value)
        else:  # one Literal within another
            _walk(part, module, source, hint, depth - 1)


def _name(name: str, module: Module, source: Source, hint: Hint, depth: int) -> None:
    if name in ("str", "int", "float", "bool", "list", "dict", "set", "tuple", "None", "Any"):
        hint.names.add(name)
    elif alias := source.value(name, module):
        _walk(alias[0], alias[1], source, hint, depth - 1)
    elif found := source.class_of(name, module):
        # `class MultiModalDummyOptions(dict[str, BaseDummyOptions])` (0.32) is a dict on the command line.
        if any(last_name(base.value if isinstance(base, ast.Subscript) else base) == "dict" for base in found[0].bases):
            hint.names.add("dict")
        elif is_dataclass(found[0]):
            hint.config = hint.config or found
        hint.names.add(name)
    else:
        hint.names.add(name)


def is_dataclass(node: ast.ClassDef) -> bool:
    """By its decorator: `@dataclass`, or vLLM's own `@config`, with or without arguments."""
    decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return any(last_name(decorator) in ("dataclass", "config") for decorator in decorators)


def read_default(node: ast.expr | None, module: Module, source: Source, depth: int = _DEPTH) -> str:
    """The default as text: a value where it can be read, else the source's own words; "" for none."""
    if node is None or depth <= 0:
        return ""
    if isinstance(node, ast.Call) and last_name(node.func) in ("Field", "field"):
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        if factory := given.get("default_factory"):
            return _FACTORIES.get(last_name(factory), _lambda(factory))
        inner = given.get("default") or (node.args[0] if node.args else None)
        return read_default(inner, module, source, depth - 1)
    if isinstance(node, ast.Name) and (found := source.value(node.id, module)):
        return read_default(found[0], found[1], source, depth - 1)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _class_default(node, node.value.id, module, source, depth)
    return literal_text(node)


def _class_default(node: ast.Attribute, name: str, module: Module, source: Source, depth: int) -> str:
    """The default of another class's field (`AsyncEngineArgs.enable_log_requests`)."""
    found = source.class_of(name, module)
    for statement in found[0].body if found is not None and is_dataclass(found[0]) else ():
        if isinstance(statement, ast.AnnAssign) and last_name(statement.target) == node.attr:
            return read_default(statement.value, found[1] if found else module, source, depth - 1)
    return literal_text(node)


def _lambda(node: ast.expr) -> str:
    return ast.unparse(node.body) if isinstance(node, ast.Lambda) else f"{ast.unparse(node)}()"


def literal_text(node: ast.expr) -> str:
    """A literal's value as text, strings without their quotes; other expressions as they are written."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return "" if isinstance(node, ast.Constant) else ast.unparse(node)
    if value is Ellipsis:
        return ""
    return value if isinstance(value, str) else repr(value)


def last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
