"""Free space where a folder lies, or will lie."""

from __future__ import annotations

import shutil
from pathlib import Path


def free_bytes(folder: Path) -> int | None:
    """Of the filesystem of `folder`, which need not be there yet; None when it does not say."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
