"""Turning the last words of pip and uv into one sentence and a next step."""

from __future__ import annotations

import re

from devtools.places import LOG
from devtools.speech import Stop

_DETAILS = f"What the installer said is in {LOG}."

# The first pattern found decides; causes stand before their consequences.
_CAUSES: tuple[tuple[str, str, str], ...] = (
    (
        r"No space left on device|os error 28|Errno 28|disk quota|Errno 122|os error 122",
        "The disk is full, so the set-up could not be finished.",
        "Free about 1 GB and run the same command again; it starts the set-up afresh.",
    ),
    (
        r"Read-only file system|Errno 30|os error 30|Permission denied|Errno 13|os error 13",
        "The set-up may not write where it has to.",
        "Copy Stowage into a folder that you may write to and run it there.",
    ),
    (
        r"(?i)hash(es)? mismatch|do not match the hashes|HASHES",
        "A downloaded package is not the one that Stowage was tested with (its hash differs), so it was not installed.",
        "Try again on another network; if it stays so, the package index in use serves altered files.",
    ),
    (
        r"(?i)certificate|CERTIFICATE_VERIFY_FAILED|UnknownIssuer",
        "The package index could not be trusted: its certificate was not accepted.",
        "Behind a company proxy, point SSL_CERT_FILE at the company's certificate file and run the same command again.",
    ),
    (
        r"(?i)timed? ?out|timeout",
        "The package index did not answer in time.",
        "Check the network and run the same command again; what was downloaded is kept.",
    ),
    (
        r"(?i)connection refused|connection reset|connect error|error sending request|dns error|failed to lookup|"
        r"name resolution|network is unreachable|no route to host|proxy|NewConnectionError|Could not connect|"
        r"Failed to fetch|Request failed|tcp connect",
        "The package index cannot be reached.",
        "Check the network (and any proxy or index setting of pip and uv) and run the same command again.",
    ),
    (
        r"(?i)no matching distribution|no solution found|not found in the package registry|has no wheels|"
        r"doesn't have a (source distribution|wheel)|No version of",
        "The package index in use lacks a package that Stowage needs for this system and Python.",
        "Use the public Python package index, or another Python (3.11 to 3.13 are tested).",
    ),
)


def explain(step: str, output: str) -> Stop:
    """The failure of `step`, from what the tool printed (stdout and stderr together)."""
    for pattern, sentence, next_step in _CAUSES:
        if re.search(pattern, output):
            return Stop(sentence, f"{next_step} {_DETAILS}")
    return Stop(f"The set-up failed while {step}.", f"{_DETAILS} Run the same command again once that is mended.")
