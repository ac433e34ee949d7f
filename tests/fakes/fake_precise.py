"""Stands in for an engine's Python: runs the launcher that ties children as Python would, and in place of the precise
mode's program does what its switches say. Each start of the program is a line of JSON in `--log`.

    fake_precise.py --log FILE [--die CODE | --hang | --say LINE] -- ARGUMENTS OF PYTHON
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import threading
from pathlib import Path


def main() -> None:
    ours, theirs = sys.argv[1 : sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1 :]
    script = next(argument for argument in theirs if not argument.startswith("-"))
    rest = theirs[theirs.index(script) + 1 :]
    if Path(script).name != "precise_plan.py":
        sys.argv = [script, *rest]
        runpy.run_path(script, run_name="__main__")
        return
    _program(ours, json.loads(Path(rest[0]).read_text("utf-8")))


def _program(switches: list[str], task: dict[str, object]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--die", type=int)
    parser.add_argument("--hang", action="store_true")
    parser.add_argument("--say", default="")
    wanted = parser.parse_args(switches)
    files = sorted(file.name for file in Path(str(task["model"])).iterdir())
    with wanted.log.open("a", encoding="utf-8") as log:
        log.write(json.dumps({"task": task, "files": files, "env": dict(os.environ), "pid": os.getpid()}) + "\n")
    if wanted.hang:
        threading.Event().wait()
    if wanted.die is not None:
        print("ImportError: libsomething.so.1: cannot open", file=sys.stderr, flush=True)
        os._exit(wanted.die)
    print("some library greets", flush=True)
    print(wanted.say, flush=True)


if __name__ == "__main__":
    main()
