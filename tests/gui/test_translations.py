"""The catalogues hold every text of the window, translated, with the same placeholders, and are compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_translations_are_complete_and_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "translate.py"), "--check"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
