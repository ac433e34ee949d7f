"""The same model in other formats: the base and what was quantized of it, as the Hub's `base_model` tags tell."""

from __future__ import annotations

import re
from typing import Final

from core.hub.answers import Answers
from core.hub.api import HubApi, Query
from core.hub.model import RepoRef, RepoRow, Sibling
from core.hub.rows import EXPANDED, row_of
from core.hub.search import as_page, with_sizes

MOST: Final = 8
PER_KIND: Final = 2
_ASKED: Final = 40
_TAG: Final = re.compile(r"base_model:(?:(quantized|finetune|adapter|merge):)?([^:]+/[^:]+)")


def base_of(row: RepoRow) -> str:
    """The model whose weights these are in another format; "" when they are its own, as those of a finetune are."""
    plain = ""
    for tag in row.tags:
        found = _TAG.fullmatch(tag)
        if found is None:
            continue
        if found[1] == "quantized":
            return found[2]
        if found[1] is None:
            plain = found[2]
    return plain if row.quantization else ""


async def find_siblings(answers: Answers, api: HubApi, row: RepoRow) -> tuple[Sibling, ...]:
    """The base first, then by downloads, few of a kind. Raises `AppError` `hub.*`."""
    base = base_of(row)
    found: list[Sibling] = []
    if base and base.lower() != row.repo_id.lower():
        ref = RepoRef(base)
        answer = await answers.ask(api.connection, f"model {ref}", lambda: as_page(api.info(ref)))
        found += [Sibling(with_sizes(row_of(item), item), "base") for item in answer.page.items]
    params = _params(base or row.repo_id)
    answer = await answers.ask(api.connection, f"list {params}", lambda: api.models(params))
    relation = "same_base" if base else "quantized"
    kinds: dict[str, int] = {}
    for other in map(row_of, answer.page.items):
        kind = f"{other.quantization} {other.parameters}"
        if other.repo_id != row.repo_id and other.loadable and other.quantization and kinds.get(kind, 0) < PER_KIND:
            kinds[kind] = kinds.get(kind, 0) + 1
            found.append(Sibling(other, relation))
    return tuple(found[:MOST])


def _params(base: str) -> Query:
    return (
        ("filter", f"base_model:quantized:{base}"),
        ("apps", "vllm"),
        ("sort", "downloads"),
        ("limit", str(_ASKED)),
        *(("expand", name) for name in EXPANDED),
    )
