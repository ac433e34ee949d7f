"""A file that is too large for plain HTTP, by huggingface_hub's own hf-xet in a child. It cannot resume; what it brings
is hashed here, since it does not do so itself."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import subprocess
import sys
from typing import Final

from core.hub.cache.layout import INCOMPLETE
from core.hub.download.worker.blob import Blob
from core.hub.download.worker.board import Board, Refused
from core.hub.download.worker.order import FileOrder, Order

_ROOT: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))
_CODE: Final = "import sys; sys.path.insert(0, sys.argv[1]); from core.hub.download.xet_child import main; main()"
_PIECE: Final = 1 << 20


def fetch_by_xet(order: Order, file: FileOrder, blob: Blob, board: Board) -> None:
    """Called with the blob's lock held; huggingface_hub takes it itself, so it is let go.

    Raises:
        Refused: `gave_up`, `damaged`.
    """
    for left in glob.glob(f"{glob.escape(blob.path)}.*{INCOMPLETE}"):
        os.unlink(left)  # of an earlier try: hf-xet cannot go on with it
    blob.close()
    told = {"repo_id": order.repo_id, "path": file.path, "commit": order.commit, "cache": order.cache}
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE, _ROOT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    with child, child.stdin:
        child.stdin.write(json.dumps(told | {"env": _env(order)}).encode() + b"\n")
        child.stdin.flush()
        had = 0
        for line in child.stdout:
            got = min(file.size, int(json.loads(line)["got"]))
            board.set_have(file.path, got, max(0, got - had))
            had = max(had, got)
    if child.returncode or not blob.whole:
        raise Refused("gave_up", f"hf-xet ended with {child.returncode}", reason="hf-xet", minutes=1)
    _verify(file, blob, board)


def _env(order: Order) -> dict[str, str]:
    env = {
        "HF_ENDPOINT": order.endpoint,
        "HF_HUB_DISABLE_SHARED_BLOBS": "1",  # bytes under a hash that is not theirs cannot be verified
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": order.token,
    }
    if order.proxy:
        env |= {"HTTPS_PROXY": order.proxy, "HTTP_PROXY": order.proxy}
    if order.ca_bundle:
        env |= {"SSL_CERT_FILE": order.ca_bundle}
    return env


def _verify(file: FileOrder, blob: Blob, board: Board) -> None:
    board.verify(file.path, True)
    digest = hashlib.sha256()
    with open(blob.path, "rb") as data:
        while piece := data.read(_PIECE):
            board.check()
            digest.update(piece)
    board.verify(file.path, False)
    if digest.hexdigest() != file.etag:
        os.unlink(os.path.realpath(blob.path))
        raise Refused("damaged", file.etag, file=file.path)
