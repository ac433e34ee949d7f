"""A download in words: what it does, how much, how fast, what it waits for."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.hub.model import DownloadInfo, DownloadState
from core.words import explain, show_bytes, term
from gui import figures

ACTIVE = (
    DownloadState.QUEUED,
    DownloadState.STARTING,
    DownloadState.RUNNING,
    DownloadState.WAITING,
    DownloadState.VERIFYING,
)


class DownloadWords(QObject):
    """One language."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language

    def state(self, download: DownloadInfo) -> str:
        """The first line: "Downloading", or what it waits for."""
        if download.state is DownloadState.WAITING and download.waits_for:
            reason = term("waits_for", download.waits_for, self.language)
            if download.wait_s >= 1:
                return self.tr("{reason}; next try in {time}").format(
                    reason=reason, time=figures.clock(download.wait_s)
                )
            return reason
        if download.state is DownloadState.FAILED and download.error is not None:
            return explain(download.error, self.language).title
        return {
            DownloadState.QUEUED: self.tr("Waiting for its turn"),
            DownloadState.STARTING: self.tr("Starting"),
            DownloadState.RUNNING: self.tr("Downloading"),
            DownloadState.WAITING: self.tr("Waiting"),
            DownloadState.VERIFYING: self.tr("Checking the files"),
            DownloadState.PAUSED: self.tr("Paused"),
            DownloadState.DONE: self.tr("Here and whole"),
            DownloadState.FAILED: self.tr("Failed"),
        }[download.state]

    def figures(self, download: DownloadInfo) -> str:
        """The second line: bytes, rate, time left, files."""
        parts: list[str] = []
        if download.total_bytes:
            parts.append(
                self.tr("{done} of {total}").format(
                    done=self._size(download.done_bytes), total=self._size(download.total_bytes)
                )
            )
        if download.state is DownloadState.RUNNING:
            if download.rate:
                parts.append(self.rate(download.rate))
            if download.eta_s is not None:
                parts.append(self.tr("about {time} left").format(time=figures.clock(download.eta_s)))
        if download.files_total > 1:
            text = self.tr("{done} of {total} files")
            parts.append(text.format(done=download.files_done, total=download.files_total))
        return " · ".join(parts)

    def rate(self, bytes_per_s: float) -> str:
        return self.tr("{rate} MB/s").format(rate=figures.decimal(bytes_per_s / 1e6, 1, self.language))

    def reason(self, download: DownloadInfo) -> str:
        """Why it failed and what to do next."""
        if download.error is None or download.state is not DownloadState.FAILED:
            return ""
        words = explain(download.error, self.language)
        return f"{words.sentence} {words.next_step}".strip()

    def _size(self, count: int) -> str:
        return show_bytes(count, self.language)


def share(download: DownloadInfo) -> int:
    """Thousandths that are here."""
    return min(1000, round(1000 * download.done_bytes / download.total_bytes)) if download.total_bytes else 0
