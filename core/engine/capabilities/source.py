"""The text of an installed vLLM: files, parsed modules, and names followed through imports. Nothing is executed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

from core.engine.capabilities.parsing import parse

_MAX_HOPS: Final = 6


class Module:
    """One parsed file. `file` is relative to the package."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.tree = tree
        self.names: dict[str, ast.expr] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self._collect(tree.body)

    def _collect(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.names[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.names[node.target.id] = node.value
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                self.follow(node)
            elif isinstance(node, ast.If):
                # `if TYPE_CHECKING:` holds the true types, the `else` stand-ins for the running program.
                self._collect(node.orelse)
                self._collect(node.body)

    def follow(self, node: ast.ImportFrom) -> None:
        """Know the names that an import brings (lazy ones inside functions are not looked for)."""
        module = node.module or ""
        if node.level:
            parts = Path(self.file).parent.parts
            base = parts[: len(parts) - node.level + 1]
            module = ".".join(("vllm", *base, *([module] if module else ())))
        for name in node.names:
            self.imports[name.asname or name.name] = (module, name.name)


class Source:
    """The package folder of one vLLM (`…/site-packages/vllm`). Files are read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str | None] = {}
        self._modules: dict[str, Module | None] = {}

    def text(self, file: str) -> str | None:
        """None when there is no such file."""
        if file not in self._texts:
            try:
                self._texts[file] = (self.root / file).read_text(encoding="utf-8", errors="replace")
            except OSError:
                self._texts[file] = None
        return self._texts[file]

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def first(self, *files: str) -> str | None:
        """The first of `files` that exists."""
        return next((file for file in files if self.exists(file)), None)

    def line_of(self, file: str, text: str) -> int | None:
        """The line, from 1, that first holds `text`; None when no line does."""
        whole = self.text(file)
        at = -1 if whole is None else whole.find(text)
        return None if whole is None or at < 0 else whole.count("\n", 0, at) + 1

    def module(self, file: str) -> Module | None:
        """None when the file is missing or this Python cannot parse it."""
        if file not in self._modules:
            text = self.text(file)
            try:
                self._modules[file] = None if text is None else Module(file, parse(text))
            except (SyntaxError, ValueError):
                self._modules[file] = None
        return self._modules[file]

    def _of_dotted(self, dotted: str) -> Module | None:
        if dotted != "vllm" and not dotted.startswith("vllm."):
            return None
        path = dotted.removeprefix("vllm").lstrip(".").replace(".", "/")
        file = self.first(*((f"{path}.py",) if path else ()), f"{path}/__init__.py".lstrip("/"))
        return self.module(file) if file else None

    def value(self, name: str, module: Module, hops: int = _MAX_HOPS) -> tuple[ast.expr, Module] | None:
        """The expression that a module-level name stands for, and where."""
        if name in module.names:
            return module.names[name], module
        target = self._imported(name, module, hops)
        return self.value(target[0], target[1], hops - 1) if target else None

    def class_of(self, name: str, module: Module, hops: int = _MAX_HOPS) -> tuple[ast.ClassDef, Module] | None:
        """The class that a name stands for, and where it is."""
        if name in module.classes:
            return module.classes[name], module
        target = self._imported(name, module, hops)
        return self.class_of(target[0], target[1], hops - 1) if target else None

    def _imported(self, name: str, module: Module, hops: int) -> tuple[str, Module] | None:
        if hops <= 0 or name not in module.imports:
            return None
        dotted, original = module.imports[name]
        found = self._of_dotted(dotted)
        return (original, found) if found is not None and found is not module else None
