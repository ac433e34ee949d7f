"""The end of a worker as an `AppError`."""

from __future__ import annotations

from typing import Any

import httpx2

from core.errors import AppError
from core.hub.connection import Connection
from core.hub.download.job import Job
from core.hub.failures import failure_of
from core.hub.model import RepoRef


def failure(message: dict[str, Any], job: Job, connection: Connection) -> AppError:
    """Args: `message` the worker's last, with `failed`, `detail` and `facts`."""
    kind, detail, facts = str(message["failed"]), str(message["detail"]), dict[str, Any](message["facts"])
    if kind == "refused":
        request = httpx2.Request("GET", facts["url"])
        response = httpx2.Response(facts["status"], headers=facts["headers"], request=request)
        return failure_of(response, connection, RepoRef(job.repo_id, job.commit), facts["file"])
    if kind in ("tls", "proxy", "bad_proxy", "bad_ca_bundle"):
        return AppError(f"hub.{kind}", detail, **facts)
    if kind == "not_a_hub":
        return AppError("hub.not_a_hub", detail, endpoint=connection.endpoint, reason=facts["reason"])
    if kind == "bug":
        return AppError("download.worker_died", detail, repo=job.repo_id, reason=detail)
    if kind == "not_writable":
        return AppError("download.not_writable", detail, **facts)
    return AppError(f"download.{kind}", detail, repo=job.repo_id, **facts)


def died(job: Job, code: int) -> AppError:
    reason = f"signal {-code}" if code < 0 else f"exit code {code}"
    return AppError("download.worker_died", reason, repo=job.repo_id, reason=reason)
