"""What was pasted: a shell command, a docker line, a bare list of flags, or the YAML of `--config`."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec

from core.engine.arguments import Argument
from core.engine.extra_args import grouped, is_flag
from core.errors import AppError

_KEY: Final = re.compile(r"^[\w.-]+[ \t]*:(?:\s|$)", re.MULTILINE)
_FLAG: Final = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]")
_ASSIGNMENT: Final = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$", re.DOTALL)
_PROMPT: Final = re.compile(r"^\s*[$>]\s+", re.MULTILINE)
_CONTINUED: Final = re.compile(r"[\\^`]\s*\n")
_COMMANDS: Final = ("docker", "podman", "nerdctl")
_ENDS: Final = frozenset(("&&", "||", ";", "|", "&", ">", ">>", "2>&1"))


@dataclass(frozen=True, slots=True)
class Pasted:
    """`model` "" when none is named."""

    model: str = ""
    arguments: tuple[Argument, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])


def read_text(text: str) -> Pasted:
    """Raises: AppError: `option.unreadable_text` when it is neither."""
    plain = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    if _KEY.search(plain) and not _FLAG.search(plain):
        return _of_yaml(plain)
    return _of_words(_words(plain))


def _words(text: str) -> list[str]:
    joined = _CONTINUED.sub(" ", _PROMPT.sub("", text))
    # What word processors make of two hyphens and of quotes.
    joined = re.sub(r"(?<=\s)[–—](?=[a-z])", "--", joined).translate(str.maketrans("“”‘’", "\"\"''"))
    try:
        return shlex.split(joined, comments=True)
    except ValueError as error:
        raise AppError("option.unreadable_text", str(error), reason=str(error)) from error


def _of_words(words: list[str]) -> Pasted:
    env: dict[str, str] = {}
    rest = _after_container(words, env)
    kept: list[str] = []
    for word in rest:
        match = _ASSIGNMENT.match(word)
        if word in _ENDS:
            if any(is_flag(each) for each in kept):
                break
            kept = []
        elif match and not any(is_flag(each) for each in kept):
            env[match[1]] = match[2]
        elif word != "-":
            kept.append(word)
    model, flags = _model(kept)
    arguments = tuple(grouped(flags))
    if not arguments and not env and "serve" not in kept:
        raise AppError("option.unreadable_text", reason="no option in it")
    named = next((a.values[0] for a in arguments if a.flag == "--model" and a.values), "")
    return Pasted(model or named, tuple(a for a in arguments if a.flag != "--model"), env)


def _after_container(words: list[str], env: dict[str, str]) -> list[str]:
    """What follows the image of `docker run`; its `-e NAME=value` are kept."""
    if not words or words[0] not in _COMMANDS:
        return words
    for index, word in enumerate(words):
        match = _ASSIGNMENT.match(word.removeprefix("--env="))
        if match and (words[index - 1] in ("-e", "--env") or word.startswith("--env=")):
            env[match[1]] = match[2]
        if "vllm" in word and not is_flag(word) and not match and (":" in word or "/" in word):
            return words[index + 1 :]
    return words


def _model(words: list[str]) -> tuple[str, list[str]]:
    """The positional model of `vllm serve MODEL`, and the flags. What stands before the first flag and is no command
    (`python -m vllm.entrypoints…`) is the model."""
    if "serve" in words:
        words = words[words.index("serve") + 1 :]
    elif "-m" in words:
        words = words[words.index("-m") + 2 :]
    if words and not is_flag(words[0]):
        return words[0], words[1:] if len(words) == 1 or is_flag(words[1]) else words[_first_flag(words) :]
    return "", words


def _first_flag(words: list[str]) -> int:
    return next((index for index, word in enumerate(words) if is_flag(word)), len(words))


def _of_yaml(text: str) -> Pasted:
    try:
        raw: Any = msgspec.yaml.decode(text)
    except msgspec.DecodeError as error:
        raise AppError("option.unreadable_text", str(error), reason=str(error)) from error
    if not isinstance(raw, dict):
        raise AppError("option.unreadable_text", reason="no names with values")
    model, arguments = "", list[Argument]()
    for key, value in cast("dict[Any, Any]", raw).items():
        name = str(key).replace("_", "-").lstrip("-")
        if name in ("model", "model-tag"):
            model = str(value)
        else:
            arguments.append(_argument(name, value))
    return Pasted(model, tuple(arguments))


def _argument(name: str, value: Any) -> Argument:
    """`false` becomes what the writer meant by it: vLLM itself drops it without a word."""
    if isinstance(value, bool):
        return Argument(f"--{name}" if value else f"--no-{name.removeprefix('no-')}")
    if isinstance(value, list):
        return Argument(f"--{name}", tuple(_word(each) for each in cast("list[Any]", value)))
    return Argument(f"--{name}", () if value is None else (_word(value),))


def _word(value: Any) -> str:
    return json.dumps(value) if isinstance(value, dict) else str(value)
