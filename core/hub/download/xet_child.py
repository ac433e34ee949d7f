"""The program that fetches one file through hf-xet. Only for files that the Hub does not serve over plain HTTP.

huggingface_hub reads its environment once at import, and hf-xet cannot be stopped from outside (hf-xet 1.8): so this is
a process of its own, that ends when its standard input does. Prints one line of JSON per step.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from typing import Any


class Steps:
    """What huggingface_hub 2.4 asks of a `tqdm_class`; tells how many bytes have come."""

    def __init__(self, *_: Any, **options: Any) -> None:
        self.total = options.get("total")
        self.n = int(options.get("initial") or 0)

    def update(self, count: float | None = 1) -> None:
        self.n += int(count or 0)
        print(json.dumps({"got": self.n}), flush=True)

    def refresh(self, *_: Any, **__: Any) -> None: ...
    def close(self) -> None: ...
    def set_description(self, *_: Any, **__: Any) -> None: ...
    def set_description_str(self, *_: Any, **__: Any) -> None: ...
    def set_postfix_str(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def main() -> None:
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    os.environ.update(order["env"])
    threading.Thread(target=_end_with_our_owner, daemon=True).start()
    # Not before its environment is set, and untyped: of a `tqdm_class` it needs no more than `Steps` has.
    hub: Any = importlib.import_module("huggingface_hub")
    hub.hf_hub_download(
        order["repo_id"],
        order["path"],
        revision=order["commit"],
        cache_dir=order["cache"],
        tqdm_class=Steps,
    )
    sys.stdout.flush()
    os._exit(0)


def _end_with_our_owner() -> None:
    sys.stdin.read()
    os._exit(1)
