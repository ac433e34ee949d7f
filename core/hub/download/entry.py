"""One download in the queue: what is known of it, and what everyone hears."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from core.errors import AppError
from core.events import ErrorInfo
from core.hub.download.job import Job
from core.hub.download.link import WorkerLink
from core.hub.download.rate import Rate
from core.hub.model import DownloadInfo, DownloadState


class Entry:
    """Changed by `Downloads` alone. `told`: limit and after_close as the worker knows them."""

    def __init__(self, job: Job, state: DownloadState) -> None:
        self.job = job
        self.state = state
        self.done_bytes = 0
        self.finished: tuple[str, ...] = ()
        self.waits_for = ""
        self.wait_s = 0.0
        self.error: ErrorInfo | None = None
        self.rate = Rate()
        self.link: WorkerLink | None = None
        self.task: asyncio.Task[None] | None = None
        self.told: tuple[int, str] = (0, "")
        self.refreshed = False
        self.deaths = 0
        self.changed = asyncio.Event()

    @property
    def key(self) -> str:
        return self.job.key

    @property
    def info(self) -> DownloadInfo:
        moving = self.state in (DownloadState.RUNNING, DownloadState.WAITING)
        return DownloadInfo(
            repo_id=self.job.repo_id,
            commit=self.job.commit,
            state=self.state,
            ref=self.job.ref,
            done_bytes=self.done_bytes,
            total_bytes=self.job.total_bytes,
            rate=self.rate.bytes_per_s if moving else 0.0,
            eta_s=self.rate.eta_s(self.job.total_bytes - self.done_bytes)
            if self.state is DownloadState.RUNNING
            else None,
            files_done=len(self.finished),
            files_total=len(self.job.files),
            present_files=self.finished,
            waits_for=self.waits_for,
            wait_s=self.wait_s,
            launch_after=self.job.launch_after,
            error=self.error,
        )

    @property
    def ended(self) -> bool:
        """Nothing more will happen by itself."""
        return self.state in (DownloadState.DONE, DownloadState.FAILED, DownloadState.PAUSED)

    def begin(self) -> None:
        self.state, self.error, self.rate = DownloadState.STARTING, None, Rate()
        self.waits_for, self.wait_s = "", 0.0

    def hear(self, message: dict[str, Any]) -> None:
        """A report of the worker."""
        self.done_bytes = int(message["done"])
        self.finished = tuple(message["finished"])
        self.waits_for = str(message.get("waits_for", ""))
        self.wait_s = float(message.get("wait_s", 0.0))
        self.rate.add(time.monotonic(), int(message["fetched"]))
        if self.waits_for:
            self.state = DownloadState.WAITING
        elif message.get("verifying"):
            self.state = DownloadState.VERIFYING
        else:
            self.state = DownloadState.RUNNING

    def fail(self, error: AppError) -> None:
        self.state, self.error = DownloadState.FAILED, ErrorInfo.of(error)
        self.waits_for, self.wait_s = "", 0.0
