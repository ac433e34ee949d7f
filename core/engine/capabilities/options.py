"""Every option of the server's command line, by following the code that declares it.

vLLM (read: 0.10.2 to 0.33.0) declares them in four places: `EngineArgs.add_cli_args` and
`AsyncEngineArgs.add_cli_args` (`engine/arg_utils.py`), the fields of `FrontendArgs`, and `make_arg_parser`
(`cli_args.py`, which moved twice). Types, defaults and help come from the fields of the config classes, as
`get_kwargs` does it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from core.engine.capabilities.annotations import Hint, last_name, read_default, read_hint
from core.engine.capabilities.fields import Field, class_fields, text_of
from core.engine.capabilities.model import Kind, Option, Place
from core.engine.capabilities.source import Module, Source

ENGINE_ARGS: Final = "engine/arg_utils.py"
SERVER_ARGS: Final = (
    "entrypoints/common/cli_args.py",  # 0.33
    "entrypoints/launchers/cli_args.py",  # 0.32
    "entrypoints/openai/cli_args.py",  # <= 0.31
)
# Lists by their type, but read as one JSON text, or one word at each use (`FrontendArgs._customize_cli_kwargs`).
_OTHER_KINDS: Final[dict[str, Kind]] = {
    "allowed_origins": "json",
    "allowed_methods": "json",
    "allowed_headers": "json",
    "middleware": "value",
}
_LISTS: Final = frozenset(("list", "tuple", "set", "Sequence"))


def read_options(source: Source) -> tuple[Option, ...]:
    """In the order of their names; empty when the files are not there or nothing in them is understood."""
    found: list[Option] = []
    engine = source.module(ENGINE_ARGS)
    if engine is not None:
        for name in ("EngineArgs", "AsyncEngineArgs"):
            for function in _methods(engine, name, "add_cli_args"):
                found += _Declarations(engine, source).of(function)
    server_file = source.first(*SERVER_ARGS)
    server = source.module(server_file) if server_file else None
    if server is not None:
        found += _frontend(server, source)
        if function := server.functions.get("make_arg_parser"):
            found += _Declarations(server, source).of(function)
    return tuple(sorted({option.flag: option for option in found}.values(), key=lambda option: option.flag))


def _methods(module: Module, class_name: str, name: str) -> Iterator[ast.FunctionDef]:
    node = module.classes.get(class_name)
    for statement in node.body if node is not None else ():
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            yield statement


def _frontend(server: Module, source: Source) -> Iterator[Option]:
    for name, each in class_fields("FrontendArgs", server, source).items():
        option = _of_field(f"--{name.replace('_', '-')}", (), "Frontend", each)
        yield msgspec.structs.replace(option, kind=_OTHER_KINDS.get(name, option.kind))


@dataclass
class _Declarations:
    """The `add_argument` calls of one function, whichever branch they are in, and the names that they use."""

    module: Module
    source: Source
    kwargs: dict[str, dict[str, Field]] = field(default_factory=dict[str, dict[str, Field]])
    one: dict[str, Field] = field(default_factory=dict[str, Field])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    removed: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def of(self, function: ast.FunctionDef) -> Iterator[Option]:
        nodes = [node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.Call)]
        for node in sorted(nodes, key=lambda node: node.lineno):
            if isinstance(node, ast.Assign):
                self._assigned(node)
            elif last_name(node.func) == "remove":
                self._choice_removed(node)
            elif last_name(node.func) == "add_argument" and (option := self._of_call(node)):
                yield option

    def _assigned(self, node: ast.Assign) -> None:
        if not isinstance(node.targets[0], ast.Name):
            return
        name, value = node.targets[0].id, node.value
        if isinstance(value, ast.Subscript) and (found := self._field(value)):
            self.one[name] = found
        elif isinstance(value, ast.Call) and last_name(value.func) == "get_kwargs" and value.args:
            self.kwargs[name] = class_fields(last_name(value.args[0]), self.module, self.source)
        elif isinstance(value, ast.Call) and last_name(value.func) == "add_argument_group":
            title = {keyword.arg: keyword.value for keyword in value.keywords}.get("title")
            title = title or (value.args[0] if value.args else None)
            self.titles[name] = text_of(title, self.module, self.source) if title is not None else ""

    def _choice_removed(self, call: ast.Call) -> None:
        """`parallel_kwargs["all2all_backend"]["choices"].remove("passthrough")`"""
        target = call.func.value if isinstance(call.func, ast.Attribute) else None
        found = self._field(target.value) if isinstance(target, ast.Subscript) else None
        if found is not None and call.args:
            self.removed.add((found.name, read_default(call.args[0], self.module, self.source)))

    def _field(self, value: ast.expr | None) -> Field | None:
        """The field behind `model_kwargs["dtype"]`, a name for that, or a dict that spreads it."""
        if isinstance(value, ast.Name):
            return self.one.get(value.id)
        if isinstance(value, ast.Dict):
            spread = (self._field(v) for k, v in zip(value.keys, value.values, strict=True) if k is None)
            return next((found for found in spread if found is not None), None)
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            return self.kwargs.get(last_name(value.value), {}).get(str(value.slice.value))
        return None

    def _of_call(self, call: ast.Call) -> Option | None:
        names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        names = [name for name in names if name.startswith("-")]
        if not names:
            return None
        flag = next((name for name in names if name.startswith("--")), names[0])
        aliases = tuple(name for name in names if name != flag)
        group = self.titles.get(last_name(call.func.value), "") if isinstance(call.func, ast.Attribute) else ""
        spread = [keyword.value for keyword in call.keywords if keyword.arg is None]
        for value in spread:
            if found := self._field(value):
                option = _of_field(flag, aliases, group, found)
                choices = tuple(c for c in option.choices if (found.name, c) not in self.removed)
                return msgspec.structs.replace(option, choices=choices, **self._overrides(value))
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        return self._of_given(call, flag, aliases, group, given)

    def _overrides(self, value: ast.expr) -> dict[str, str]:
        """`{**scheduler_kwargs["max_num_seqs"], "default": None}`"""
        if isinstance(value, ast.Dict):
            for key, given in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "default":
                    return {"default": read_default(given, self.module, self.source)}
        return {}

    def _of_given(
        self, call: ast.Call, flag: str, aliases: tuple[str, ...], group: str, given: dict[str, ast.expr]
    ) -> Option:
        kind, choices = _given_kind(given), self._choices(given.get("choices"))
        text = text_of(given["help"], self.module, self.source) if "help" in given else ""
        default = read_default(given.get("default"), self.module, self.source)
        return Option(
            flag, kind, group, last_name(given["type"]) if "type" in given else "",
            "False" if kind == "flag" else "" if default == "argparse.SUPPRESS" else default, text,
            Place(self.module.file, call.lineno), aliases, choices, bool(choices), (), _deprecated(text),
        )  # fmt: skip

    def _choices(self, node: ast.expr | None) -> tuple[str, ...]:
        """Of a plain list or of `get_args(Alias)`; what depends on the running platform is left open."""
        if isinstance(node, ast.List | ast.Tuple):
            return tuple(str(e.value) for e in node.elts if isinstance(e, ast.Constant))
        if isinstance(node, ast.Call) and last_name(node.func) == "get_args" and node.args:
            return tuple(str(value) for value in read_hint(node.args[0], self.module, self.source).literals)
        return ()


def _given_kind(given: dict[str, ast.expr]) -> Kind:
    action = given.get("action")
    if action is not None:
        if last_name(action) == "BooleanOptionalAction":
            return "switch"
        if isinstance(action, ast.Constant) and action.value in ("store_true", "store_false"):
            return "flag"
    nargs = given.get("nargs")
    return "list" if isinstance(nargs, ast.Constant) and nargs.value in ("+", "*") else "value"


def _of_field(flag: str, aliases: tuple[str, ...], group: str, found: Field) -> Option:
    hint = found.hint
    closed = bool(hint.literals) and "str" not in hint.names and hint.config is None
    return Option(
        flag, _kind(hint), group, found.type, found.default, found.help, found.place, aliases,
        tuple(str(value) for value in hint.literals), closed, tuple(_own_names(hint)), _deprecated(found.help),
    )  # fmt: skip


def _own_names(hint: Hint) -> Iterator[str]:
    if hint.config is not None:
        for statement in hint.config[0].body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id


def _kind(hint: Hint) -> Kind:
    """As `vllm.engine.arg_utils._compute_kwargs` decides it, in its order."""
    if hint.config is not None:
        return "json"
    if "bool" in hint.names:
        return "value" if hint.names == {"bool", "str", "None"} else "switch"
    if hint.names & _LISTS:
        return "list"
    if hint.literals or hint.names & {"int", "float"}:
        return "value"
    return "json" if "dict" in hint.names else "value"


def _deprecated(text: str) -> bool:
    return "deprecated" in text.lower().split("\n\n")[0]
