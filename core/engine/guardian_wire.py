"""What the guardian and its owner say to each other: one JSON object per line. Standard library only.

Owner to guardian: the first line is a `Spec` (over the pair they were born with) or `{"do": "attach", "launch": id}`
(over the Unix socket), then
    {"do": "stop", "grace_s": s}   end the tree, then leave
    {"do": "keep"}                 outlive the owner
    {"do": "sync"}                 hand over now what the server has written so far, then say "synced"
    {"do": "card", "card": {...}}  what the next owner needs to know (holds the API key: memory only)
Guardian to owner:
    {"event": "spawned", "pid": n, "guardian": n}
    {"event": "spawn_failed", "reason": text}
    {"event": "hello", "pid": n, "guardian": n, "card": {...}, "tail": [line]}      answer to attach
    {"event": "refused", "reason": "owned" | "ending", "owner": pid | null}         answer to attach
    {"event": "kept"}
    {"event": "synced"}
    {"event": "lines", "lines": [line], "dropped": n}    `dropped` lines were left out before these
    {"event": "exited", "code": n | null, "signal": n | null}     the server itself; its tree is being ended
    {"event": "gone", "code", "signal", "left": [pid], "tail": [line]}   nothing is left (or `left` cannot be killed)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spec:
    """All the guardian needs. `env` and `secrets` hold secrets, so a spec travels over a socket only: never argv, never
    a file. `folder` is the launch's own empty folder: working folder and mark of every process of the launch."""

    launch_id: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    folder: str
    log_path: str
    socket_path: str
    ledger_path: str
    secrets: tuple[str, ...] = field(repr=False)
    card: Mapping[str, Any] = field(repr=False)
    quiet: tuple[str, ...] = ()
    orphan_grace_s: float = 5.0

    def encode(self) -> bytes:
        return encode(asdict(self))

    @classmethod
    def decode(cls, line: bytes) -> Spec:
        raw = json.loads(line)
        for name in ("argv", "secrets", "quiet"):
            raw[name] = tuple(raw[name])
        return cls(**raw)


def encode(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
