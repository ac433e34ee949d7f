"""How `dev.py` talks: short lines on stderr, so that stdout belongs to the app alone."""

from __future__ import annotations

import sys


class Stop(Exception):
    """Set-up cannot go on. `sentence` says what is wrong, `next_step` what to do about it."""

    def __init__(self, sentence: str, next_step: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.next_step = next_step


def say(line: str) -> None:
    print(f"Stowage: {line}", file=sys.stderr, flush=True)
