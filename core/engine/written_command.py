"""A launch written down for use without Stowage: a shell line, a file for `--config`, a systemd user unit."""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

from core.engine.arguments import Argument
from core.engine.command import HOST, PRIVATE_ENV, program, sheet_of
from core.engine.extra_args import grouped
from core.engine.options import LaunchRequest

DEFAULT_PORT: Final = 8000
# What YAML reads as itself when it stands bare; everything else is quoted.
_PLAIN: Final = re.compile(r"[A-Za-z_/][\w./@-]*\Z")
_YAML_WORDS: Final = frozenset(("true", "false", "yes", "no", "on", "off", "null", "none", "y", "n"))
# Numbers that come back as they were written: YAML makes 83 of a name 0123 and 1.5 of 1.50.
_NUMBER: Final = re.compile(r"(?!-0\Z)-?(0|[1-9]\d*)(\.\d*[1-9])?\Z")


def as_shell(request: LaunchRequest, port: int = DEFAULT_PORT) -> str:
    """One line for a POSIX shell. The key, if one is wanted, goes into `VLLM_API_KEY`."""
    sheet = sheet_of(request)
    env = [f"{name}={shlex.quote(value)}" for name, value in sorted((PRIVATE_ENV | sheet.env).items())]
    words = [*program(request), "--host", HOST, "--port", str(port), *sheet.words, *request.extra_args]
    return " ".join((*env, shlex.join(words)))


def as_yaml(request: LaunchRequest, port: int = DEFAULT_PORT) -> str:
    """A file for `--config FILE.yaml` (two words: `--config=FILE` is silently ignored).

    A switch that is off is written `no-x: true`, since `x: false` is dropped under `vllm serve` (0.32). Objects stay
    JSON text, which every version read takes (0.10.2 knows no nested ones).
    """
    env = sheet_of(request).env
    lines = ["# vllm serve --config FILE.yaml", *(f"# {name}={value}" for name, value in sorted(env.items()))]
    return "\n".join((*lines, *(_yaml_line(each) for each in _arguments(request, port)), ""))


def _arguments(request: LaunchRequest, port: int) -> list[Argument]:
    model = program(request)[-1]
    head = [Argument("--model", (model,)), Argument("--host", (HOST,)), Argument("--port", (str(port),))]
    return [*head, *map(_apart, sheet_of(request).arguments), *grouped(request.extra_args)]


def _apart(argument: Argument) -> Argument:
    """`--x=value` as a name and a value."""
    name, equals, value = argument.flag.partition("=")
    return Argument(name, (value, *argument.values)) if equals else argument


def _yaml_line(argument: Argument) -> str:
    key = argument.flag.lstrip("-")
    if not argument.values:
        return f"{key}: true"
    if len(argument.values) == 1:
        return f"{key}: {_yaml_value(argument.values[0])}"
    return f"{key}: [{', '.join(_yaml_value(value) for value in argument.values)}]"


def _yaml_value(text: str) -> str:
    """JSON strings are YAML too. Numbers stay bare; a word that YAML would take for a truth value is quoted."""
    if _NUMBER.match(text) or (_PLAIN.match(text) and text.lower() not in _YAML_WORDS):
        return text
    return json.dumps(text, ensure_ascii=False)


def as_unit(request: LaunchRequest, port: int = DEFAULT_PORT) -> str:
    """A unit for `~/.config/systemd/user/`. Secrets go into the file that it names, readable by its owner alone."""
    sheet = sheet_of(request)
    words = [*program(request), "--host", HOST, "--port", str(port), *sheet.words, *request.extra_args]
    env = PRIVATE_ENV | {"PYTHONUNBUFFERED": "1"} | sheet.env
    name = request.options.served_name or request.model_id
    return "\n".join(
        (
            "[Unit]",
            f"Description=vLLM serving {_escaped(name)}",
            "After=network.target",
            "",
            "[Service]",
            "Type=exec",
            *(f"Environment={_quoted(f'{key}={value}')}" for key, value in sorted(env.items())),
            "# VLLM_API_KEY=... in this file (chmod 600)",
            "EnvironmentFile=-%h/.config/stowage/vllm.env",
            f"ExecStart={' '.join(_quoted(word, command=True) for word in words)}",
            # All processes of the server get the signal, and nothing of them stays.
            "KillMode=control-group",
            "TimeoutStopSec=30",
            "Restart=on-failure",
            "RestartSec=10",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        )
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%%").replace("\n", " ")


def _quoted(text: str, *, command: bool = False) -> str:
    """As systemd reads it: `%` is a specifier everywhere, `$` a variable in a command (systemd.service(5))."""
    escaped = _escaped(text).replace("\\", "\\\\").replace('"', '\\"')
    if command:
        escaped = escaped.replace("$", "$$")
    return escaped if re.fullmatch(r"[\w./:=,@%+-]+", escaped) else f'"{escaped}"'
