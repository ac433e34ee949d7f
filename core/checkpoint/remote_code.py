"""Python files that come with a checkpoint and that loading it would run. Pure.

Source: transformers 5.19 `dynamic_module_utils.py` (`auto_map`, and `--trust-remote-code` of vLLM 0.33 that allows it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

_TOKENIZERS: Final = frozenset(("AutoTokenizer", "AutoProcessor", "AutoImageProcessor"))


def remote_code(
    names: Iterable[str], config: Mapping[str, Any], tokenizer_config: Mapping[str, Any] | None = None, *, known: bool
) -> tuple[str, ...]:
    """What loading would run, () when none is needed: every Python file of the root, for those that are named import
    the others.

    Args:
        names: the files of the repository.
        known: vLLM and transformers have classes of their own for this architecture; then only the tokenizer counts.
    """
    wanted = {file for _, file in _entries(tokenizer_config or {})}
    wanted |= {file for name, file in _entries(config) if not known or name in _TOKENIZERS}
    if not wanted:
        return ()
    beside = {name for name in names if name.endswith(".py") and "/" not in name}
    return tuple(sorted(wanted | beside))


def _entries(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(class that asks, file); an entry may be a list of a slow and a fast tokenizer."""
    auto_map: Any = config.get("auto_map")
    if not isinstance(auto_map, Mapping):
        return []
    found: list[tuple[str, str]] = []
    for name, value in cast("Mapping[str, Any]", auto_map).items():
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        for reference in values:
            if isinstance(reference, str) and "." in reference:
                repo, mark, module = reference.rpartition("--")
                found.append((name, f"{repo}{mark}{module.partition('.')[0]}.py"))
    return found
