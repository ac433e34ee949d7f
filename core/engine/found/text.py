"""What was pasted: a shell command, a docker line, a bare list of flags, the YAML of `--config`, or a command inside a
Compose file, a Kubernetes manifest or a Python program."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec

from core.engine.arguments import Argument
from core.engine.extra_args import grouped, is_flag
from core.engine.found.documents import call_arguments, listed_words, service_in
from core.engine.found.shell import ASSIGNMENT, ENDS, filled, is_open, unmarked, words_of
from core.errors import AppError

_KEY: Final = re.compile(r"^[ \t-]*[\w.-]+[ \t]*:(?:\s|$)", re.MULTILINE)
_FLAG: Final = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]")
_CONTAINERS: Final = ("docker", "podman", "nerdctl")
# Options of `docker run` whose value may look like an image.
_TAKE_A_VALUE: Final = frozenset(
    ("-v", "--volume", "--mount", "--name", "-p", "--publish", "-e", "--env", "--env-file", "--network", "--hostname",
     "-h", "-w", "--workdir", "--label", "-l", "--entrypoint", "--user", "-u")
)  # fmt: skip
# The model, by the names that servers give it.
_MODEL_FLAGS: Final = ("--model", "--model-path")


@dataclass(frozen=True, slots=True)
class Pasted:
    """`model` "" when none is named."""

    model: str = ""
    arguments: tuple[Argument, ...] = ()
    env: dict[str, str] = field(default_factory=dict[str, str])


def read_text(text: str) -> Pasted:
    """Raises: AppError: `option.unreadable_text` when it is none of these."""
    plain = unmarked("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")))
    if _KEY.search(plain) and (service := service_in(plain)):
        return _of_words(list(service.words), service.env)
    if _KEY.search(plain) and not _FLAG.search(plain):
        return _of_yaml(plain)
    arguments = call_arguments(plain)
    if arguments is not None:
        return _pasted("", arguments, {})
    return _of_words(listed_words(plain) or words_of(plain), {})


def _of_words(words: list[str], given: Mapping[str, str]) -> Pasted:
    env = dict(given)
    head, rest = _cut(_after_container(words, env))
    script = {match[1]: match[2] for word in head if (match := ASSIGNMENT.match(word.removeprefix("Environment=")))}
    kept: list[str] = []
    for word in rest:
        match = ASSIGNMENT.match(word)
        if word in ENDS:
            if any(is_flag(each) for each in kept):
                break
            kept = []
        elif match and not kept:
            script[match[1]] = match[2]
        elif word not in ("-", "export"):
            kept.append(word)
    kept, used = filled(kept, env | script)
    # Variables of the environment are written in capitals; others are the script's, or keys of a systemd unit.
    env |= {name: value for name, value in script.items() if name not in used and name.isupper()}
    model, flags = _model(kept, positional=bool(head))
    arguments = tuple(grouped(flags))
    if not arguments and not env and not model:
        raise AppError("option.unreadable_text", reason="no option in it")
    return _pasted(model, arguments, env)


def _pasted(model: str, arguments: tuple[Argument, ...], env: dict[str, str]) -> Pasted:
    named = next((a.values[0] for a in arguments if a.flag in _MODEL_FLAGS and a.values), "")
    name = model or named
    rest = tuple(a for a in arguments if a.flag not in _MODEL_FLAGS)
    return Pasted("" if is_open(name) else name, rest, env)


def _cut(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before the server's own arguments, and these: after `vllm serve`, or `python -m vllm.…`."""
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if word == "serve" and "vllm" in before:
            return words[: index + 1], words[index + 1 :]
        if before == "-m" and re.fullmatch(r"[a-z_]\w*(?:\.\w+)+", word):
            return words[: index + 1], words[index + 1 :]
    if words[:1] == ["serve"]:
        return words[:1], words[1:]
    return [], words


def _after_container(words: list[str], env: dict[str, str]) -> list[str]:
    """What follows the image of `docker run`; its `-e NAME=value` are kept."""
    first_flag = next((index for index, word in enumerate(words) if is_flag(word)), len(words))
    if not any(word in _CONTAINERS for word in words[:first_flag]):
        return words
    for index, word in enumerate(words):
        match = ASSIGNMENT.match(word.removeprefix("--env="))
        before = words[index - 1] if index else ""
        if match and (before in ("-e", "--env") or word.startswith("--env=")):
            env[match[1]] = match[2]
        elif "vllm" in word and not is_flag(word) and before not in _TAKE_A_VALUE and (":" in word or "/" in word):
            # As after `vllm serve`: a model may stand first.
            return ["vllm", "serve", *words[index + 1 :]]
    return words


def _model(words: list[str], *, positional: bool) -> tuple[str, list[str]]:
    """The model that stands first, and the flags. Without a server's command before them only what looks like a path or
    a repository is a model."""
    first = next((index for index, word in enumerate(words) if is_flag(word)), len(words))
    names = words[:first] if positional else [word for word in words[:first] if "/" in word or first == len(words) == 1]
    return (names[0] if names else ""), words[first:]


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
