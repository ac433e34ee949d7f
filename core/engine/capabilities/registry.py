"""What the registries of a build list: architectures, quantization methods, parsers, environment variables.

Read in 0.10.2 to 0.33.0; each is a dict or a `Literal` in the source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from core.engine.capabilities.annotations import last_name, read_hint
from core.engine.capabilities.model import REGISTRY, Architecture, Place, Quantization
from core.engine.capabilities.source import Module, Source

QUANTIZATION: Final = "model_executor/layers/quantization/__init__.py"
ENVIRONMENT: Final = "envs.py"
_GROUP: Final = re.compile(r"^_([A-Z_]+)_MODELS$")
_REGISTERED: Final = re.compile(r"register_module\(\s*(?:name=)?\[?\"([^\"]+)\"")


def architectures(source: Source) -> tuple[Architecture, ...]:
    """Every name in the `_…_MODELS` tables that vLLM can serve itself."""
    module = source.module(REGISTRY)
    found: dict[str, Architecture] = {}
    for name, value in module.names.items() if module is not None else ():
        match = _GROUP.match(name)
        if match is None or name.startswith(("_PREVIOUSLY", "_OOT", "_VLLM")):
            continue
        for key in _keys(value):
            found.setdefault(str(key.value), Architecture(str(key.value), match[1].lower(), key.lineno))
    return tuple(sorted(found.values(), key=lambda each: each.name))


def removed_architectures(source: Source) -> dict[str, str]:
    """Name -> the last version that had it, or the address of the plugin that has it now."""
    module = source.module(REGISTRY)
    found: dict[str, str] = {}
    for name in ("_PREVIOUSLY_SUPPORTED_MODELS", "_OOT_SUPPORTED_MODELS"):
        value = module.names.get(name) if module is not None else None
        if isinstance(value, ast.Dict):
            for key, text in zip(value.keys, value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(text, ast.Constant):
                    found[str(key.value)] = str(text.value)
    return found


def _keys(value: ast.expr) -> Iterator[ast.Constant]:
    for key in value.keys if isinstance(value, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key


def quantizations(source: Source) -> tuple[Quantization, ...]:
    module = source.module(QUANTIZATION)
    literal = module.names.get("QuantizationMethods") if module is not None else None
    if module is None or literal is None:
        return ()
    deprecated = {str(key.value) for key in _constants(module.names.get("DEPRECATED_QUANTIZATION_METHODS"))}
    classes = _classes(module)
    found: list[Quantization] = []
    for name in map(str, read_hint(literal, module, source).literals):
        place, minimum = Place(QUANTIZATION, source.line_of(QUANTIZATION, f'"{name}"') or 0), None
        if name in classes and (home := source.class_of(classes[name], module)):
            place, minimum = Place(home[1].file, home[0].lineno), _min_capability(*home, source)
        found.append(Quantization(name, minimum, place, name in deprecated))
    return tuple(found)


def _constants(node: ast.expr | None) -> Iterator[ast.Constant]:
    for element in node.elts if isinstance(node, ast.List | ast.Tuple) else ():
        if isinstance(element, ast.Constant):
            yield element


def _classes(module: Module) -> dict[str, str]:
    """Method -> class, from `method_to_config` in `get_quantization_config`; its lazy imports become the module's."""
    function = module.functions.get("get_quantization_config")
    found: dict[str, str] = {}
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.ImportFrom):
            module.follow(node)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and last_name(value):
                    found[str(key.value)] = last_name(value)
    return found


def _min_capability(node: ast.ClassDef, module: Module, source: Source) -> int | None:
    """What `get_min_capability` returns, if it returns one constant; looked up in the bases too."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "get_min_capability":
            returned = [each.value for each in ast.walk(statement) if isinstance(each, ast.Return)]
            values = [r.value for r in returned if isinstance(r, ast.Constant) and isinstance(r.value, int)]
            return values[0] if len(values) == len(returned) == 1 else None
    for base in node.bases:
        if (found := source.class_of(last_name(base), module)) is not None:
            return _min_capability(*found, source)
    return None


def reasoning_parsers(source: Source) -> tuple[str, ...]:
    return _parsers(source, "_REASONING_PARSERS_TO_REGISTER", ("reasoning",))


def tool_parsers(source: Source) -> tuple[str, ...]:
    return _parsers(source, "_TOOL_PARSERS_TO_REGISTER", ("tool_parsers", "entrypoints/openai/tool_parsers"))


def _parsers(source: Source, table: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    """From the table (0.12 on), else from the decorators of the files (0.10)."""
    for folder in folders:
        module = source.module(f"{folder}/__init__.py")
        if module is None:
            continue
        if table in module.names:
            return tuple(sorted(str(key.value) for key in _keys(module.names[table])))
        texts = (source.text(f"{folder}/{path.name}") or "" for path in (source.root / folder).glob("*.py"))
        return tuple(sorted({name for text in texts for name in _REGISTERED.findall(text)}))
    return ()


def environment(source: Source) -> tuple[str, ...]:
    """Names that this build reads, as `vllm.envs` lists them."""
    module = source.module(ENVIRONMENT)
    table = module.names.get("environment_variables") if module is not None else None
    return tuple(sorted(str(key.value) for key in _keys(table))) if table is not None else ()
