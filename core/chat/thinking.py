"""Thinking told apart from the answer where a server leaves it in the content. Pure.

It does so in the content of servers without a (fitting) reasoning parser, in three forms: `<think>…</think>` at its
beginning; a `</think>` alone, because the template has already opened it; Harmony's channels (gpt-oss), with their
markers or, where special tokens are left out, as the words `analysis…assistantfinal…`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PAIRS: Final = {"<think>": "</think>", "<thinking>": "</thinking>", "[THINK]": "[/THINK]"}
_FENCE: Final = "```"
_MARK: Final = re.compile(
    r"<\|channel\|>\s*(?P<channel>\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"|<\|start\|>\s*\w*(?=<\|)|<\|(?:end|return|call)\|>"
)
_BROKEN_MARK: Final = re.compile(r"<\|(?:start|channel|constrain|message)\|>\w*")
_BARE: Final = ("analysis", "assistantfinal")
_CLOSER: Final = re.compile(r"^[ \t]*</think(?:ing)?>", re.MULTILINE)
_HELD: Final = ("</think>", "</thinking>", "<|channel|>", "<|start|>")


@dataclass(frozen=True, slots=True)
class Split:
    text: str = ""
    reasoning: str = ""


def split_thinking(content: str, *, final: bool = True) -> Split:
    """Args: `final`: no more comes. While more comes, what may be the beginning of a marker is held back."""
    head = content.lstrip()
    for opener, closer in _PAIRS.items():
        if head.startswith(opener):
            return _paired(head[len(opener) :], closer, final)
    if not final and any(opener.startswith(head) for opener in (*_PAIRS, *_HELD[2:])):
        return Split()
    if "<|channel|>" in content or head.startswith("<|start|>"):
        return _harmony(content, final)
    if head.startswith(_BARE[0]) and _BARE[1] in head:
        before, _, after = head.partition(_BARE[1])
        return Split(after.lstrip(), before.removeprefix(_BARE[0]).strip())
    if match := _closed(content):
        return Split(content[match.end() :].lstrip(), content[: match.start()].strip())
    return Split(content if final else content[: len(content) - _held(content, _HELD)])


def _paired(rest: str, closer: str, final: bool) -> Split:
    before, found, after = rest.partition(closer)
    if found:
        return Split(after.lstrip(), before.strip())
    kept = 0 if final else _held(before, (closer,))
    return Split("", before[: len(before) - kept].strip())


def _harmony(content: str, final: bool) -> Split:
    """Channel "final" is the answer, every other one is thinking; what stands before the first marker is text."""
    parts = {True: list[str](), False: list[str]()}
    answer, at = True, 0
    for mark in _MARK.finditer(content):
        parts[answer].append(content[at : mark.start()])
        if mark["channel"]:
            answer = mark["channel"] == "final"
        at = mark.end()
    rest = content[at:]
    if final:
        rest = _BROKEN_MARK.sub("", rest)
    else:
        cut = rest.find("<|")
        rest = rest[: cut if cut >= 0 else len(rest) - _held(rest, ("<|",))]
    parts[answer].append(rest)
    return Split("".join(parts[True]).strip(), "\n\n".join(part.strip() for part in parts[False] if part.strip()))


def _closed(content: str) -> re.Match[str] | None:
    """A closing tag at the beginning of a line and outside of code closes what the template had opened."""
    for match in _CLOSER.finditer(content) if "</think" in content else ():
        if content.count(_FENCE, 0, match.start()) % 2 == 0:
            return match
    return None


def _held(text: str, markers: tuple[str, ...]) -> int:
    """How many of the last characters may be the beginning of a marker."""
    longest = min(len(text), max(map(len, markers)) - 1)
    for size in range(longest, 0, -1):
        if any(marker.startswith(text[-size:]) for marker in markers):
            return size
    return 0
