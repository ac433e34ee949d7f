"""Caches for tests: filled by the real huggingface_hub from a loopback Hub, in a process of its own because it reads
its environment once; and a small checkpoint to put on that Hub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from core.events import Event, EventBus
from core.hub.cache.on_disk import RepoOnDisk, read_repo
from core.hub.cache.service import Cache
from core.hub.model import CachedRepo, CachedRevision
from core.paths import Paths
from core.settings import SettingsStore
from tests.fakes.fake_hub import FakeHub
from tests.support.checkpoints import CONFIG, safetensors

_CALL = """
import json, sys
from huggingface_hub import snapshot_download
print(snapshot_download(**json.loads(sys.argv[1])))
"""


def checkpoint_files(*, weight_bytes: int = 800, shards: int = 0, fill: int = 0) -> dict[str, bytes]:
    """A whole checkpoint for `FakeHub.add`; `fill` makes its weights differ from another's."""
    small: dict[str, bytes] = {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": b"{}",
        "README.md": b"# a model",
        ".gitattributes": b"*.safetensors filter=lfs",
    }
    if not shards:
        return small | {"model.safetensors": filled(weight_bytes, fill)}
    names = [f"model-{number:05d}-of-{shards:05d}.safetensors" for number in range(1, shards + 1)]
    index = {"weight_map": {f"layer.{number}": name for number, name in enumerate(names)}}
    weights = {name: filled(weight_bytes + number, fill) for number, name in enumerate(names)}
    return small | weights | {"model.safetensors.index.json": json.dumps(index).encode()}


def filled(size: int, fill: int) -> bytes:
    data = safetensors(size)
    return data[:-size] + bytes([fill]) * size


def snapshot_download(
    repo_id: str, *, hub: FakeHub | None = None, cache: Path, environ: dict[str, str] | None = None, **options: object
) -> Path:
    """huggingface_hub's own, which every other tool uses too; without `hub` it may not ask the network.

    Raises:
        AssertionError: it failed; the text is its traceback.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    env |= {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_XET": "1"}
    env |= {"HF_ENDPOINT": hub.url} if hub is not None else {"HF_HUB_OFFLINE": "1"}
    env |= environ or {}
    call = {"repo_id": repo_id, "cache_dir": str(cache), "local_files_only": hub is None} | options
    done = subprocess.run(
        [sys.executable, "-c", _CALL, json.dumps(call)],
        env=env, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip().splitlines()[-1])


class CacheSetup:
    """The verbs of the cache for a fresh user, and what they said."""

    def __init__(self, home: Paths) -> None:
        home.ensure()
        self.paths = home
        self.settings = SettingsStore(home.settings_file)
        self.events: list[Event] = []
        self.bus = EventBus()
        self.bus.subscribe(self.events.append)
        self.cache = Cache(home, self.settings, self.bus)
        self.folder = self.cache.folder

    def repo(self, state_repos: tuple[CachedRepo, ...], repo_id: str) -> CachedRepo:
        return next(repo for repo in state_repos if repo.repo_id == repo_id)

    def on_disk(self, repo: CachedRepo) -> RepoOnDisk:
        found = read_repo(Path(repo.path))
        assert found is not None
        return found


def only(repo: CachedRepo) -> CachedRevision:
    """The one commit of a repository."""
    (revision,) = repo.revisions
    return revision


def disk_bytes(folder: Path) -> int:
    """Bytes of every regular file below `folder`, each counted once."""
    seen: dict[tuple[int, int], int] = {}
    for path in folder.rglob("*"):
        stat = path.lstat()
        if path.is_file() and not path.is_symlink():
            seen[stat.st_dev, stat.st_ino] = stat.st_size
    return sum(seen.values())
