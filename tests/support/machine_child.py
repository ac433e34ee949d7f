"""Reads the computer again and again on command, in a process of its own: nvidia-ml-py loads a library once per
process.

    python machine_child.py ROOT        ROOT is a recorded tree, or / for the real one

Each line on stdin is a command: `read`, `skip SECONDS` (the clock goes on), `serve PID [GPU BYTES]`, `close`. Each
answer is one JSON line.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from core.machine.budget import ServerUse
from core.machine.reader import MachineReader, Sources
from core.machine.report import as_json
from core.machine.tree import Space, Tree

GIB = 1 << 30


def main(root: str) -> None:
    ahead = [0.0]
    tree = Tree() if root == "/" else Tree(root, lambda _path: Space(1000 * GIB, 400 * GIB))
    folders = {"models": Path("/home/user/.cache/huggingface/hub")}
    reader = MachineReader(Sources(folders, tree, clock=lambda: time.monotonic() + ahead[0]))
    server: ServerUse | None = None
    for line in sys.stdin:
        match line.split():
            case ["read"]:
                print(json.dumps(as_json(*reader.read(server))), flush=True)
                continue
            case ["skip", seconds]:
                ahead[0] += float(seconds)
            case ["serve", pid]:
                server = ServerUse(frozenset({int(pid)}))
            case ["serve", pid, gpu, size]:
                server = ServerUse(frozenset({int(pid)}), stated_bytes={gpu: int(size)})
            case ["close"]:
                reader.close()
            case other:
                sys.exit(f"what is {other}?")
        print("{}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
