"""Searching: what is asked of the Hub, what is kept of its answer, and what happens when there is none."""

from __future__ import annotations

import asyncio
import datetime
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from core.errors import AppError
from core.hub.model import SearchPage, SearchQuery
from core.hub.rows import EXPANDED, named_parameters, row_of
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.support.hub_models import add_published
from tests.support.hub_verbs import User, asked, hub_user

T = TypeVar("T")
SMALL, MIDDLE, AWQ = "Qwen__Qwen3-0.6B", "Qwen__Qwen3-8B", "Qwen__Qwen2.5-7B-Instruct-AWQ"


def with_user(paths: Paths, act: Callable[[User], Awaitable[T]], **settings: Any) -> T:
    async def run() -> T:
        async with hub_user(paths, **settings) as user:
            return await act(user)

    return asyncio.run(run())


def searched(paths: Paths, query: SearchQuery | str, **settings: Any) -> SearchPage:
    wanted = SearchQuery(query) if isinstance(query, str) else query
    return with_user(paths, lambda user: user.hub.search(wanted), **settings)


def ids(page: SearchPage) -> list[str]:
    return [row.repo_id for row in page.rows]


def params(hub: FakeHub) -> dict[str, list[str]]:
    return next(request.query for request in hub.log.all() if request.path == "/api/models")


def many(hub: FakeHub, count: int) -> None:
    for number in range(count):
        add_published(hub, SMALL, f"org/model-{number:03d}", meta={"downloads": count - number})


# ---- what is asked ---------------------------------------------------------------------------------------------------


def test_a_query_becomes_the_parameters_that_the_hub_knows(home: Paths, fake_hub: FakeHub) -> None:
    searched(
        home,
        SearchQuery(
            "  qwen   coder ",
            sort="updated",
            min_parameters=4_000_000_000,
            max_parameters=9_000_000_000,
            quantization="awq",
            licence="apache-2.0",
            author="Qwen",
            gated="open",
        ),
    )
    assert params(fake_hub) == {
        "search": ["qwen coder"],
        "author": ["Qwen"],
        "apps": ["vllm"],
        "filter": ["awq", "license:apache-2.0"],
        "gated": ["false"],
        # The Hub counts packed elements: 4-bit weights of 4B are 0.5B of them.
        "num_parameters": ["min:500M,max:9000M"],
        "sort": ["lastModified"],
        "limit": ["50"],
        "expand": list(EXPANDED),
    }


@pytest.mark.parametrize(
    ("sort", "name"),
    [("trending", "trendingScore"), ("downloads", "downloads"), ("likes", "likes"), ("created", "createdAt")],
)
def test_every_order_has_its_name_on_the_hub(home: Paths, fake_hub: FakeHub, sort: Any, name: str) -> None:
    searched(home, SearchQuery(sort=sort))
    assert params(fake_hub)["sort"] == [name]
    assert "search" not in params(fake_hub)


def test_rows_come_in_the_order_of_the_hub(home: Paths, fake_hub: FakeHub) -> None:
    many(fake_hub, 4)
    page = searched(home, SearchQuery("model", sort="downloads"))
    assert ids(page) == [f"org/model-{number:03d}" for number in range(4)]
    assert [row.downloads for row in page.rows] == [4, 3, 2, 1]
    assert not page.stale


def test_a_row_tells_what_the_list_tells(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, AWQ, gated="manual", meta={"likes": 12, "downloads": 34})
    (row,) = searched(home, "qwen").rows
    assert (row.repo_id, row.commit) == (repo.id, repo.head.sha)
    assert (row.quantization, row.architecture, row.licence) == ("awq", "Qwen2ForCausalLM", "apache-2.0")
    assert (row.gated, row.likes, row.downloads) == ("manual", 12, 34)
    # 7.6e9 parameters are 2.1e9 packed elements, so the name says more than the count.
    assert row.parameters == 7_000_000_000


# ---- what is left out ------------------------------------------------------------------------------------------------


