"""A job and a connection as an order for a worker."""

from __future__ import annotations

from typing import Final, Literal, cast

from core.hub.connection import USER_AGENT, Connection
from core.hub.download.job import Job
from core.hub.download.worker.order import FileOrder, Order, Timing

XET_BYTES: Final = 50 * 10**9
"""The Hub serves no larger file over plain HTTP (huggingface_hub 2.4, constants.MAX_HTTP_DOWNLOAD_SIZE)."""


def order_of(job: Job, connection: Connection, limit: int, after_close: str, timing: Timing) -> Order:
    return Order(
        repo_id=job.repo_id,
        commit=job.commit,
        ref=job.ref,
        cache=job.cache,
        files=tuple(
            FileOrder(file.path, file.size, file.etag, xet=file.size > XET_BYTES and bool(file.xet_hash))
            for file in job.files
        ),
        endpoint=connection.endpoint,
        user_agent=USER_AGENT,
        token=connection.token,
        proxy=connection.proxy,
        ca_bundle=connection.ca_bundle,
        limit_bytes_per_s=limit,
        after_close=cast("Literal['pause', 'go_on']", after_close),
        timing=timing,
        tree=job.tree,
    )
