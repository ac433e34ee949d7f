"""Runs a command and dies with its starter. Executed by path (`python -I tied.py COMMAND…`), standard library only.

The starter holds the other end of our standard input and puts us at the head of a process group of our own. When the
starter ends in any way, SIGKILL included, the pipe closes and the whole group is killed: an installer never outlives
the app.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main(command: list[str]) -> int:
    if os.getpgrp() != os.getpid():
        sys.exit("tied.py must lead its own process group")
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    threading.Thread(target=_kill_group_at_end_of_input, daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _kill_group_at_end_of_input() -> None:
    while os.read(0, 1024):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