OTHERS: dict[str, dict[str, Any]] = {
    "org/gguf": {"tags": ["gguf"], "library_name": "gguf"},
    "org/mlx": {"tags": ["safetensors", "mlx"], "library_name": "mlx"},
    "org/adapter": {"tags": ["safetensors", "peft", "lora"], "library_name": "peft"},
    "org/embeddings": {"tags": ["safetensors"], "pipeline_tag": "feature-extraction"},
    "org/pictures": {
        "tags": ["diffusers", "safetensors"],
        "library_name": "diffusers",
        "pipeline_tag": "text-to-image",
    },
}


def test_only_what_vllm_loads_is_listed_unless_all_is_wanted(home: Paths, fake_hub: FakeHub) -> None:
    """The loopback Hub ignores `apps=vllm`, as mirrors do."""
    add_published(fake_hub, SMALL, "org/good")
    for repo_id, meta in OTHERS.items():
        add_published(fake_hub, SMALL, repo_id, meta=meta)
    assert ids(searched(home, "org")) == ["org/good"]
    everything = searched(home, SearchQuery("org", loadable_only=False))
    assert {row.repo_id: row.loadable for row in everything.rows} == {"org/good": True} | dict.fromkeys(OTHERS, False)


def test_sizes_are_those_of_the_model_not_of_its_packed_elements(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, AWQ)
    add_published(fake_hub, SMALL)
    assert ids(searched(home, SearchQuery(min_parameters=6_000_000_000, max_parameters=9_000_000_000))) == [
        "Qwen/Qwen2.5-7B-Instruct-AWQ"
    ]
    assert ids(searched(home, SearchQuery(max_parameters=1_000_000_000))) == ["Qwen/Qwen3-0.6B"]


def test_days_licences_and_authors_count_even_where_a_mirror_ignores_them(home: Paths, fake_hub: FakeHub) -> None:
    yesterday = (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)).isoformat().replace("+00:00", "Z")
    add_published(fake_hub, SMALL, "org/new", meta={"lastModified": yesterday})
    add_published(fake_hub, SMALL, "org/old", meta={"lastModified": "2020-01-01T00:00:00.000Z"})
    assert ids(searched(home, SearchQuery("org", updated_within_days=30))) == ["org/new"]
    assert ids(searched(home, SearchQuery(author="ORG", updated_within_days=30))) == ["org/new"]


@pytest.mark.parametrize(
    ("repo_id", "count"),
    [
        ("Qwen/Qwen3-30B-A3B", 30e9),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", 56e9),
        ("x/SmolLM2-135M-Instruct", 135e6),
        ("x/gemma-3-27b-it-awq", 27e9),
        ("x/Qwen2.5-0.5B", 5e8),
        ("x/phi-4", None),
        ("x/model-v2.5b2", None),
    ],
)
def test_a_name_may_tell_the_size(repo_id: str, count: float | None) -> None:
    assert named_parameters(repo_id) == count


def test_a_list_of_nonsense_gives_no_rows_and_no_error() -> None:
    row = row_of({"id": 7, "tags": "x", "config": [], "safetensors": 1, "gated": 3, "downloads": "many", "sha": None})
    assert (row.repo_id, row.parameters, row.downloads, row.loadable) == ("", None, 0, False)


# ---- pages -----------------------------------------------------------------------------------------------------------


def test_the_next_page_goes_on_where_this_one_ends(home: Paths, fake_hub: FakeHub) -> None:
    many(fake_hub, 40)
    fake_hub.page_size = 16

    async def pages(user: User) -> list[str]:
        found: list[str] = []
        page = await user.hub.search(SearchQuery("model", sort="downloads"))
        found += ids(page)
        while page.cursor:
            page = await user.hub.search(page.query, page.cursor)
            found += ids(page)
        return found

    assert with_user(home, pages) == [f"org/model-{number:03d}" for number in range(40)]


def test_a_page_that_our_filters_emptied_is_filled_from_the_next(home: Paths, fake_hub: FakeHub) -> None:
    for number in range(30):
        add_published(fake_hub, SMALL, f"org/gguf-{number}", meta=OTHERS["org/gguf"] | {"downloads": 100})
    add_published(fake_hub, SMALL, "org/wanted", meta={"downloads": 1})
    fake_hub.page_size = 10
    assert ids(searched(home, SearchQuery("org", sort="downloads"))) == ["org/wanted"]


