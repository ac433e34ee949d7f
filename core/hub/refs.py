"""A model named in any spelling that people paste: an id, an address, a command, a line of Python. Pure."""

from __future__ import annotations

import re
import shlex
from typing import Final
from urllib.parse import unquote, urlsplit

from core.hub.model import RepoRef

# huggingface_hub 2.4, utils/_validators.py: letters, digits, "-", "_", "."; no "--", no ".." inside; at most 96.
_PART: Final = r"[A-Za-z0-9](?:[\w.-]*[\w])?"
_ID: Final = re.compile(rf"({_PART}/{_PART})(?:[@:]([\w./-]+))?", re.ASCII)
_ONE: Final = re.compile(_PART, re.ASCII)
_LONGEST: Final = 96
_HOSTS: Final = frozenset(("huggingface.co", "www.huggingface.co", "hf.co", "hf-mirror.com", "hf-mirror.co"))
_HOST_FIRST: Final = re.compile(
    r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?/|localhost(?::\d+)?/|\d+(?:\.\d+){3}(?::\d+)?/", re.ASCII
)
# What follows an id in an address and is followed by a revision.
_BEFORE_REVISION: Final = frozenset(
    ("tree", "blob", "resolve", "raw", "commit", "commits", "blame", "edit", "revision")
)
# First parts of addresses that are no models.
_ELSEWHERE: Final = frozenset(
    "datasets spaces docs blog collections papers tasks join login settings organizations learn pricing models".split()  # noqa: SIM905
)
_IN_PYTHON: Final = (
    re.compile(r"(?:from_pretrained|snapshot_download|LLM|SentenceTransformer)\(\s*(?:\w+\s*=\s*)?[\"']([^\"']+)[\"']"),
    re.compile(r"\b(?:model|model_id|model_name|repo_id|pretrained_model_name_or_path)\s*=\s*[\"']([^\"']+)[\"']"),
)
_REVISION_IN_PYTHON: Final = re.compile(r"\brevision\s*=\s*[\"']([^\"']+)[\"']")
_MARKDOWN: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_CACHE_NAME: Final = re.compile(
    r"(?:.*/)?models--([\w.-]+?)--([\w.-]+)(?:/snapshots/([0-9a-f]{40}))?(?:/.*)?", re.ASCII
)
_PROGRAMS: Final = frozenset("hf huggingface-cli vllm git python python3 ollama docker sudo uvx uv stowage".split())  # noqa: SIM905
_NOISE: Final = "\ufeff\u200b\u200c\u200d\u2060"
_AROUND: Final = " \t\r\n\"'`<>«»“”‘’,;"


def parse_reference(text: str, endpoint: str = "") -> RepoRef | None:
    """The model that `text` names; None when it names none, so that it is something to search for.

    Args:
        endpoint: addresses below it count too, whatever its host.
    """
    text = _cleaned(text)
    if not text:
        return None
    for spelling in (_markdown, _python, _cached):
        if (found := spelling(text, endpoint)) is not None:
            return found
    if any(character.isspace() for character in text):
        return _command(text, endpoint)
    return _word(text, endpoint)


def is_address(text: str) -> bool:
    """Whether a person surely means one thing by it: an address, not words that might be an id."""
    text = _cleaned(text)
    return "://" in text or bool(_HOST_FIRST.match(text.lower()))


def is_elsewhere(text: str, endpoint: str = "") -> bool:
    """Whether it is an address of a site that is not known to be a Hub. It may be a mirror, and may be anything."""
    text = _cleaned(text)
    if not is_address(text) or text.lower().startswith("hf://"):
        return False
    host = _host(text if "://" in text else f"https://{text}")
    return host not in _HOSTS and host != _host(endpoint)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _cleaned(text: str) -> str:
    text = text.translate({ord(character): None for character in _NOISE}).replace("\u00a0", " ")
    text = re.sub(r"[\u2010-\u2012\u2212]", "-", text)
    text = re.sub(r"(?<=[\w.-])\s+/\s+(?=\w)", "/", text.strip(_AROUND))
    return text.removeprefix("$ ").removeprefix("! ").strip(_AROUND)


def _markdown(text: str, endpoint: str) -> RepoRef | None:
    found = _MARKDOWN.fullmatch(text)
    return _word(found[1], endpoint) if found else None


