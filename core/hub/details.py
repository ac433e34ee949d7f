"""Everything about one model at one revision: its files, card, revisions, relatives, fit, and what loading needs."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import msgspec

from core.checkpoint.files import WeightFormat, has_tokenizer
from core.checkpoint.listing import Kind, Listing
from core.checkpoint.remote_code import remote_code
from core.errors import AppError
from core.events import EngineInfo, ErrorInfo
from core.hub.answers import Answers
from core.hub.api import HubApi, Json, Page
from core.hub.badges import Badges
from core.hub.consents import Consents
from core.hub.facts import RepoFacts
from core.hub.model import HubFile, RepoDetails, RepoRef, RepoRow
from core.hub.presence import Presence
from core.hub.read_facts import files_of
from core.hub.rows import row_of
from core.hub.search import as_page, with_sizes
from core.hub.siblings import find_siblings

log = logging.getLogger(__name__)

T = TypeVar("T")

FOREVER_S: Final = 10 * 365 * 86400.0
"""For what belongs to a commit."""
MAX_CARD_BYTES: Final = 1 << 20
_HEAD: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)

Registry = Callable[[EngineInfo], Awaitable[frozenset[str] | None]]
"""The architectures that an installed engine names; None where its source tells nothing."""


async def unknown_registry(_engine: EngineInfo) -> None:
    """Nothing is known: then no model is refused for its architecture."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came besides the model itself; a failure of one of these costs that part alone."""

    files: tuple[HubFile, ...]
    branches: tuple[str, ...]
    tags: tuple[str, ...]
    card: str
    tokenizer_config: Json


