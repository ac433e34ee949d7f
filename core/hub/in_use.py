"""Which models of the cache are in use, by any Stowage of this user: servers are in the ledger, downloads in their
folder, whoever looks."""

from __future__ import annotations

from core.engine.ledger import Ledger
from core.hub.cache.layout import repo_id_of
from core.hub.cache.scan import InUse
from core.hub.download.job import JobStore
from core.paths import Paths


def models_in_use(paths: Paths) -> InUse:
    served = Ledger(paths.launches).models()
    wanted = frozenset(job.repo_id for job in JobStore(paths.state / "downloads").all())
    return InUse(frozenset(repo_id_of(model) for model in served), wanted)
