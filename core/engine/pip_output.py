"""Reads what pip and uv print: bytes so far, and which failure it was. Pure. Wordings: pip 23.2-26.3, uv 0.9."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from core.errors import AppError

_PROGRESS = re.compile(r"^Progress (\d+) of (\d+)$")
_NOTE = re.compile(
    r"^(?:Collecting|Downloading|Using cached|Installing collected packages|Prepared|Installed|Resolved)\b.*"
)
_MISSING = re.compile(r"No matching distribution found for (?P<pip>[^\s(]+)|Because (?P<uv>\S+) was not found in the")
_OFFERED = re.compile(r"from versions: (?P<versions>[^)]*)\)")
_HOST = re.compile(r"host='(?P<host>[^']+)', port=(?P<port>\d+)")
_URL = re.compile(r"https?://[^\s'\"`)>,]+")
_CAUSES: Final = (
    re.compile(r"\[Errno -?\d+\] (?P<cause>[^'\")]+)"),
    re.compile(r"(?P<cause>too many \d+ error responses|\d{3} Server Error: [^:]+)"),
    re.compile(r"(?P<cause>server error \([^)]*\)+)"),
    re.compile(r"Caused by: (?P<cause>.+)$"),
)
_AVAILABLE = re.compile(r"^\s*Available versions: (?P<versions>.+)$")

_DISK: Final = ("No space left on device", "Disk quota exceeded", "os error 28")
_TIMEOUT: Final = ("timed out", "ReadTimeout", "ConnectTimeout", "didn't respond within")
_SERVER: Final = (
    "too many 500 error",
    "too many 502 error",
    "too many 503 error",
    "Server Error for url",
    "(5xx)",
    "status server error",
)
_NETWORK: Final = (
    "NewConnectionError", "NameResolutionError", "Connection refused", "ConnectionResetError", "Connection aborted",
    "ProxyError", "SSLError", "Network is unreachable", "Temporary failure in name resolution", "dns error",
    "error sending request", "client error (Connect)", "Failed to establish a new connection", "connection error: ",
)  # fmt: skip
_CONFLICT: Final = ("ResolutionImpossible", "conflicting dependencies", "No solution found when resolving")


@dataclass(slots=True)
class ByteCounter:
    """Adds up pip's raw progress over many files. A smaller or other total means that a new file began."""

    done_bytes: int = 0
    _file: tuple[int, int] = field(default=(0, 0))

    def feed(self, line: str) -> bool:
        """True when the line was a progress line."""
        match = _PROGRESS.match(line)
        if match is None:
            return False
        current, total = int(match[1]), int(match[2])
        same_file = total == self._file[1] and current >= self._file[0]
        self.done_bytes += current - self._file[0] if same_file else current
        self._file = (current, total)
        return True


def available_versions(lines: Sequence[str]) -> frozenset[str]:
    """What `pip index versions` found."""
    found = next((match["versions"] for line in lines if (match := _AVAILABLE.match(line))), "")
    return frozenset(version.strip() for version in found.split(",") if version.strip())


def note_of(line: str) -> str:
    """What the line says about the work for a person: at most 80 characters, "" for lines that say nothing."""
    return line.strip()[:80] if _NOTE.match(line.strip()) else ""


def is_conflict(lines: Sequence[str]) -> bool:
    """The versions asked for do not fit together (for us: with the known-good list)."""
    return any(word in line for line in lines for word in _CONFLICT)


def failure(
    lines: Sequence[str], step: str, *, path: str, needed_bytes: int, free_bytes: int, timeout_s: float
) -> AppError:
    """The `install.*` error behind a failed run of pip or uv. The keyword arguments fill its facts.

    A package counts as not found only when an index answered: pip says the same of a dead network.
    """
    detail = f"step {step}\n" + "\n".join(lines[-30:])
    text = "\n".join(lines)
    if any(word in text for word in _DISK):
        return AppError("install.disk_full", detail, path=path, needed_bytes=needed_bytes, free_bytes=free_bytes)
    missing = _MISSING.search(text)
    offered = _OFFERED.search(text)
    if missing and offered and offered["versions"] != "none":
        return _not_found(missing, offered, detail)
    trouble = connection_trouble(lines, detail, timeout_s)
    if trouble is not None:
        return trouble
    if missing:
        return _not_found(missing, offered, detail)
    return AppError("install.failed", detail, step=step, reason=_last_error(lines))


def _not_found(missing: re.Match[str], offered: re.Match[str] | None, detail: str) -> AppError:
    versions = offered["versions"] if offered else "none"
    known = "no version is known" if versions == "none" else f"known versions: {', '.join(versions.split(', ')[-5:])}"
    return AppError("install.not_found", detail, package=missing["pip"] or missing["uv"], reason=known)


def connection_trouble(lines: Sequence[str], detail: str, timeout_s: float) -> AppError | None:
    """The last connection trouble in the output, if any: earlier ones may have been retried with success."""
    for line in reversed(lines):
        if any(word in line for word in _TIMEOUT):
            host = _host(lines, line)
            return AppError("install.registry_timeout", detail, host=host, seconds=round(timeout_s))
        if any(word in line for word in _SERVER):
            return AppError("install.registry_error", detail, host=_host(lines, line), reason=_cause(lines, line))
        if any(word in line for word in _NETWORK):
            return AppError("install.no_network", detail, host=_host(lines, line), reason=_cause(lines, line))
    return None


def _host(lines: Sequence[str], line: str) -> str | None:
    for text in (line, *reversed(lines)):
        if match := _HOST.search(text):
            return match["host"] if match["port"] in ("80", "443") else f"{match['host']}:{match['port']}"
        if match := _URL.search(text):
            return urlsplit(match[0]).netloc.rpartition("@")[2]
    return None


def _cause(lines: Sequence[str], line: str) -> str:
    """The innermost cause of a nested message; uv prints it last."""
    for text in reversed(lines):
        for pattern in _CAUSES:
            if match := pattern.search(text):
                return match["cause"].removesuffix(" - skipping").strip()
    return line.strip()[-200:]


def _last_error(lines: Sequence[str]) -> str:
    for line in reversed(lines):
        if line.lower().startswith(("error", "  × ", "× ")):
            return line.strip()[:300]
    return lines[-1].strip()[:300] if lines else "no output"