# ---- one model by name -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["Qwen/Qwen3-0.6B", "qwen/QWEN3-0.6b", "{url}/Qwen/Qwen3-0.6B/tree/main", "vllm serve Qwen/Qwen3-0.6B"]
)
def test_a_model_that_is_named_is_found_at_once(home: Paths, fake_hub: FakeHub, text: str) -> None:
    repo = add_published(fake_hub, SMALL)
    add_published(fake_hub, SMALL, "other/Qwen3-0.6B-copy")
    page = searched(home, text.format(url=fake_hub.url))
    assert ids(page) == [repo.id]
    assert page.rows[0].weight_bytes == repo.head.files["model.safetensors"].size
    assert "/api/models" not in [request.path for request in fake_hub.log.all()]


def test_a_revision_is_looked_at_where_one_is_named(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    old = repo.head.sha
    repo.tags["v1"] = old
    new = fake_hub.commit(repo.id, {"README.md": "changed"})
    assert searched(home, f"{repo.id}@v1").rows[0].commit == old
    assert searched(home, repo.id).rows[0].commit == new
    with pytest.raises(AppError) as missing:
        searched(home, f"{repo.id}@v9")
    assert missing.value.code == "hub.revision_not_found"


def test_an_id_that_is_none_is_searched_for_and_an_address_that_is_none_is_told(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL, "and/or-more")
    assert ids(searched(home, "and/or")) == ["and/or-more"]
    with pytest.raises(AppError) as missing:
        searched(home, f"{fake_hub.url}/no/such")
    assert (missing.value.code, missing.value.facts["repo"]) == ("hub.not_found", "no/such")
    with pytest.raises(AppError) as elsewhere:
        searched(home, "https://huggingface.co/datasets/org/data")
    assert elsewhere.value.code == "hub.bad_reference"


def test_an_address_of_another_site_names_a_model_only_if_the_hub_has_it(home: Paths, fake_hub: FakeHub) -> None:
    """A mirror's address looks like any other."""
    add_published(fake_hub, SMALL)
    assert ids(searched(home, "https://mirror.example/Qwen/Qwen3-0.6B")) == ["Qwen/Qwen3-0.6B"]
    for text in ("https://github.com/vllm-project/vllm", "https://www.example.com/search?q=model"):
        with pytest.raises(AppError) as elsewhere:
            searched(home, text)
        assert (elsewhere.value.code, elsewhere.value.facts["text"]) == ("hub.bad_reference", text)


def test_the_page_of_an_author_lists_their_models(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    add_published(fake_hub, SMALL, "other/model")
    assert ids(searched(home, "https://huggingface.co/Qwen")) == ["Qwen/Qwen3-0.6B"]


# ---- newer and older answers -----------------------------------------------------------------------------------------


def test_a_new_search_ends_the_one_before(home: Paths, fake_hub: FakeHub) -> None:
    many(fake_hub, 3)
    fake_hub.faults.set("/api/models", Fault(times=1, stall_after=0, stall_s=60))

    async def type_on(user: User) -> None:
        slow = asyncio.create_task(user.hub.search(SearchQuery("mod")))
        await asked(fake_hub)
        began = time.monotonic()
        page = await user.hub.search(SearchQuery("model"))
        assert time.monotonic() - began < 5
        assert len(page.rows) == 3
        with pytest.raises(AppError) as ended:
            await slow
        assert ended.value.code == "hub.superseded"
        await user.badges(*ids(page))

    with_user(home, type_on)


def test_a_search_that_is_cancelled_leaves_nothing_behind(home: Paths, fake_hub: FakeHub) -> None:
    fake_hub.faults.set("/api/models", Fault(times=1, stall_after=0, stall_s=60))

    async def cancel(user: User) -> None:
        slow = asyncio.create_task(user.hub.search(SearchQuery("mod")))
        await asked(fake_hub)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await user.hub.search(SearchQuery("mod"))).rows == ()

    with_user(home, cancel)


def test_typing_back_asks_nothing(home: Paths, fake_hub: FakeHub) -> None:
    many(fake_hub, 2)

    async def twice(user: User) -> None:
        first = await user.hub.search(SearchQuery("model"))
        again = await user.hub.search(SearchQuery("model"))
        assert again.rows == first.rows
        lists = [request for request in fake_hub.log.all() if request.path == "/api/models"]
        assert len(lists) == 1

    with_user(home, twice)


# ---- no answer -------------------------------------------------------------------------------------------------------


def age(paths: Paths, seconds: float) -> None:
    """Everything that is kept was asked for so long ago."""
    then = time.time() - seconds
    for path in (paths.cache / "hub/answers").iterdir():
        os.utime(path, (then, then))


@pytest.mark.parametrize(("status", "code"), [(500, "hub.server_error"), (429, "hub.rate_limited")])
def test_what_was_seen_before_is_shown_when_the_hub_fails(
    home: Paths, fake_hub: FakeHub, status: int, code: str
) -> None:
    many(fake_hub, 2)
    before = searched(home, "model")
    age(home, 3600)
    fake_hub.faults.set("/api/models", Fault(status=status, headers={"Retry-After": "120"}))
    page = searched(home, "model")
    assert ids(page) == ids(before)
    assert page.stale
    assert page.problem is not None
    assert page.problem.code == code
    with pytest.raises(AppError) as failed:
        searched(home, "something else")
    assert failed.value.code == code


def test_offline_what_was_seen_before_is_shown(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    for text in ("qwen", "Qwen/Qwen3-0.6B"):
        searched(home, text)
    age(home, 86400)
    fake_hub.log.clear()
    for text in ("qwen", "Qwen/Qwen3-0.6B"):
        page = searched(home, text, hub_offline=True)
        assert ids(page) == ["Qwen/Qwen3-0.6B"]
        assert page.stale
        assert page.problem is not None
        assert page.problem.code == "hub.offline"
    assert fake_hub.log.all() == []


def test_a_model_that_was_taken_away_is_not_shown_from_memory(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    assert ids(searched(home, f"{fake_hub.url}/Qwen/Qwen3-0.6B")) == ["Qwen/Qwen3-0.6B"]
    del fake_hub.repos["Qwen/Qwen3-0.6B"]
    age(home, 3600)
    with pytest.raises(AppError) as gone:
        searched(home, f"{fake_hub.url}/Qwen/Qwen3-0.6B")
    assert gone.value.code == "hub.not_found"


def test_an_answer_of_another_account_or_mirror_is_not_taken(
    home: Paths, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_published(fake_hub, SMALL, "org/secret", private=True, token="hf_valid")
    monkeypatch.setenv("HF_TOKEN", "hf_valid")
    assert ids(searched(home, "org")) == ["org/secret"]
    monkeypatch.delenv("HF_TOKEN")
    assert ids(searched(home, "org")) == []
    kept = b"".join(path.read_bytes() for path in (home.cache / "hub").rglob("*.json"))
    assert b"hf_valid" not in kept
    with pytest.raises(AppError) as failed:
        searched(home, "org", hub_endpoint="http://127.0.0.1:9", hub_offline=True)
    assert failed.value.code == "hub.offline"


def test_a_mirror_without_search_still_finds_a_model_by_its_name(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    fake_hub.faults.set("/api/models", Fault(status=401))
    with pytest.raises(AppError) as failed:
        searched(home, "qwen")
    assert failed.value.code == "hub.refused"
    assert ids(searched(home, "Qwen/Qwen3-0.6B")) == ["Qwen/Qwen3-0.6B"]


def test_a_cache_that_cannot_be_written_costs_only_requests(home: Paths, fake_hub: FakeHub) -> None:
    many(fake_hub, 1)
    home.cache.mkdir(parents=True)
    (home.cache / "hub").write_text("a file where the folder should be")
    assert ids(searched(home, "model")) == ["org/model-000"]
    assert Path(home.cache / "hub").is_file()
