"""The Hub's JSON API and small reads of files, with a deadline on every call and every failure told apart.

Sources: what huggingface_hub 2.4 sends (`hf_api.py`, `utils/_http.py`); nothing of it is used here, because its calls
have no timeout and read their environment once at import.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

import httpx2
import msgspec

from core.checkpoint.safetensors_header import BrokenFile, Tensor, header_length, parse_header
from core.errors import AppError
from core.hub.connection import Connection, open_client
from core.hub.failures import failure_of, no_answer
from core.hub.model import HubFile, RepoRef

log = logging.getLogger(__name__)

TOTAL_S: Final = 30.0
"""Longest time of one call, its redirects and one repetition included."""
MAX_JSON_BYTES: Final = 64 << 20
MAX_TEXT_BYTES: Final = 4 << 20
FIRST_HEADER_BYTES: Final = 100_000
"""Bytes asked of a safetensors file at first: the headers of most shards are shorter."""
AGAIN_S: Final = 0.3
_PASSING: Final = frozenset((500, 502, 503, 504))

T = TypeVar("T")
Json = dict[str, Any]
Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """`next_url` "" on the last page."""

    items: tuple[Json, ...]
    next_url: str = ""


class HubApi:
    """Owner of the HTTP client of one connection. Lives on the loop's thread.

    Every method raises `AppError` `hub.*`; with `connection.offline` nothing is sent (`hub.offline`).
    """

    def __init__(self, connection: Connection, *, total_s: float = TOTAL_S) -> None:
        self.connection = connection
        self._total_s = total_s
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # ---- what the Hub knows ----------------------------------------------------------------------------------------

    async def models(self, query: Query) -> Page:
        return await self._page("/api/models", query)

    async def next_page(self, url: str) -> Page:
        """Args: `url` a page's `next_url`. One of another origin is refused: the query goes to the Hub alone."""
        if not self.connection.owns(url):
            raise AppError("hub.not_a_hub", f"next page at {url}", endpoint=self.connection.endpoint, reason="Link")
        return await self._page(url, ())

    async def info(self, ref: RepoRef) -> Json:
        """A model with the sizes of its files. Its `id` is the present one where `ref` names it by an old one or in
        other letters; `sha` the commit of the revision."""
        revision = f"/revision/{quote(ref.revision, safe='')}" if ref.revision else ""
        found = mapping(await self._json(f"/api/models/{quote(ref.repo_id)}{revision}", (("blobs", "true"),), ref))
        if not isinstance(found.get("id"), str):
            raise self._no_hub("a model without an id")
        return found

    async def tree(self, ref: RepoRef) -> tuple[HubFile, ...]:
        """Every file at the revision, Xet hashes included, which `info` leaves out."""
        revision = quote(ref.revision or "main", safe="")
        page = await self._page(
            f"/api/models/{quote(ref.repo_id)}/tree/{revision}", (("recursive", "true"), ("expand", "false")), ref
        )
        items = [*page.items]
        while page.next_url:
            page = await self._page(page.next_url, (), ref)
            items += page.items
        return tuple(hub_file(item) for item in items if item.get("type", "file") == "file")

    async def refs(self, repo_id: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Branches and tags by name."""
        found = await self._json(f"/api/models/{quote(repo_id)}/refs", (), RepoRef(repo_id))
        return _names(found, "branches"), _names(found, "tags")

    async def whoami(self) -> tuple[str, str]:
        """The user of the connection's token and the token's own name. Raises `hub.bad_token` too."""
        found = mapping(await self._json("/api/whoami-v2", ()))
        name = found.get("name")
        if not isinstance(name, str):
            raise self._no_hub("whoami without a name")
        token = mapping(mapping(found.get("auth")).get("accessToken"))
        return name, str(token.get("displayName") or name)

    # ---- files -----------------------------------------------------------------------------------------------------

    async def text(self, ref: RepoRef, path: str, *, limit: int = MAX_TEXT_BYTES) -> bytes:
        """A small file; of a larger one its first `limit` bytes."""
        return await self._read(ref, path, 0, limit)

    async def header(self, ref: RepoRef, path: str) -> dict[str, Tensor]:
        """The header of a safetensors file: one or two ranged reads, no weights.

        Raises:
            AppError: also `model.broken_file` when it is none.
        """
        start = await self._read(ref, path, 0, FIRST_HEADER_BYTES)
        try:
            length = header_length(start)
            rest = start[8:]
            if len(rest) < length:
                rest += await self._read(ref, path, len(start), 8 + length)
            return parse_header(rest[:length])
        except BrokenFile as error:
            raise AppError("model.broken_file", path=ref.repo_id, file=path, reason=str(error)) from error

    async def _read(self, ref: RepoRef, path: str, start: int, end: int) -> bytes:
        """Bytes [start, end) of a file; fewer at its end. A server that ignores ranges is cut off at `end`."""
        url = f"/{quote(ref.repo_id)}/resolve/{quote(ref.revision or 'main', safe='')}/{quote(path)}"
        headers = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        return await self._bounded(self._stream(url, headers, ref, path, start, end))

    async def _stream(
        self, url: str, headers: Mapping[str, str], ref: RepoRef, path: str, start: int, end: int
    ) -> bytes:
        async with self._open().stream("GET", self._url(url), headers=headers) as response:
            if response.status_code == 416:
                return b""
            if response.status_code >= 400:
                raise failure_of(response, self.connection, ref, path)
            skip = 0 if response.status_code == 206 else start
            data = bytearray()
            async for piece in response.aiter_bytes():
                data += piece
                if len(data) >= skip + end - start:
                    break
            return bytes(data[skip : skip + end - start])

    # ---- requests --------------------------------------------------------------------------------------------------

    async def _page(self, url: str, query: Query, ref: RepoRef | None = None) -> Page:
        response = await self._get(url, query, ref)
        items = self._decoded(response)
        if not isinstance(items, list):
            raise self._no_hub("a list was expected")
        following = response.links.get("next", {}).get("url", "")
        return Page(tuple(objects(cast("list[Any]", items))), following)

    async def _json(self, url: str, query: Query, ref: RepoRef | None = None) -> Any:
        return self._decoded(await self._get(url, query, ref))

    async def _get(self, url: str, query: Query, ref: RepoRef | None) -> httpx2.Response:
        """One request, repeated once when the server stumbles or drops a kept connection."""
        return await self._bounded(self._get_twice(url, query, ref))

    async def _get_twice(self, url: str, query: Query, ref: RepoRef | None) -> httpx2.Response:
        params = query or None
        try:
            response = await self._open().get(self._url(url), params=params)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError) as error:
            log.info("asking again: %r", error)
            response = await self._open().get(self._url(url), params=params)
        if response.status_code in _PASSING:
            await asyncio.sleep(AGAIN_S)
            response = await self._open().get(self._url(url), params=params)
        if response.status_code >= 400:
            raise failure_of(response, self.connection, ref)
        return response

    async def _bounded(self, work: Coroutine[Any, Any, T]) -> T:
        """`work` within the total deadline, transport errors as failures."""
        try:
            async with asyncio.timeout(self._total_s):
                return await work
        except TimeoutError as error:
            raise AppError("hub.timeout", host=self.connection.host, seconds=round(self._total_s)) from error
        except httpx2.HTTPError as error:
            raise no_answer(error, self.connection) from error

    def _open(self) -> httpx2.AsyncClient:
        if self.connection.offline:
            raise AppError("hub.offline")
        if self._client is None:
            self._client = open_client(self.connection)
        return self._client

    def _url(self, url: str) -> str:
        return url if "://" in url else self.connection.endpoint + url

    def _decoded(self, response: httpx2.Response) -> Any:
        try:
            return msgspec.json.decode(response.content)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise self._no_hub(response.headers.get("Content-Type", "no JSON")) from error

    def _no_hub(self, reason: str) -> AppError:
        return AppError("hub.not_a_hub", endpoint=self.connection.endpoint, reason=reason)


def hub_file(item: Json) -> HubFile:
    """A file as the tree shows it, or as `info` does among its siblings."""
    lfs: Json = item.get("lfs") or {}
    return HubFile(
        path=str(item.get("path") or item.get("rfilename") or ""),
        size=int(item.get("size") or lfs.get("size") or 0),
        blob_id=str(item.get("oid") or item.get("blobId") or ""),
        sha256=str(lfs.get("oid") or lfs.get("sha256") or ""),
        xet_hash=str(item.get("xetHash") or ""),
    )


def _names(found: Any, kind: str) -> tuple[str, ...]:
    return tuple(str(item.get("name", "")) for item in objects(mapping(found).get(kind)))


def mapping(value: object) -> Json:
    """`value` where it is a JSON object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def objects(value: object) -> list[Json]:
    """The JSON objects of a list; none where `value` is no list."""
    return [item for item in cast("list[Any]", value) if isinstance(item, dict)] if isinstance(value, list) else []
