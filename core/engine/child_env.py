"""The environment of the tools that build and inspect engines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# What would make another Python, another prefix or another library answer.
_DROPPED: Final = (
    "PYTHON", "VIRTUAL_ENV", "CONDA_", "LD_LIBRARY_PATH", "LD_PRELOAD", "QT_", "PIP_", "UV_", "VLLM_", "STOWAGE_",
)  # fmt: skip
_SECRETS: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY")

# The user's choice of where packages come from stays in force; everything else of pip and uv is ours to decide.
_KEPT: Final = frozenset(
    """
    PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_NO_INDEX PIP_FIND_LINKS PIP_TRUSTED_HOST PIP_CERT PIP_CLIENT_CERT PIP_PROXY
    PIP_CONFIG_FILE PIP_CACHE_DIR PIP_NO_CACHE_DIR PIP_CONSTRAINT PIP_KEYRING_PROVIDER
    UV_DEFAULT_INDEX UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_NO_INDEX UV_INDEX_STRATEGY
    UV_INSECURE_HOST UV_NATIVE_TLS UV_SYSTEM_CERTS UV_CONFIG_FILE UV_CACHE_DIR UV_NO_CACHE UV_KEYRING_PROVIDER
    UV_CONSTRAINT UV_NO_CONFIG UV_OFFLINE
    """.split()  # noqa: SIM905 (one name a line would hide the pattern)
)


def clean_env(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The user's environment without what leads a Python astray and without secrets."""
    env = {
        name: value
        for name, value in environ.items()
        if name in _KEPT
        or (name.startswith("UV_INDEX_") and name.endswith(("_USERNAME", "_PASSWORD")))
        or not (name.startswith(_DROPPED) or name in _SECRETS)
    }
    return env | {"PYTHONNOUSERSITE": "1", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1", "NO_COLOR": "1"}


def installer_env(temporary: Path, *, timeout_s: float, retries: int) -> dict[str, str]:
    """For pip and uv: downloads wait in `temporary` (on the disk whose space was checked), patience is bounded."""
    return clean_env() | {
        "TMPDIR": str(temporary),
        "PIP_USER": "0",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_DEFAULT_TIMEOUT": f"{timeout_s:g}",
        "PIP_RETRIES": str(retries),
        "UV_HTTP_TIMEOUT": str(max(1, round(timeout_s))),
        "UV_HTTP_RETRIES": str(retries),
        "UV_NO_PROGRESS": "1",
    }


def inspection_env() -> dict[str, str]:
    """For a Python that imports vLLM: no usage report, no Hub."""
    return clean_env() | {
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_LOGGING_COLOR": "0",
    }
