"""What the outside may hear of the Hub: rows that know more, downloads, the cache, the account."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.events import Delivery, Event
from core.hub.model import Account, CacheState, DownloadInfo, RepoRow


@dataclass(frozen=True, slots=True)
class BadgeChanged(Event):
    """A row of a search result knows more now: its sizes or its fit."""

    row: RepoRow


@dataclass(frozen=True, slots=True)
class DownloadsChanged(Event):
    """All downloads, in the order of the queue."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    downloads: tuple[DownloadInfo, ...]


@dataclass(frozen=True, slots=True)
class CacheChanged(Event):
    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    cache: CacheState


@dataclass(frozen=True, slots=True)
class AccountChanged(Event):
    lasting: ClassVar[bool] = True

    account: Account
