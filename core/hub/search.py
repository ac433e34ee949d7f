"""Searching the Hub: a query becomes requests, answers become rows. What the Hub cannot filter is filtered here.

Answers are kept for minutes, so that typing back costs nothing, and shown as stale ones when the Hub cannot be asked.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from core.errors import AppError
from core.events import ErrorInfo
from core.hub.answers import Answer, Answers
from core.hub.api import HubApi, Json, Page, Query
from core.hub.facts import RepoFacts
from core.hub.model import RepoRef, RepoRow, SearchPage, SearchQuery
from core.hub.read_facts import files_of
from core.hub.refs import is_address, is_elsewhere, parse_reference
from core.hub.rows import EXPANDED, row_of

log = logging.getLogger(__name__)

PER_REQUEST: Final = 50
ENOUGH: Final = 15
"""Rows below which another request is made when our own filters took the rest away."""
MOST_REQUESTS: Final = 4
PACKED: Final = 8
"""A 4-bit checkpoint counts so many times fewer elements than its model has parameters, at the most."""

_SORTS: Final = {
    "trending": "trendingScore",
    "downloads": "downloads",
    "likes": "likes",
    "updated": "lastModified",
    "created": "createdAt",
}
# The Hub tags a model with its quant_method; these are kinds of "modelopt" and "compressed-tensors", told by the name.
_NO_TAG: Final = ("nvfp4",)


class Search:
    """Lives on the loop's thread."""

    def __init__(self, answers: Answers, api: Callable[[], Awaitable[HubApi]]) -> None:
        self._answers = answers
        self._api = api

    async def page(self, query: SearchQuery, cursor: str = "") -> SearchPage:
        """Rows without badges. Text that names one model gives that model alone.

        Raises:
            AppError: `hub.*` when the Hub cannot be asked and nothing of it is kept.
        """
        api = await self._api()
        ref = None if cursor else parse_reference(query.text, api.connection.endpoint)
        if ref is not None:
            found = await self._named(api, query, ref)
            if found is not None:
                return found
            if is_address(query.text):
                # The page of an author.
                return await self._listed(api, replace(query, text="", author=ref.repo_id), "")
        if not cursor and ref is None and is_address(query.text):
            raise AppError("hub.bad_reference", text=query.text.strip())
        return await self._listed(api, query, cursor)

    async def _named(self, api: HubApi, query: SearchQuery, ref: RepoRef) -> SearchPage | None:
        """The model that was named; None where it is not there and the text may be meant as words."""
        try:
            answer = await self._answers.ask(api.connection, f"model {ref}", lambda: as_page(api.info(ref)))
        except AppError as error:
            if error.code == "hub.not_found" and is_elsewhere(query.text, api.connection.endpoint):
                raise AppError("hub.bad_reference", text=query.text.strip()) from error
            if error.code != "hub.not_found" or (is_address(query.text) and "/" in ref.repo_id):
                raise
            return None
        rows = tuple(with_sizes(row_of(item), item) for item in answer.page.items)
        return SearchPage(query, rows, stale=answer.problem is not None, problem=answer.problem)

    async def _listed(self, api: HubApi, query: SearchQuery, cursor: str) -> SearchPage:
        rows: dict[str, RepoRow] = {}
        stale: ErrorInfo | None = None
        for _ in range(MOST_REQUESTS):
            answer = await self._asked(api, query, cursor)
            cursor, stale = answer.page.next_url, stale or answer.problem
            rows |= {row.repo_id: row for row in map(row_of, answer.page.items) if row.repo_id and keeps(query, row)}
            if not cursor or len(rows) >= ENOUGH:
                break
        return SearchPage(query, tuple(rows.values()), cursor, stale is not None, stale)

    async def _asked(self, api: HubApi, query: SearchQuery, cursor: str) -> Answer:
        if cursor:
            return await self._answers.ask(api.connection, f"list {cursor}", lambda: api.next_page(cursor))
        params = params_of(query)
        return await self._answers.ask(api.connection, f"list {params}", lambda: api.models(params))


def params_of(query: SearchQuery) -> Query:
    """Of /api/models (huggingface_hub 2.4, `list_models`)."""
    words = query.text.split()
    by_name = query.quantization in _NO_TAG and query.quantization not in query.text.lower()
    params = [
        ("search", " ".join([*words, query.quantization] if by_name else words)),
        ("author", query.author.strip()),
    ]
    if query.loadable_only:
        params.append(("apps", "vllm"))
    if query.quantization and query.quantization not in _NO_TAG:
        params.append(("filter", query.quantization))
    if query.licence:
        params.append(("filter", f"license:{query.licence}"))
    if query.gated != "any":
        params.append(("gated", str(query.gated == "gated").lower()))
    params.append(("num_parameters", _span(query)))
    params += [("sort", _SORTS[query.sort]), ("limit", str(PER_REQUEST))]
    return (*((name, value) for name, value in params if value), *(("expand", name) for name in EXPANDED))


def _span(query: SearchQuery) -> str:
    """In millions. The Hub counts packed elements, so the lower end leaves room for what is quantized."""
    parts: list[str] = []
    if query.min_parameters:
        parts.append(f"min:{max(1, query.min_parameters // PACKED // 1_000_000)}M")
    if query.max_parameters:
        parts.append(f"max:{-(-query.max_parameters // 1_000_000)}M")
    return ",".join(parts)


def keeps(query: SearchQuery, row: RepoRow) -> bool:
    """What the Hub may not have filtered: a mirror that ignores a parameter, packed counts, the day of the change."""
    if query.loadable_only and not row.loadable:
        return False
    if not _is_stored_as(query.quantization, row):
        return False
    if query.licence and row.licence and row.licence != query.licence:
        return False
    if query.gated != "any" and bool(row.gated) != (query.gated == "gated"):
        return False
    if query.author and row.repo_id.partition("/")[0].lower() != query.author.strip().lower():
        return False
    return _has_size(query, row) and _is_young(query, row)


def _is_stored_as(quantization: str, row: RepoRow) -> bool:
    if not quantization:
        return True
    tags = {tag.lower() for tag in row.tags}
    return quantization == row.quantization or quantization in tags or quantization in row.repo_id.lower()


def _has_size(query: SearchQuery, row: RepoRow) -> bool:
    if row.parameters is None:
        return not (query.min_parameters or query.max_parameters)
    # Names round: an "8B" may have 8.2e9.
    least, most = query.min_parameters * 0.95, (query.max_parameters or float("inf")) * 1.05
    return least <= row.parameters <= most


def _is_young(query: SearchQuery, row: RepoRow) -> bool:
    if not query.updated_within_days:
        return True
    try:
        updated = datetime.datetime.fromisoformat(row.updated)
    except ValueError:
        return False
    if updated.tzinfo is None:
        updated = updated.replace(tzinfo=datetime.UTC)
    return datetime.datetime.now(datetime.UTC) - updated <= datetime.timedelta(days=query.updated_within_days)


def with_sizes(row: RepoRow, info: Json) -> RepoRow:
    """With what the sizes of its files tell, without any request."""
    listing = RepoFacts(row.repo_id, row.commit, {file.path: file.size for file in files_of(info)}).listing
    return replace(row, weight_bytes=listing.weight_bytes, download_bytes=listing.download_bytes)


async def as_page(info: Awaitable[Json]) -> Page:
    """One object as an answer that can be kept."""
    return Page((await info,))
