"""Commands inside other files: services of Docker Compose and Kubernetes, lists and calls in Python. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import msgspec

from core.engine.arguments import Argument
from core.engine.found.shell import words_of

_COMMANDS: Final = ("entrypoint", "command", "args")
_LIST: Final = re.compile(r"""["']--[\w-]+(?:=[^"']*)?["']\s*[,\]]|["']vllm["']\s*,\s*["']serve["']""")
_ITEM: Final = re.compile(r"""f?"((?:\\.|[^"\\])*)"|f?'((?:\\.|[^'\\])*)'|([^\s,\[\]()'"=]+(?:\([^()]*\))?)""")
_CALL: Final = re.compile(r"\b(?:LLM|AsyncEngineArgs|EngineArgs)\s*\(")
_GIVEN: Final = re.compile(r"""(\w+)\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*\}|[\w.+-]+)""")


@dataclass(frozen=True, slots=True)
class Service:
    """What a container is started with. `words` after its image, `env` its variables."""

    words: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict[str, str])


def service_in(text: str) -> Service | None:
    """The first service of a Compose file or a Kubernetes manifest that is given options; None for anything else."""
    try:
        raw: Any = msgspec.yaml.decode(text)
    except msgspec.DecodeError:
        return None
    services = [service for each in _mappings(raw) if (service := _service(each))]
    return next(iter(sorted(services, key=lambda found: not _names_vllm(found))), None)


def _mappings(raw: Any) -> Iterator[dict[str, Any]]:
    if isinstance(raw, dict):
        found = cast("dict[str, Any]", raw)
        yield found
        for value in found.values():
            yield from _mappings(value)
    elif isinstance(raw, list):
        for value in cast("list[Any]", raw):
            yield from _mappings(value)


def _service(raw: Mapping[str, Any]) -> Service | None:
    parts = [raw[name] for name in _COMMANDS if isinstance(raw.get(name), str | list)]
    words = [word for part in parts for word in _words(part)]
    if not any(word.startswith("--") for word in words) and "serve" not in words:
        return None
    env = _variables(raw.get("environment")) | _variables(raw.get("env"))
    return Service(tuple(words), env)


def _names_vllm(service: Service) -> bool:
    return any("vllm" in word for word in service.words) or "--model" in service.words


def _words(part: Any) -> list[str]:
    """Compose splits a text as a shell does; items of a list are words as they are, or scripts."""
    if isinstance(part, str):
        return words_of(part)
    items = [str(item) for item in cast("list[Any]", part)]
    return [word for item in items for word in (words_of(item) if "\n" in item or "vllm serve" in item else [item])]


def _variables(raw: Any) -> dict[str, str]:
    """`{NAME: value}`, `[NAME=value]`, or `[{name: …, value: …}]`."""
    if isinstance(raw, dict):
        return {str(name): str(value) for name, value in cast("dict[Any, Any]", raw).items() if value is not None}
    found: dict[str, str] = {}
    for each in cast("list[Any]", raw) if isinstance(raw, list) else ():
        if isinstance(each, dict) and "value" in each:
            named = cast("dict[str, Any]", each)
            found[str(named.get("name", ""))] = str(named["value"])
        elif isinstance(each, str) and "=" in each:
            name, _, found_value = each.partition("=")
            found[name] = found_value
    found.pop("", None)
    return found


def listed_words(text: str) -> list[str] | None:
    """The words of a list in Python or JSON (`["vllm", "serve", MODEL, "--port", str(PORT)]`); what is not a text there
    becomes a variable that nobody knows. None when there is no such list."""
    if not _LIST.search(text):
        return None
    words: list[str] = []
    for double, single, bare in _ITEM.findall(text):
        if not bare:
            words.append(double.replace('\\"', '"') if double else single)
        elif re.fullmatch(r"-?[\d.]+", bare):
            words.append(bare)
        else:
            words.append("$" + re.sub(r"\W+", "_", bare).strip("_"))
    start = words.index("vllm") if "vllm" in words else next(n for n, word in enumerate(words) if word[:2] == "--")
    return words[start:]


def call_arguments(text: str) -> tuple[Argument, ...] | None:
    """Of `LLM(model="…", max_model_len=8192)`, as options; None when there is no such call."""
    found = _CALL.search(text)
    if found is None:
        return None
    return tuple(_of_keyword(name, value) for name, value in _GIVEN.findall(text[found.end() :]))


def _of_keyword(name: str, value: str) -> Argument:
    flag = name.replace("_", "-")
    if value in ("True", "False"):
        return Argument(f"--{flag}" if value == "True" else f"--no-{flag}")
    if value.startswith("{"):
        return Argument(f"--{flag}", (_as_json(value),))
    return Argument(f"--{flag}", (value.strip("\"'"),))


def _as_json(value: str) -> str:
    text = value.replace("'", '"').replace("True", "true").replace("False", "false")
    try:
        return json.dumps(json.loads(text))
    except ValueError:
        return value
