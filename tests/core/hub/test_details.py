"""Everything about one model: files, card, revisions, relatives, its own code, the engine."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from core.checkpoint.remote_code import remote_code
from core.errors import AppError
from core.events import EngineInfo
from core.hub.consents import Consents
from core.hub.details import without_head
from core.hub.model import Fit, RepoDetails, RepoRef, Sibling
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.support.hub_models import add_published, files_of, holed
from tests.support.hub_verbs import User, hub_user

T = TypeVar("T")
SMALL, MIDDLE, AWQ = "Qwen__Qwen3-0.6B", "Qwen__Qwen3-8B", "Qwen__Qwen2.5-7B-Instruct-AWQ"
PLAIN = "Qwen__Qwen2.5-7B-Instruct"


def with_user(paths: Paths, act: Callable[[User], Awaitable[T]], **settings: Any) -> T:
    async def run() -> T:
        async with hub_user(paths, **settings) as user:
            return await act(user)

    return asyncio.run(run())


def details(paths: Paths, repo: str, revision: str = "", **settings: Any) -> RepoDetails:
    return with_user(paths, lambda user: user.hub.details(RepoRef(repo, revision)), **settings)


def fit_of(found: RepoDetails) -> Fit:
    assert found.row.badge is not None
    return found.row.badge.fit


# ---- one model -------------------------------------------------------------------------------------------------------


def test_files_are_told_apart_by_whether_vllm_loads_them(home: Paths, fake_hub: FakeHub) -> None:
    other = {"original/consolidated.00.pth": b"p" * 5000, "onnx/model.onnx": b"o" * 700, "plot.png": b"i" * 90}
    files = files_of(SMALL, shards=2)
    repo = fake_hub.add("org/model", files | other, xet={"model-00001-of-00002.safetensors": "cd" * 32})
    found = details(home, repo.id)
    assert {file.path for file in found.files} == {*files, *other}
    assert set(found.needed) == set(files)
    assert found.other_bytes == 5790
    assert found.needed_bytes == found.row.download_bytes
    assert {file.xet_hash for file in found.files} == {"", "cd" * 32}


def test_the_fit_comes_with_its_whole_plan(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, MIDDLE)
    found = details(home, repo.id)
    badge = found.row.badge
    assert badge is not None
    assert badge.plan is not None
    assert badge.offload_bytes == badge.plan.offload.offloaded_bytes > 0
    assert found.row.commit == repo.head.sha


def test_revisions_are_listed_and_can_be_looked_at(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, MIDDLE)
    old = repo.head.sha
    repo.tags["v1"] = old
    fake_hub.commit(repo.id, files_of(SMALL))
    repo.branches["dev"] = old
    newest, tagged = details(home, repo.id), details(home, repo.id, "v1")
    assert (newest.branches, newest.tags) == (("main", "dev"), ("v1",))
    assert (newest.row.commit, fit_of(newest)) == (repo.head.sha, Fit.FITS)
    assert (tagged.row.commit, fit_of(tagged)) == (old, Fit.OFFLOAD)


@pytest.mark.parametrize(
    ("card", "shown"),
    [
        ("---\nlicense: mit\ntags:\n- a\n---\n# Title\n", "# Title\n"),
        ("\ufeff---\r\nlicense: mit\r\n---\r\n\r\nText", "Text"),
        ("# Title\n\n---\n\nText", "# Title\n\n---\n\nText"),
        ("---\nno end", "---\nno end"),
        ("---\na: b\n---", ""),
        ("", ""),
    ],
)
def test_a_card_loses_its_head_and_nothing_else(card: str, shown: str) -> None:
    assert without_head(card) == shown


def test_an_old_name_is_followed_and_told_and_another_spelling_is_not_news(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    spelled = details(home, "qwen/qwen3-0.6b")
    assert (spelled.row.repo_id, spelled.renamed_from) == ("Qwen/Qwen3-0.6B", "")
    fake_hub.rename("Qwen/Qwen3-0.6B", "Qwen/New")
    found = details(home, "Qwen/Qwen3-0.6B")
    assert (found.row.repo_id, found.renamed_from) == ("Qwen/New", "Qwen/Qwen3-0.6B")
    assert found.card.startswith("# ")


def test_what_is_missing_beside_the_model_costs_that_alone(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    fake_hub.faults.set(f"{repo.id}/README.md", Fault(status=500))
    fake_hub.faults.set(f"/api/models/{repo.id}/refs", Fault(status=500))
    fake_hub.faults.set(f"/api/models/{repo.id}/tree/{repo.head.sha}", Fault(status=500))
    fake_hub.faults.set("/api/models", Fault(status=500))
    found = details(home, repo.id)
    assert (found.card, found.branches, found.siblings) == ("", (), ())
    assert (fit_of(found), found.needed_bytes) == (Fit.FITS, found.row.download_bytes)


def test_a_gated_model_shows_its_files_and_a_coarse_fit(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL, gated="manual", token="hf_owner")
    found = details(home, "Qwen/Qwen3-0.6B")
    assert found.row.gated == "manual"
    assert found.row.badge is not None
    assert (found.row.badge.exact, found.row.badge.reason) == (False, "gated")
    assert found.needed_bytes > 1_000_000_000


def test_what_is_not_there_is_told(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    for repo, revision, code in (("no/such", "", "hub.not_found"), ("Qwen/Qwen3-0.6B", "v9", "hub.revision_not_found")):
        with pytest.raises(AppError) as missing:
            details(home, repo, revision)
        assert missing.value.code == code


def age(paths: Paths, seconds: float) -> None:
    then = time.time() - seconds
    for path in (paths.cache / "hub/answers").iterdir():
        os.utime(path, (then, then))


def test_offline_all_that_was_seen_is_there(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, MIDDLE)
    before = details(home, repo.id)
    age(home, 86400)
    fake_hub.log.clear()
    after = details(home, repo.id, hub_offline=True)
    assert after.problem is not None
    assert after.problem.code == "hub.offline"
    assert before.problem is None
    for part in ("files", "needed", "branches", "card"):
        assert getattr(after, part) == getattr(before, part)
    assert (fit_of(after), after.row.weight_bytes) == (fit_of(before), before.row.weight_bytes)
    assert fake_hub.log.all() == []
    with pytest.raises(AppError) as unseen:
        details(home, "Qwen/other", hub_offline=True)
    assert unseen.value.code == "hub.offline"


# ---- relatives -------------------------------------------------------------------------------------------------------


def quantized_of(base: str) -> tuple[str, ...]:
    return (f"base_model:{base}", f"base_model:quantized:{base}")


def add_family(hub: FakeHub) -> str:
    base = add_published(hub, PLAIN, "Qwen/Base").id
    tags = quantized_of(base)
    add_published(hub, AWQ, "Qwen/Base-AWQ", tags=tags, meta={"downloads": 50})
    add_published(hub, AWQ, "other/Base-AWQ-too", tags=tags, meta={"downloads": 30})
    add_published(hub, AWQ, "third/Base-AWQ-again", tags=tags, meta={"downloads": 20})
    gguf = {"tags": ["gguf", *tags], "library_name": "gguf", "downloads": 900}
    hub.add("other/Base-GGUF", {"model.gguf": b"GGUF"}, meta=gguf)
    return base


def seen(siblings: tuple[Sibling, ...]) -> dict[str, str]:
    return {sibling.row.repo_id: sibling.relation for sibling in siblings}


def test_a_base_model_lists_its_quantizations_with_their_own_fit(home: Paths, fake_hub: FakeHub) -> None:
    """BF16 needs a part in RAM, AWQ fits fully."""
    base = add_family(fake_hub)

    async def look(user: User) -> None:
        found = await user.hub.details(RepoRef(base))
        assert fit_of(found) is Fit.OFFLOAD
        assert seen(found.siblings) == {"Qwen/Base-AWQ": "quantized", "other/Base-AWQ-too": "quantized"}
        rows = await user.badges("Qwen/Base-AWQ")
        awq = rows["Qwen/Base-AWQ"]
        assert awq.badge is not None
        assert awq.badge.fit is Fit.FITS
        assert awq.weight_bytes is not None
        assert 5.4e9 < awq.weight_bytes < 5.7e9

    with_user(home, look)


def test_a_quantization_lists_its_base_and_the_others(home: Paths, fake_hub: FakeHub) -> None:
    add_family(fake_hub)
    found = details(home, "Qwen/Base-AWQ")
    assert seen(found.siblings) == {
        "Qwen/Base": "base",
        "other/Base-AWQ-too": "same_base",
        "third/Base-AWQ-again": "same_base",
    }


def test_a_base_that_is_gone_costs_nothing_else(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, AWQ, "Qwen/Base-AWQ", tags=quantized_of("gone/Base"))
    assert details(home, "Qwen/Base-AWQ").siblings == ()


# ---- its own code and the engine -------------------------------------------------------------------------------------

CUSTOM: dict[str, Any] = {
    "auto_map": {"AutoConfig": "configuration_own.OwnConfig", "AutoModelForCausalLM": "modeling_own.OwnModel"}
}


def test_code_is_named_where_nothing_else_can_load_the_model(home: Paths, fake_hub: FakeHub) -> None:
    code: dict[str, Any] = {"modeling_own.py": "import os", "configuration_own.py": "", "layers.py": "", "x/y.py": ""}
    own = files_of(SMALL, architectures=["OwnForCausalLM"], model_type="own", **CUSTOM)
    fake_hub.add("org/own", own | code)
    fake_hub.add("org/known", files_of(SMALL, **CUSTOM) | code)
    found = details(home, "org/own")
    assert found.remote_code == ("configuration_own.py", "layers.py", "modeling_own.py")
    assert not found.remote_code_allowed
    assert details(home, "org/known").remote_code == ()


def test_a_tokenizer_of_its_own_counts_even_for_a_known_architecture() -> None:
    tokenizer = {"auto_map": {"AutoTokenizer": ["tokenization_own.OwnTokenizer", None]}}
    assert remote_code(["tokenization_own.py"], CUSTOM, tokenizer, known=True) == ("tokenization_own.py",)
    assert remote_code([], {"auto_map": {"AutoModel": "org/code--modeling_x.M"}}, known=False) == (
        "org/code--modeling_x.py",
    )
    assert remote_code(["a.py"], {"auto_map": 7}, None, known=False) == ()


def test_consent_is_for_one_commit_and_reaches_the_launch(home: Paths, fake_hub: FakeHub, hf_home: Path) -> None:
    repo = fake_hub.add(
        "org/own", files_of(SMALL, architectures=["OwnForCausalLM"], **CUSTOM) | {"modeling_own.py": ""}
    )
    commit = repo.head.sha
    snapshot = hf_home / "hub/models--org--own/snapshots"

    async def consent(user: User) -> None:
        assert await user.hub.launch_arguments(str(snapshot / commit)) == ()
        with pytest.raises(AppError) as refused:
            await user.hub.allow_code("org/own", "main", True)
        assert refused.value.code == "hub.bad_reference"
        await user.hub.allow_code("org/own", commit, True)
        assert (await user.hub.details(RepoRef("org/own"))).remote_code_allowed
        assert await user.hub.launch_arguments(str(snapshot / commit)) == ("--trust-remote-code",)
        assert await user.hub.launch_arguments(str(snapshot / ("0" * 40))) == ()
        assert await user.hub.launch_arguments(f"/elsewhere/{commit}") == ()

    async def withdraw(user: User) -> None:
        assert await user.hub.launch_arguments(str(snapshot / commit)) == ("--trust-remote-code",)
        await user.hub.allow_code("org/own", commit, False)
        assert await user.hub.launch_arguments(str(snapshot / commit)) == ()

    with_user(home, consent)
    changed = fake_hub.commit("org/own", {"modeling_own.py": "import os"})
    assert changed != commit
    age(home, 3600)
    assert not details(home, "org/own").remote_code_allowed
    with_user(home, withdraw)


def test_a_damaged_list_of_consents_allows_nothing(tmp_path: Path) -> None:
    consents = Consents(tmp_path)
    consents.change("org/own", "a" * 40, allowed=True)
    assert consents.allows("org/own", "a" * 40)
    (tmp_path / "remote_code.json").write_text('{"org/own": true}')
    assert not consents.allows("org/own", "a" * 40)


def test_an_architecture_that_the_engine_does_not_name_is_told(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    asked: list[str] = []

    def registry(*names: str) -> Callable[[EngineInfo], Awaitable[frozenset[str]]]:
        async def tell(engine: EngineInfo) -> frozenset[str]:
            asked.append(engine.id)
            return frozenset(names)

        return tell

    async def look(*names: str) -> RepoDetails:
        async with hub_user(home, registry=registry(*names)) as user:
            return await user.hub.details(RepoRef("Qwen/Qwen3-0.6B"))

    refused = asyncio.run(look("LlamaForCausalLM")).refused_by_engine
    assert refused is not None
    assert (refused.code, refused.facts["architecture"]) == ("hub.architecture_unknown", "Qwen3ForCausalLM")
    assert asyncio.run(look("Qwen3ForCausalLM")).refused_by_engine is None
    assert asked == ["cuda-0.33.0"] * 2


def test_oddities_of_the_files_are_named(home: Paths, fake_hub: FakeHub) -> None:
    twice: dict[str, Any] = files_of(SMALL, shards=2) | {"consolidated.safetensors": holed({"a": ("BF16", (8,))})}
    fake_hub.add("org/twice", twice | {"params.json": "{}"})
    fake_hub.add("org/stray", files_of(SMALL, shards=2) | {"model.safetensors": holed({"a": ("BF16", (8,))})})
    old: dict[str, Any] = files_of(SMALL)
    old["pytorch_model.bin"] = old.pop("model.safetensors")
    fake_hub.add("org/old", old)
    assert details(home, "org/twice").warnings == ("twice",)
    assert details(home, "org/stray").warnings == ("stray",)
    assert details(home, "org/old").warnings == ("pickled",)
    assert json.loads(old["config.json"])["model_type"] == "qwen3"
    bare = files_of(SMALL)
    fake_hub.add("org/mute", {name: file for name, file in bare.items() if not name.startswith("tokenizer")})
    assert details(home, "org/mute").warnings == ("no_tokenizer",)
    assert details(home, "org/mute").loadable


def test_a_repository_with_nothing_for_vllm_is_named_before_it_is_got(home: Paths, fake_hub: FakeHub) -> None:
    config = files_of(SMALL)["config.json"]
    fake_hub.add("org/packed", {"a.Q4_K_M.gguf": b"GGUF"})
    fake_hub.add("org/onnx", {"config.json": config, "model.onnx": b"x"})
    fake_hub.add("org/empty", {"README.md": "# nothing"})
    for name, warning in (("packed", "only_gguf"), ("onnx", "no_weights"), ("empty", "no_weights")):
        found = details(home, f"org/{name}")
        assert found.warnings == (warning,)
        assert not found.loadable
