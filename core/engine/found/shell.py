"""What a shell makes of a pasted script: prompts, continued lines, arrays and variables. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Final

from core.errors import AppError

ASSIGNMENT: Final = re.compile(r"^([A-Za-z_]\w*)=(.*)$", re.DOTALL)
ENDS: Final = frozenset(("&&", "||", ";", "|", "&", ">", ">>", "2>&1"))
_FENCE: Final = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
# "$ ", "> ", "(venv) name@host:~/models$ ", "root@box:/# "
_PROMPT: Final = re.compile(r"^\s*(?:\([\w.-]+\)\s*)?(?:[\w.-]+@[\w.-]+:\S*[$#]|[$>])\s+", re.MULTILINE)
_CONTINUED: Final = re.compile(r"[\\^`]\s*\n")
_DASHES: Final = re.compile(r"(?<=\s)[–—](?=[a-z])")
_BLANKS: Final = str.maketrans({"\u00a0": " ", "\u200b": None, "\ufeff": None, "“": '"', "”": '"', "‘": "'", "’": "'"})
_ARRAY: Final = re.compile(r"^\s*(\w+)=\(([^()\n]*\)|.*?^\s*\))", re.MULTILINE | re.DOTALL)
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)(?::?[-=]([^}]*))?\}|(\w+))")
# A line of a script that cannot go on with what stands before it.
_OTHER_COMMAND: Final = re.compile(
    r"^\s*(?:[A-Za-z_]\w*=|(?:echo|curl|sleep|exit|wait|done|fi|if|for|while|until|kill|pkill|cd|export|pip|uv|python3?)\b)"
)
_SERVER: Final = re.compile(r"\bvllm\s+serve\b|\bvllm\.entrypoints\.")
_FLAG: Final = re.compile(r"(?:^|\s)--?[A-Za-z]")


def words_of(text: str) -> list[str]:
    """The words of a script up to what follows the server's command. A command in quotes (`bash -c "vllm serve …"`) is
    taken apart.

    Raises:
        AppError: `option.unreadable_text` where a quote is not closed.
    """
    plain = _in_one_command(_with_arrays(_CONTINUED.sub(" ", _PROMPT.sub("", unmarked(text)))))
    return [part for word in _split(plain) for part in (_split(word) if _is_script(word) else [word])]


def unmarked(text: str) -> str:
    """Without the marks of Markdown and what word processors make of hyphens, quotes and blanks."""
    plain = _FENCE.sub("", text.translate(_BLANKS))
    if plain.count("`") == 2 and _SERVER.search(plain.split("`")[1]):
        plain = plain.split("`")[1]
    return _DASHES.sub("--", plain)


def filled(words: list[str], known: Mapping[str, str]) -> tuple[list[str], frozenset[str]]:
    """Variables replaced by what the script itself says of them, or by their own default (`${N:-8}`), and the names
    that were used so. What is not known stays."""
    used: set[str] = set()

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        if name in known:
            used.add(name)
            return known[name]
        return match[2] if match[2] is not None else match[0]

    return [_VARIABLE.sub(value, word) for word in words], frozenset(used)


def is_open(word: str) -> bool:
    """A place that the writer left for something else: `$MODEL`, `<your model>`, `{{ value }}`."""
    return bool(_VARIABLE.search(word) or re.fullmatch(r"<[^<>]+>", word) or "{{" in word)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError as error:
        raise AppError("option.unreadable_text", str(error), reason=str(error)) from error


def _is_script(word: str) -> bool:
    return bool(re.search(r"\s", word) and _SERVER.search(word))


def _with_arrays(text: str) -> str:
    """`ARGS=(--a 1 --b)` put where `"${ARGS[@]}"` stands, else at the end."""
    for name, body in _ARRAY.findall(text):
        inner = body.rstrip()[:-1]
        use = re.compile(rf'"?\$\{{{name}\[@\]\}}"?')
        text = text.replace(f"{name}=({body}", "", 1)
        text = use.sub(lambda _match, inner=inner: inner, text) if use.search(text) else f"{text}\n{inner}"
    return text


def _in_one_command(text: str) -> str:
    """Up to the line after the options at which something else begins."""
    lines = text.splitlines()
    begun = next((n for n, line in enumerate(lines) if _SERVER.search(line)), None)
    if begun is None:
        return text
    for number in range(begun + 1, len(lines)):
        seen = any(_FLAG.search(line) for line in lines[begun:number])
        if seen and _OTHER_COMMAND.match(lines[number]):
            return "\n".join(lines[:number])
    return text
