"""What a worker is told to fetch, and how. Travels as one line of JSON on its standard input, the token in it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True)
class FileOrder:
    """`etag` names the blob and is the hash of its bytes: sha256 (64 digits) or git's sha1 (40). `xet`: through
    huggingface_hub's own hf-xet, because plain HTTP does not serve files of that size."""

    path: str
    size: int
    etag: str
    xet: bool = False


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: `stall_s` without a byte end an attempt, `patience_s` without one end the download; `back_off_s` is the
    first of the doubling pauses between attempts."""

    connect_s: float = 10.0
    stall_s: float = 15.0
    patience_s: float = 1800.0
    back_off_s: float = 1.0


DEFAULT_TIMING: Final = Timing()


@dataclass(frozen=True, slots=True)
class Order:
    """`ref` is the branch or tag that was asked for, "" for a commit. `cache` is the folder that holds `models--*`.
    `user_agent` of every request. `after_close`: what happens when the app is gone. `tree`: the listing of the commit
    as huggingface_hub keeps it, None unless every file of the commit is fetched."""

    repo_id: str
    commit: str
    ref: str
    cache: str
    files: tuple[FileOrder, ...]
    endpoint: str
    user_agent: str
    token: str = ""
    proxy: str = ""
    ca_bundle: str = ""
    limit_bytes_per_s: int = 0
    after_close: Literal["pause", "go_on"] = "pause"
    at_once: int = 4
    timing: Timing = DEFAULT_TIMING
    tree: dict[str, Any] | None = None

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> Order:
        raw: dict[str, Any] = json.loads(line)
        known = {each.name for each in fields(cls)}
        files = tuple(FileOrder(**file) for file in raw.pop("files"))
        timing = Timing(**raw.pop("timing"))
        return cls(files=files, timing=timing, **{name: value for name, value in raw.items() if name in known})
