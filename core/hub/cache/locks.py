"""Whether another process works on a file of the cache. Both locks are the kernel's and end with their holder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from core.hub.cache.layout import INCOMPLETE, LOCKS

if sys.platform != "win32":
    import fcntl


def is_held(path: str) -> bool:
    """Whether somebody holds `flock` on the file, as our own downloads do on what they write."""
    if sys.platform == "win32":
        return False
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a filesystem without locks
    finally:
        os.close(handle)
    return False


def is_held_by_hub(repo_path: str, partial: str) -> bool:
    """Whether huggingface_hub fetches that file: it writes `<etag>.<8 random hex>.incomplete` and holds
    `.locks/<repository>/<etag>.lock` meanwhile (2.4, file_download.py)."""
    etag = os.path.basename(partial).removesuffix(INCOMPLETE).partition(".")[0]
    return is_held(str(_locks(repo_path) / f"{etag}.lock"))


def is_repo_held(repo_path: str) -> bool:
    """Whether anybody fetches any file of the repository now."""
    places = ((Path(repo_path) / "blobs", f"*{INCOMPLETE}"), (_locks(repo_path), "*.lock"))
    return any(is_held(str(file)) for folder, pattern in places for file in folder.glob(pattern))


def _locks(repo_path: str) -> Path:
    folder = Path(repo_path)
    return folder.parent / LOCKS / folder.name
