"""House rules that a machine can check, over every file that git tracks or would track."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOFT_LINES, HARD_LINES = 300, 400

# Spelt in parts, so that this file does not hold what it forbids.
_HOSTS = ("pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org", "deb.debian" + ".org")
MACHINE_PATHS = re.compile(r"(?<![\w.$}>-])/(?:work|root|tmp/scratch|home/(?!user/)[a-z]\w*)/[\w.]")


def tracked(*suffixes: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    files = [ROOT / name for name in names if name and (ROOT / name).is_file()]
    return [path for path in files if not suffixes or path.suffix in suffixes]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def sources(*folders: str) -> list[Path]:
    return [path for path in tracked(".py") if not folders or path.relative_to(ROOT).parts[0] in folders]


def text_files() -> Iterator[tuple[Path, str]]:
    for path in tracked():
        try:
            yield path, path.read_text("utf-8")
        except UnicodeDecodeError:
            continue


def test_no_file_is_too_long() -> None:
    sizes = {shown(path): len(path.read_text("utf-8").splitlines()) for path in sources()}
    long = sorted((lines, name) for name, lines in sizes.items() if lines > SOFT_LINES)
    for lines, name in long:
        print(f"over {SOFT_LINES} lines: {name} ({lines})")
    assert [f"{name}: {lines}" for lines, name in long if lines > HARD_LINES] == []


def test_no_file_names_this_machine_or_a_registry() -> None:
    found: list[str] = []
    for path, text in text_files():
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATHS.search(line) or any(host in line for host in _HOSTS):
                found.append(f"{shown(path)}:{number}: {line.strip()[:120]}")
    assert found == []


def test_nothing_is_left_for_later() -> None:
    words = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "NotImplemented" + "Error")))
    found = [
        f"{shown(path)}:{number}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if words.search(line)
    ]
    assert found == []


def calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Every call with the last part of the called name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield node, node.func.attr
            elif isinstance(node.func, ast.Name):
                yield node, node.func.id


def forbidden_calls(path: Path, tree: ast.AST) -> Iterator[tuple[int, str]]:
    folder = path.relative_to(ROOT).parts[0]
    for node, name in calls(tree):
        if name == "processEvents":
            yield node.lineno, "processEvents: the window never pumps events by hand"
        elif name == "exec" and folder == "gui" and path.name != "app.py":
            yield node.lineno, "exec: dialogs open(), the one event loop is in app.py"
        elif name == "run_coroutine_threadsafe" and shown(path) != "core/runtime.py":
            yield node.lineno, "run_coroutine_threadsafe swallows errors: only core/runtime.py calls it"
        elif name in ("tr", "translate") and any(isinstance(argument, ast.JoinedStr) for argument in node.args):
            yield node.lineno, "an f-string cannot be translated: tr(...).format(...)"


def swallowed(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """`except:` and `except Exception: pass`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        broad = isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
        if node.type is None:
            yield node.lineno, "a bare except"
        elif broad and all(isinstance(step, ast.Pass | ast.Continue) for step in node.body):
            yield node.lineno, "an error swallowed"


def numbered_places(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """`?1` with a sequence of values: Python 3.12.1 warns of it (3.13.0 does not), and the tests call that an error."""
    numbered = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|WHERE|LIMIT)\b.*\?\d", re.DOTALL)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and numbered.search(node.value):
            yield node.lineno, "a numbered place in SQL: use plain ?"


@pytest.mark.parametrize("path", sources("core", "gui", "devtools", "scripts", "stowage_start.py", "dev.py"), ids=shown)
def test_product_code_keeps_the_rules(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert sorted([*forbidden_calls(path, tree), *swallowed(tree), *numbered_places(tree)]) == []


@pytest.mark.parametrize("path", sources("tests"), ids=shown)
def test_tests_use_real_things(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    found = [*swallowed(tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            if any(module.split(".")[:2] == ["unittest", "mock"] or module == "mock" for module in modules):
                found.append((node.lineno, "a mock"))
    for node, name in calls(tree):
        on = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name in ("setattr", "setitem", "delattr") and isinstance(on, ast.Name) and on.id == "monkeypatch":
            found.append((node.lineno, f"monkeypatch.{name}: give the code what it needs instead"))
    assert found == []


def test_the_guardian_needs_only_the_standard_library() -> None:
    """It outlives the app and is started by whatever Python is there."""
    reached: set[Path] = set()
    waiting = [ROOT / "core" / "engine" / "guardian.py", ROOT / "core" / "engine" / "tied.py"]
    foreign: list[str] = []
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for module in imported_modules(ast.parse(path.read_text("utf-8"))):
            top = module.split(".")[0]
            if top in sys.stdlib_module_names:
                continue
            # It may be started by path, beside its siblings, or as a part of `core`.
            inside = ROOT / Path(*module.split(".")).with_suffix(".py")
            beside = path.parent / f"{top}.py"
            local = next((file for file in (inside, beside) if file.is_file()), None)
            if local is None:
                foreign.append(f"{shown(path)} imports {module}")
            else:
                waiting.append(local)
    assert foreign == []


def imported_modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = ROOT / Path(*node.module.split("."))
            if module.is_dir():  # `from core.engine import process_tree`
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_every_link_in_the_docs_leads_somewhere() -> None:
    link = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
    dead: list[str] = []
    for path in tracked(".md"):
        for match in link.finditer(path.read_text("utf-8")):
            target = (match[1] or match[2]).partition("#")[0]
            elsewhere = "://" in target or target.startswith("mailto:")
            if target and not elsewhere and not (path.parent / target).exists():
                dead.append(f"{shown(path)}: {target}")
    assert dead == []