class Details:
    """Lives on the loop's thread.

    Args:
        registry: the architectures of an engine.
    """

    def __init__(
        self,
        answers: Answers,
        api: Callable[[], Awaitable[HubApi]],
        badges: Badges,
        consents: Consents,
        presence: Presence,
        registry: Registry = unknown_registry,
    ) -> None:
        self._answers = answers
        self._api = api
        self._badges = badges
        self._consents = consents
        self._presence = presence
        self._registry = registry

    async def of(self, ref: RepoRef, engine_id: str | None = None) -> RepoDetails:
        """The badges of siblings follow as `BadgeChanged`.

        Raises:
            AppError: `hub.*`, `engine.unknown`. Closed files are no failure: then the card and the fit are coarse.
        """
        api = await self._api()
        answer = await self._answers.ask(api.connection, f"model {ref}", lambda: as_page(api.info(ref)))
        info = answer.page.items[0]
        row = self._presence.mark(with_sizes(row_of(info), info))
        pinned = RepoRef(row.repo_id, row.commit)
        asked, siblings, (row, facts) = await asyncio.gather(
            self._beside(api, pinned, info),
            self._spared("siblings", find_siblings(self._answers, api, row), ()),
            self._fit(row, info, engine_id),
        )
        siblings = tuple(replace(sibling, row=self._presence.mark(sibling.row)) for sibling in siblings)
        self._badges.show((sibling.row for sibling in siblings), add=True)
        names = [file.path for file in asked.files]
        checkpoint = facts.checkpoint() if facts is not None and facts.config is not None else None
        known = checkpoint is not None and checkpoint.known
        config = facts.config if facts is not None and facts.config is not None else {}
        return RepoDetails(
            row,
            asked.files,
            needed=_needed(facts.listing) if facts is not None else (),
            branches=asked.branches,
            tags=asked.tags,
            siblings=siblings,
            card=asked.card,
            remote_code=remote_code(names, config, asked.tokenizer_config, known=known),
            warnings=warnings_of(facts.listing, names) if facts is not None else (),
            refused_by_engine=await self._refusal(row, engine_id),
            renamed_from=ref.repo_id if ref.repo_id.lower() != row.repo_id.lower() else "",
            remote_code_allowed=await asyncio.to_thread(self._consents.allows, row.repo_id, row.commit),
            problem=answer.problem,
        )

    async def _fit(self, row: RepoRow, info: Json, engine_id: str | None) -> tuple[RepoRow, RepoFacts | None]:
        try:
            return await self._badges.look_closely(row, info, engine_id=engine_id)
        except AppError as error:
            if error.code.startswith("engine."):
                raise
            log.info("the fit of %s: %s", row.repo_id, error)
            return self._badges.unknown(row, error), RepoFacts(
                row.repo_id, row.commit, {file.path: file.size for file in files_of(info)}
            )

    async def _refusal(self, row: RepoRow, engine_id: str | None) -> ErrorInfo | None:
        engine = await self._badges.engine(engine_id)
        if engine is None or not row.architecture:
            return None
        names = await self._registry(engine)
        if names is None or row.architecture in names:
            return None
        return ErrorInfo.of(
            AppError(
                "hub.architecture_unknown", architecture=row.architecture, engine=engine.id, version=engine.version
            )
        )

    # ---- besides ---------------------------------------------------------------------------------------------------

    async def _beside(self, api: HubApi, ref: RepoRef, info: Json) -> _Asked:
        listed = files_of(info)
        names = {file.path for file in listed}
        tree, refs, card, tokenizer_config = await asyncio.gather(
            self._spared("files", self._tree(api, ref), listed),
            self._spared("revisions", self._refs(api, ref.repo_id), ((), ())),
            self._spared("card", self._text(api, ref, "README.md"), "") if "README.md" in names else _nothing(""),
            self._spared("tokenizer", self._text(api, ref, "tokenizer_config.json"), "")
            if "tokenizer_config.json" in names
            else _nothing(""),
        )
        return _Asked(tree, *refs, without_head(card), _json(tokenizer_config))

    async def _tree(self, api: HubApi, ref: RepoRef) -> tuple[HubFile, ...]:
        async def ask() -> Page:
            return Page(tuple(msgspec.to_builtins(file) for file in await api.tree(ref)))

        answer = await self._answers.ask(api.connection, f"tree {ref}", ask, fresh_s=FOREVER_S)
        return tuple(msgspec.convert(item, HubFile) for item in answer.page.items)

    async def _refs(self, api: HubApi, repo_id: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        async def ask() -> Page:
            branches, tags = await api.refs(repo_id)
            return Page(({"branches": branches, "tags": tags},))

        answer = await self._answers.ask(api.connection, f"refs {repo_id}", ask)
        return tuple(answer.page.items[0]["branches"]), tuple(answer.page.items[0]["tags"])

    async def _text(self, api: HubApi, ref: RepoRef, path: str) -> str:
        async def ask() -> Page:
            return Page(({"text": (await api.text(ref, path, limit=MAX_CARD_BYTES)).decode("utf-8", "replace")},))

        answer = await self._answers.ask(api.connection, f"{path} {ref}", ask, fresh_s=FOREVER_S)
        return str(answer.page.items[0]["text"])

    async def _spared(self, what: str, work: Coroutine[Any, Any, T], instead: T) -> T:
        try:
            return await work
        except AppError as error:
            log.info("details without %s: %s", what, error)
            return instead


async def _nothing(value: T) -> T:
    return value


def without_head(card: str) -> str:
    """A model card without the YAML in front of it."""
    return _HEAD.sub("", card, count=1).lstrip()


def warnings_of(listing: Listing, names: list[str]) -> tuple[str, ...]:
    """Word ids of the group [repo_warning]."""
    if listing.kind is Kind.GGUF or not listing.weights:
        return ("only_gguf" if listing.kind is Kind.GGUF else "no_weights",)
    root = {name for name in names if "/" not in name}
    found: list[str] = []
    if listing.kind is Kind.CHECKPOINT and not has_tokenizer(root):
        found.append("no_tokenizer")
    if listing.format in (WeightFormat.BIN, WeightFormat.PT):
        found.append("pickled")
    if listing.missing:
        found.append("missing_files")
    if listing.format is WeightFormat.SAFETENSORS:
        loose = {name for name in root if name.endswith(".safetensors")} - set(listing.weights)
        if any(name.startswith("consolidated") for name in loose):
            found.append("twice")
        if any(not name.startswith("consolidated") for name in loose):
            found.append("stray")
        if not listing.index and len(listing.weights) > 1 and not all("-of-" in name for name in listing.weights):
            found.append("no_index")
    return tuple(found)


def _needed(listing: Listing) -> tuple[str, ...]:
    return (*listing.weights, *listing.others)


def _json(text: str) -> Json:
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except (msgspec.MsgspecError, UnicodeError):
        return {}
