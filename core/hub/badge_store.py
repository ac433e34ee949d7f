"""Facts of repositories and the badges made of them, kept on disk by commit. Methods do file work."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import msgspec

from core.hub.facts import FORMAT, RepoFacts
from core.hub.footing import Footing
from core.hub.kept import Kept
from core.hub.model import Fit, FitBadge, RepoRow

_NOTHING: Final = msgspec.Raw(b"null")


class _Row(msgspec.Struct, frozen=True):
    """What a row has from the files, and its badge without the plan."""

    parameters: int | None
    weight_bytes: int | None
    download_bytes: int | None
    dtype: str
    quantization: str
    architecture: str
    context_tokens: int
    loadable: bool
    fit: Fit
    planned_tokens: int
    offload_bytes: int
    short_bytes: int
    short_tier: str
    tokens_per_s: tuple[float, float] | None
    exact: bool
    reason: str
    here: bool

    @classmethod
    def of(cls, row: RepoRow, badge: FitBadge) -> _Row:
        return cls(
            row.parameters,
            row.weight_bytes,
            row.download_bytes,
            row.dtype,
            row.quantization,
            row.architecture,
            row.context_tokens,
            row.loadable,
            badge.fit,
            badge.context_tokens,
            badge.offload_bytes,
            badge.short_bytes,
            badge.short_tier,
            badge.tokens_per_s,
            badge.exact,
            badge.reason,
            row.cached == "whole",
        )

    def onto(self, row: RepoRow) -> RepoRow:
        return replace(
            row,
            parameters=self.parameters,
            weight_bytes=self.weight_bytes,
            download_bytes=self.download_bytes,
            dtype=self.dtype,
            quantization=self.quantization,
            architecture=self.architecture,
            context_tokens=self.context_tokens,
            loadable=self.loadable,
            badge=FitBadge(
                self.fit,
                self.planned_tokens,
                self.offload_bytes,
                self.short_bytes,
                self.short_tier,
                self.tokens_per_s,
                self.exact,
                self.reason,
            ),
        )


class _Entry(msgspec.Struct, frozen=True):
    """The facts stay undecoded: most looks need the row alone."""

    format: int = 0
    row: _Row | None = None
    footing: Footing | None = None
    facts: msgspec.Raw = _NOTHING


class BadgeStore:
    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def row(self, row: RepoRow, footing: Footing) -> RepoRow | None:
        """`row` filled in as it was on a computer that is near enough to the present one."""
        entry = self._entry(row.repo_id, row.commit)
        if entry is None or entry.row is None or entry.footing is None:
            return None
        good = entry.footing.near(footing) and entry.row.here == (row.cached == "whole")
        return entry.row.onto(row) if good else None

    def facts(self, repo_id: str, commit: str) -> RepoFacts | None:
        entry = self._entry(repo_id, commit)
        try:
            return None if entry is None else msgspec.json.decode(entry.facts, type=RepoFacts)
        except (msgspec.MsgspecError, UnicodeError):
            return None

    def keep(self, facts: RepoFacts, row: RepoRow | None = None, footing: Footing | None = None) -> None:
        """What was closed to us is not kept: it may be open the next time."""
        if facts.reason == "gated":
            return
        filled = _Row.of(row, row.badge) if row is not None and row.badge is not None else None
        raw = msgspec.Raw(msgspec.json.encode(facts))
        self._kept.put(_key(facts.repo_id, facts.commit), _Entry(FORMAT, filled, footing, raw))

    def _entry(self, repo_id: str, commit: str) -> _Entry | None:
        found = self._kept.get(_key(repo_id, commit)) if commit else None
        if found is None:
            return None
        try:
            entry = msgspec.json.decode(found[0], type=_Entry)
        except (msgspec.MsgspecError, UnicodeError):
            return None
        return entry if entry.format == FORMAT else None


def _key(repo_id: str, commit: str) -> str:
    return f"{repo_id}@{commit}"
