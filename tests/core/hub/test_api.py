"""The JSON API over real HTTP: what is asked, what comes back, and every way of failing."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from core.errors import AppError
from core.hub.api import HubApi
from core.hub.connection import Connection
from core.hub.model import RepoRef
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.support.hub_models import add_published, holed

SMALL = "Qwen__Qwen3-0.6B"
REF = RepoRef("Qwen/Qwen3-0.6B")


def asked(hub: FakeHub, ask: Callable[[HubApi], Awaitable[Any]], *, token: str = "", offline: bool = False) -> Any:
    async def run() -> Any:
        api = HubApi(Connection(hub.url, token, offline=offline))
        try:
            return await ask(api)
        finally:
            await api.close()

    return asyncio.run(run())


def failure(
    hub: FakeHub, ask: Callable[[HubApi], Awaitable[Any]], *, token: str = "", offline: bool = False
) -> AppError:
    with pytest.raises(AppError) as failed:
        asked(hub, ask, token=token, offline=offline)
    return failed.value


def test_a_model_with_the_sizes_of_its_files_and_its_tree(fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL, xet={"model.safetensors": "ab" * 32})
    info = asked(fake_hub, lambda api: api.info(REF))
    assert (info["id"], info["sha"]) == (repo.id, repo.head.sha)
    files = {file.path: file for file in asked(fake_hub, lambda api: api.tree(RepoRef(repo.id, repo.head.sha)))}
    weights = files["model.safetensors"]
    assert weights.size == repo.head.files["model.safetensors"].size
    assert weights.etag == weights.sha256 == repo.head.files["model.safetensors"].sha256
    assert weights.xet_hash == "ab" * 32
    assert files["config.json"].etag == repo.head.files["config.json"].git_sha1


def test_lists_go_on_by_the_link_of_the_answer(fake_hub: FakeHub) -> None:
    for number in range(5):
        add_published(fake_hub, SMALL, f"org/model-{number}")

    async def all_pages(api: HubApi) -> list[str]:
        page = await api.models((("search", "model"), ("limit", "2")))
        found = [item["id"] for item in page.items]
        while page.next_url:
            page = await api.next_page(page.next_url)
            found += [item["id"] for item in page.items]
        return found

    assert sorted(asked(fake_hub, all_pages)) == [f"org/model-{number}" for number in range(5)]
    assert len(fake_hub.log.all()) == 3


def test_a_next_page_elsewhere_is_not_followed(fake_hub: FakeHub) -> None:
    error = failure(fake_hub, lambda api: api.next_page("http://evil.invalid/api/models"), token="hf_valid")
    assert error.code == "hub.not_a_hub"
    assert fake_hub.log.all() == []


def test_a_long_header_takes_a_second_read_and_no_weights(fake_hub: FakeHub) -> None:
    tensors = {f"model.layers.{number}.mlp.experts.weight": ("BF16", (1024, 1024)) for number in range(2000)}
    repo = fake_hub.add("org/long", {"model.safetensors": holed(tensors)})
    ref = RepoRef(repo.id, repo.head.sha)
    assert set(asked(fake_hub, lambda api: api.header(ref, "model.safetensors"))) == set(tensors)
    sent = [request.sent for request in fake_hub.log.all() if request.status == 206]
    assert len(sent) == 2
    assert sum(sent) < 300_000 < repo.head.files["model.safetensors"].size


def test_a_server_without_ranges_is_cut_off_in_time(fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    fake_hub.faults.set(f"{repo.id}/model.safetensors", Fault(ignore_range=True))
    header = asked(fake_hub, lambda api: api.header(RepoRef(repo.id, repo.head.sha), "model.safetensors"))
    assert len(header) == 1
    assert sum(request.sent for request in fake_hub.log.all()) < 100 << 20


def test_a_file_that_is_no_safetensors_is_told(fake_hub: FakeHub) -> None:
    fake_hub.add("org/lfs", {"model.safetensors": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"})
    error = failure(fake_hub, lambda api: api.header(RepoRef("org/lfs"), "model.safetensors"))
    assert (error.code, error.facts["file"]) == ("model.broken_file", "model.safetensors")


def test_another_spelling_and_an_old_name_lead_to_the_model(fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    assert asked(fake_hub, lambda api: api.info(RepoRef("qwen/qwen3-0.6b")))["id"] == REF.repo_id
    fake_hub.rename(REF.repo_id, "Qwen/Renamed")
    assert asked(fake_hub, lambda api: api.info(REF))["id"] == "Qwen/Renamed"


# ---- failures ------------------------------------------------------------------------------------------------------


def test_what_is_not_there_is_told_by_kind(fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    missing = failure(fake_hub, lambda api: api.info(RepoRef("no/such")))
    assert (missing.code, missing.facts["repo"]) == ("hub.not_found", "no/such")
    signed_in = failure(fake_hub, lambda api: api.info(RepoRef("no/such")), token="hf_valid")
    assert signed_in.code == "hub.not_found"
    revision = failure(fake_hub, lambda api: api.info(RepoRef(repo.id, "v9")))
    assert (revision.code, revision.facts["revision"]) == ("hub.revision_not_found", "v9")
    file = failure(fake_hub, lambda api: api.text(RepoRef(repo.id), "nothing.json"))
    assert (file.code, file.facts["file"]) == ("hub.file_not_found", "nothing.json")


def test_a_gated_model_tells_who_is_not_let_in_and_where_to_ask(fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL, gated="manual", token="hf_owner")
    nobody = failure(fake_hub, lambda api: api.text(REF, "config.json"))
    assert nobody.code == "hub.gated_no_token"
    somebody = failure(fake_hub, lambda api: api.text(REF, "config.json"), token="hf_valid")
    assert somebody.code == "hub.gated_not_accepted"
    assert somebody.facts["url"] == f"{fake_hub.url}/{REF.repo_id}"
    assert asked(fake_hub, lambda api: api.info(REF))["gated"] == "manual"
    assert asked(fake_hub, lambda api: api.text(REF, "config.json"), token="hf_owner").startswith(b"{")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7), ({"RateLimit": '"api";r=0;t=55'}, 55), ({}, 60)],
)
def test_a_limit_says_how_long_to_wait(fake_hub: FakeHub, headers: dict[str, str], seconds: int) -> None:
    fake_hub.faults.set("/api/models", Fault(status=429, headers=headers))
    error = failure(fake_hub, lambda api: api.models(()))
    assert (error.code, error.facts["seconds"]) == ("hub.rate_limited", seconds)
    assert len(fake_hub.log.all()) == 1


def test_a_limit_may_name_the_hour(fake_hub: FakeHub) -> None:
    later = email.utils.formatdate(time.time() + 90, usegmt=True)
    fake_hub.faults.set("/api/models", Fault(status=429, headers={"Retry-After": later}))
    seconds = failure(fake_hub, lambda api: api.models(())).facts["seconds"]
    assert isinstance(seconds, int)
    assert 85 <= seconds <= 90


def test_a_server_that_stumbles_once_is_asked_again_and_one_that_is_down_is_told(fake_hub: FakeHub) -> None:
    fake_hub.faults.set("/api/models", Fault(times=1, status=503))
    assert asked(fake_hub, lambda api: api.models(())).items == ()
    fake_hub.faults.set("/api/models", Fault(status=500))
    error = failure(fake_hub, lambda api: api.models(()))
    assert (error.code, error.facts["status"]) == ("hub.server_error", 500)


def test_a_token_that_is_not_known_is_told_and_no_token_is_no_bad_token(fake_hub: FakeHub) -> None:
    assert failure(fake_hub, lambda api: api.whoami(), token="hf_wrong").code == "hub.bad_token"
    fake_hub.faults.set("/api/models", Fault(status=401))
    # A mirror without search.
    error = failure(fake_hub, lambda api: api.models(()))
    assert (error.code, error.facts["status"]) == ("hub.refused", 401)


def test_a_place_that_is_no_hub_is_told(fake_hub: FakeHub) -> None:
    fake_hub.add("org/page", {"config.json": "{}"})

    async def html(api: HubApi) -> Any:
        api.connection = Connection(f"{fake_hub.url}/org/page/resolve/main/config.json?")
        return await api.models(())

    assert failure(fake_hub, html).code == "hub.not_a_hub"


def test_offline_nothing_is_sent(fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    assert failure(fake_hub, lambda api: api.info(REF), offline=True).code == "hub.offline"
    assert failure(fake_hub, lambda api: api.text(REF, "config.json"), offline=True).code == "hub.offline"
    assert fake_hub.log.all() == []


def test_no_failure_shows_the_token(fake_hub: FakeHub) -> None:
    token = "hf_abcdefghijklmnopqrstuvwx"
    for ask in (lambda api: api.whoami(), lambda api: api.info(RepoRef("no/such"))):
        error = failure(fake_hub, ask, token=token)
        assert token not in json.dumps([str(error), repr(error), error.detail, error.facts])
