"""The verbs of `dev.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from devtools import libraries
from devtools.environment import ensure, find_uv, installer_environment, replace_process
from devtools.places import REQUIREMENTS, ROOT, app_environment, tool, venv_python
from devtools.speech import Stop, say

USAGE = """\
usage: python3 dev.py run [arguments of stowage]   set up what is missing, then start Stowage
       python3 dev.py test [arguments of pytest]   run the tests
       python3 dev.py lint                         check style, types, layers and translations
       python3 dev.py bench [arguments of pytest]  measure; results in artefacts/bench
       python3 dev.py lock [--upgrade]             write requirements/*.lock anew"""

# Windows and servers of tests share one machine; past a few at once their deadlines measure it and not the product.
_MOST_AT_ONCE = 4
# A vLLM keeps one core busy while it starts and takes up to 6 GiB.
_ENGINES_AT_ONCE = 2
_MEMORY_FOR_ENGINES_BYTES = 16 << 30
# Where the time went stands at the end of each part.
_SLOWEST = ["--durations=25", "--durations-min=1"]


def main(arguments: list[str]) -> int:
    verbs = {"run": run, "test": test, "lint": lint, "bench": bench, "lock": lock}
    verb = verbs.get(arguments[0]) if arguments else None
    if verb is None:
        asked = bool(arguments) and arguments[0] in ("-h", "--help", "help")
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    try:
        return verb(arguments[1:])
    except Stop as stop:
        say(stop.sentence)
        say(stop.next_step)
        return 1
    except KeyboardInterrupt:
        say("stopped; the next run starts the set-up afresh where it has to")
        return 130


def run(arguments: list[str]) -> int:
    """The app. Only the window needs Qt's system libraries; the terminal commands do without."""
    fresh = ensure("app")
    added = False if arguments else libraries.provide(libraries.for_window())
    try:
        added = libraries.provide(libraries.ENGINE) or added
    except Stop as lack:  # not every command starts an engine, and one that does says so when it cannot
        say(f"{lack.sentence} vLLM's CPU build needs it. {lack.next_step}")
    if not (fresh or added):
        say("everything is set up already")
    return replace_process([str(venv_python()), str(ROOT / "stowage_start.py"), *arguments], app_environment())


def test(arguments: list[str]) -> int:
    """All tests: those without the real engine side by side, then those with it that may run beside another one, then
    those with it that measure the machine, one by one, each with all cores.

    With arguments it is one pytest run of what they say.
    """
    _prepare_tests()
    pytest, environment = [str(venv_python()), "-m", "pytest"], _test_environment()
    if arguments:
        return replace_process([*pytest, *arguments], environment)
    ended = [
        subprocess.run([*pytest, *part, *_SLOWEST], cwd=ROOT, env=environment, check=False).returncode
        for part in (
            ["-m", "not engine", *_side_by_side(_MOST_AT_ONCE)],
            ["-m", "engine and patient", *_side_by_side(_engines_at_once())],
            ["-m", "engine and not patient"],
        )
    ]
    return next((code for code in ended if code != 0), 0)


def _side_by_side(most: int) -> list[str]:
    return ["-n", "logical", "--maxprocesses", str(most), "--dist", "loadfile"]


def _engines_at_once() -> int:
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _ENGINES_AT_ONCE if memory_bytes >= _MEMORY_FOR_ENGINES_BYTES else 1


def bench(arguments: list[str]) -> int:
    _prepare_tests()
    command = [str(venv_python()), "-m", "pytest", "-m", "bench", "-o", "python_files=bench_*.py", "-s"]
    return replace_process([*command, *(arguments or ["tests/bench"])], _test_environment())


def lint(_arguments: list[str]) -> int:
    """All checks run even when one fails, two at a time; the exit code is 1 when any did."""
    _prepare_tests()
    python = str(venv_python())
    checks = {
        "pyright": [str(tool("pyright"))],  # takes longer than all the others together
        "ruff check": [str(tool("ruff")), "check", "."],
        "ruff format": [str(tool("ruff")), "format", "--check", "."],
        "import-linter": [str(tool("lint-imports"))],
        "translations": [python, "scripts/translate.py", "--check"],
        "house checks": [python, "-m", "pytest", "-q", "tests/house"],
    }
    with ThreadPoolExecutor(2) as pool:
        clean = dict(zip(checks, pool.map(_check, checks, checks.values())))
    failed = [name for name, passed in clean.items() if not passed]
    say(f"lint: failed: {', '.join(failed)}" if failed else "lint: all clean")
    return 1 if failed else 0


def _check(name: str, command: list[str]) -> bool:
    """Whether it passed. What it says comes in one piece, as another one runs beside it."""
    done = subprocess.run(
        command, cwd=ROOT, env=_test_environment(), check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    say(f"lint: {name}\n{done.stdout.decode(errors='replace').rstrip()}")
    return done.returncode == 0


def lock(arguments: list[str]) -> int:
    """Pins and hashes for every supported Python and system. No index address is written into them."""
    ensure("app")
    environment = installer_environment()
    compile_ = [find_uv(environment), "pip", "compile", "--universal", "--python-version", "3.11", "--generate-hashes"]
    compile_ += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--quiet", *arguments]
    app = str(REQUIREMENTS / "app.lock")
    jobs = (
        ["pyproject.toml", "-o", app],
        ["pyproject.toml", "--group", "dev", "-c", app, "-o", str(REQUIREMENTS / "dev.lock")],
        [str(REQUIREMENTS / "build.in"), "-o", str(REQUIREMENTS / "build.lock")],
    )
    for job in jobs:
        done = subprocess.run([*compile_, *job], cwd=ROOT, env=environment, check=False)
        if done.returncode != 0:
            raise Stop(f"{Path(job[-1]).name} could not be made.", "uv's own words are above.")
    say("locks written; run the tests on every supported Python before keeping them")
    return 0


def _prepare_tests() -> None:
    ensure("dev")
    libraries.provide(libraries.ENGINE + libraries.QT + libraries.XCB + libraries.TESTS)
    os.chdir(ROOT)


def _test_environment() -> dict[str, str]:
    environment = app_environment()
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    # Tools that look for a Python or their own programs find the environment's first.
    environment["PATH"] = os.pathsep.join([str(tool("x").parent), environment.get("PATH", "")])
    return environment