def _python(text: str, endpoint: str) -> RepoRef | None:
    for pattern in _IN_PYTHON:
        if found := pattern.search(text):
            named, revision = _word(found[1], endpoint), _REVISION_IN_PYTHON.search(text)
            return RepoRef(named.repo_id, revision[1]) if named and revision else named
    return None


def _cached(text: str, _endpoint: str) -> RepoRef | None:
    """The folder of a model in the shared cache."""
    found = _CACHE_NAME.fullmatch(text)
    return RepoRef(f"{found[1]}/{found[2]}", found[3] or "") if found else None


def _command(text: str, endpoint: str) -> RepoRef | None:
    """`vllm serve`, `hf download`, `git clone` and what else has options: the first word that names a model."""
    words = _split(text)
    if len(words) < 2 or not _is_command(words):
        return None
    revision = _option(words, "--revision")
    model = _option(words, "--model") or _option(words, "--model-path")
    after = next((index + 1 for index, word in enumerate(words) if word in ("serve", "download", "clone", "run")), 1)
    for word in (*((model,) if model else ()), *words[after:], *words[1:after]):
        if not word.startswith("-") and word != revision and (found := _word(word, endpoint)) is not None:
            return RepoRef(found.repo_id, revision or found.revision)
    return None


def _is_command(words: list[str]) -> bool:
    known = (
        "hf",
        "huggingface-cli",
        "vllm",
        "git",
        "python",
        "python3",
        "ollama",
        "docker",
        "sudo",
        "uvx",
        "uv",
        "stowage",
    )
    return words[0].rpartition("/")[2] in known or "=" in words[0] or any(word.startswith("--") for word in words)


def _split(text: str) -> list[str]:
    text = text.replace("\\\n", " ")
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _option(words: list[str], name: str) -> str:
    for index, word in enumerate(words):
        if word == name:
            return words[index + 1] if index + 1 < len(words) else ""
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


def _word(text: str, endpoint: str) -> RepoRef | None:
    text = text.strip(f"{_AROUND}().")
    if text.lower().startswith("hf://"):
        return _path(text[5:].removeprefix("models/"))
    if "://" in text:
        return _address(text, endpoint)
    if _HOST_FIRST.match(text.lower()) and (text.partition("/")[0].lower() in _HOSTS or text.count("/") >= 2):
        return _address(f"https://{text}", endpoint)
    return _named(text.strip("/"))


def _address(url: str, endpoint: str) -> RepoRef | None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https"):
        return None
    path = parts.path
    below = urlsplit(endpoint).path.rstrip("/") if endpoint else ""
    if below and url.lower().startswith(endpoint.lower()):
        path = path.removeprefix(below)
    return _path(path)


def _path(path: str) -> RepoRef | None:
    """`org/name`, `org/name/tree/revision/file`, `api/models/org/name/...`, or the old `name` alone."""
    parts = [unquote(part) for part in path.split("/") if part]
    if parts[:2] == ["api", "models"]:
        parts = parts[2:]
    if not parts or parts[0].lower() in _ELSEWHERE:
        return None
    if len(parts) == 1 or parts[1] in _BEFORE_REVISION:
        name, rest = parts[0].removesuffix(".git"), parts[1:]
        return RepoRef(name, _revision(rest)) if _ONE.fullmatch(name) and "--" not in name else None
    found = _named(f"{parts[0]}/{parts[1].removesuffix('.git')}")
    return RepoRef(found.repo_id, _revision(parts[2:]) or found.revision) if found else None


def _revision(rest: list[str]) -> str:
    if len(rest) < 2 or rest[0] not in _BEFORE_REVISION:
        return ""
    # A pull request's or a conversion's branch has slashes of its own.
    if rest[1] == "refs" and len(rest) >= 4:
        return "/".join(rest[1:4])
    return "" if rest[1] == "main" else rest[1]


def _named(text: str) -> RepoRef | None:
    """An id with or without a revision. What stands after ":" is a file's variant (ollama) and no revision."""
    found = _ID.fullmatch(text)
    if found is None or len(found[1]) > _LONGEST or "--" in found[1] or ".." in found[1]:
        return None
    return RepoRef(found[1], found[2] or "" if text[len(found[1]) : len(found[1]) + 1] == "@" else "")
