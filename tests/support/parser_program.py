"""Run by an engine's own Python: its real command-line parser, asked without starting a server.

Reads one JSON object from stdin, `{"lines": [[words], …]}`; prints one line, STOWAGE and JSON: `options` (every
spelling that the parser has, with its default, choices, kind, and which of `PROBES` it takes as a value) and `parsed`,
for each line either the values that are not defaults, or the parser's complaint.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
from typing import Any

PROBES = ("5", "2.5", "5k", "auto", "x", '{"a": 1}')
PLACES = ("vllm.entrypoints.common.cli_args", "vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")


def make_parser() -> Any:
    flexible: Any = importlib.import_module("vllm.utils.argparse_utils")
    for place in PLACES:
        try:
            module: Any = importlib.import_module(place)
        except ModuleNotFoundError:
            continue
        return module.make_arg_parser(flexible.FlexibleArgumentParser(prog="vllm"))
    raise SystemExit("no parser in this vLLM")


def described(action: Any) -> dict[str, Any]:
    return {
        "spellings": list(action.option_strings),
        "default": str(action.default),
        "choices": [str(choice) for choice in action.choices or () if choice is not None],
        "switch": type(action).__name__ == "BooleanOptionalAction",
        "takes": [text for text in PROBES if takes(action, text)],
    }


def takes(action: Any, text: str) -> bool:
    try:
        (action.type or str)(text)
    except Exception:
        return False
    return True


def parse(parser: Any, words: list[str], defaults: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            values = parser.parse_args(words).__dict__
    except SystemExit:
        return {"error": complaint.getvalue().strip().splitlines()[-1]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"values": {name: repr(value) for name, value in values.items() if repr(value) != repr(defaults.get(name))}}


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    sys.argv = ["vllm"]
    parser = make_parser()
    defaults: dict[str, Any] = parser.parse_args([]).__dict__
    told = {
        "options": [described(action) for action in parser._actions],
        "parsed": [parse(parser, words, defaults) for words in asked["lines"]],
    }
    os.write(answer, b"\nSTOWAGE " + json.dumps(told).encode() + b"\n")
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
