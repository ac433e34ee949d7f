"""The app's own log, for the window and the command line alike."""

from __future__ import annotations

import contextlib
import logging
import sys
from logging.handlers import RotatingFileHandler

from core.paths import Paths
from core.redact import RedactingFilter, Redactor


def log_to_file(paths: Paths) -> None:
    """The app's own log: rotating, private, without secrets. A log that cannot be written costs the log only."""
    try:
        handler = RotatingFileHandler(paths.logs / "app.log", maxBytes=5_000_000, backupCount=3, encoding="utf-8")
    except OSError as error:
        print(f"stowage: no log file: {error}", file=sys.stderr)
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(RedactingFilter(Redactor()))
    with contextlib.suppress(OSError):
        (paths.logs / "app.log").chmod(0o600)
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    root.addHandler(handler)
    # It writes down whole addresses; those of a CDN are signed, which is as good as a password for a while.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
