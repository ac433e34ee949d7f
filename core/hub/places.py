"""Where huggingface_hub 2.x and vLLM keep what they fetch. Imports nothing heavy: what looks at disks asks too."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from core.settings import Settings


def path_of(text: str | None) -> Path | None:
    """A path as a person or a variable gives it; None for nothing."""
    return Path(os.path.expandvars(text)).expanduser() if text and text.strip() else None


def hf_home(environ: Mapping[str, str] = os.environ) -> Path:
    if home := path_of(environ.get("HF_HOME")):
        return home
    return (path_of(environ.get("XDG_CACHE_HOME")) or Path.home() / ".cache") / "huggingface"


def cache_folder(settings: Settings, environ: Mapping[str, str] = os.environ) -> Path:
    """The cache that every tool shares: the setting, else where `huggingface_hub` and vLLM look."""
    for value in (settings.hub_cache, environ.get("HF_HUB_CACHE"), environ.get("HUGGINGFACE_HUB_CACHE")):
        if folder := path_of(value):
            return folder
    return hf_home(environ) / "hub"


def own_cache(settings: Settings) -> str:
    """The absolute path of the cache where the settings name one; "" where it lies where every tool looks anyway."""
    folder = path_of(settings.hub_cache)
    return str(folder.absolute()) if folder is not None else ""


def usual_cache() -> Path:
    """The same for somebody without settings."""
    return cache_folder(Settings())
