"""Fit badges: the planner's own answer from configs and headers alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from core.checkpoint.load import load_checkpoint
from core.hub.badge_store import BadgeStore
from core.hub.footing import footing_of
from core.hub.ground import Ground
from core.hub.kept import Kept
from core.hub.model import Fit, FitBadge, RepoRow, SearchQuery
from core.machine.model import Machine
from core.paths import Paths
from core.planner.amounts import Verdict
from core.planner.options import Engine
from core.planning.best_choices import best_choices
from core.planning.launch_plan import plan_launch
from core.settings import Settings
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_content import Content
from tests.fakes.hub_faults import Fault
from tests.support import machines
from tests.support.hub_models import add_published, files_of, holed, write_files
from tests.support.hub_verbs import CUDA, FixedGrounds, User, hub_user

T = TypeVar("T")
SMALL, MIDDLE, AWQ = "Qwen__Qwen3-0.6B", "Qwen__Qwen3-8B", "Qwen__Qwen2.5-7B-Instruct-AWQ"
PUBLISHED = [SMALL, MIDDLE, AWQ, "Qwen__Qwen3-30B-A3B-FP8", "openai__gpt-oss-20b", "google__gemma-3n-E4B-it"]


def with_user(
    paths: Paths, act: Callable[[User], Awaitable[T]], grounds: FixedGrounds | None = None, **settings: Any
) -> T:
    async def run() -> T:
        async with hub_user(paths, grounds, **settings) as user:
            return await act(user)

    return asyncio.run(run())


def filled(paths: Paths, *repo_ids: str, text: str = "", grounds: FixedGrounds | None = None, **settings: Any) -> Any:
    """The rows of a search, once all of them have their badges."""

    async def search(user: User) -> dict[str, RepoRow]:
        await user.hub.search(SearchQuery(text, loadable_only=False))
        return await user.badges(*repo_ids)

    return with_user(paths, search, grounds, **settings)


def badge_in(rows: dict[str, RepoRow], repo_id: str) -> FitBadge:
    badge = rows[repo_id].badge
    assert badge is not None
    return badge


def file_requests(hub: FakeHub) -> list[str]:
    return [request.path for request in hub.log.all() if request.path != "/api/models"]


# ---- the answer ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [machines.idle_desktop(), machines.desktop(), machines.two_cards()])
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_badge_is_the_plan_of_the_downloaded_model(
    home: Paths, fake_hub: FakeHub, tmp_path: Path, name: str, sample: Any
) -> None:
    """The same files on this disk, read and planned as the Launch page does."""
    repo = add_published(fake_hub, name, shards=3)
    grounds = FixedGrounds(sample)
    row = filled(home, repo.id, grounds=grounds)[repo.id]
    badge = row.badge
    folder = write_files(files_of(name, shards=3), tmp_path / "local")
    local = load_checkpoint(folder)
    ground = Ground(sample.machine, CUDA, grounds.engine)
    choices, _ = best_choices(ground.basis(local), Settings())
    plan = plan_launch(ground.basis(local), choices)
    fits = {Verdict.FITS: Fit.FITS, Verdict.TIGHT: Fit.TIGHT, Verdict.NO: Fit.NO, Verdict.UNKNOWN: Fit.UNKNOWN}
    assert badge.fit is (Fit.OFFLOAD if choices.offload_gib else fits[plan.verdict])
    assert badge.exact
    assert badge.offload_bytes == (plan.offload.offloaded_bytes if choices.offload_gib else 0)
    assert badge.context_tokens == plan.resolved.context
    if badge.fit is not Fit.NO:
        assert badge.tokens_per_s == ((plan.speed.low, plan.speed.high) if plan.speed else None)
    weights = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    assert row.weight_bytes == weights
    assert row.architecture == local.config.architecture
    assert row.context_tokens == local.context.tokens
    assert row.quantization == local.quantization.method


def test_a_quantized_model_counts_its_parameters_and_not_its_packed_elements(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, AWQ)
    row = filled(home, repo.id)[repo.id]
    assert abs(row.parameters / 7.6156e9 - 1) < 0.001
    assert row.weight_bytes == repo.head.files["model.safetensors"].size


def test_no_weights_are_fetched_for_a_badge(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, MIDDLE, shards=4)
    filled(home, repo.id)
    weights = sum(found.size for path, found in repo.head.files.items() if path.endswith(".safetensors"))
    assert sum(request.sent for request in fake_hub.log.all()) < 500_000 < weights
    bodies = [request for request in fake_hub.log.all() if request.status == 206]
    assert bodies
    assert all(request.range.startswith("bytes=0-") for request in bodies)


def test_three_kinds_of_fit_on_one_card(home: Paths, fake_hub: FakeHub) -> None:
    """10.6 GiB are free: 5.6 GB of AWQ fit, 16 GB of BF16 do with a part in RAM, 65 GB do not."""
    names = {AWQ: Fit.FITS, MIDDLE: Fit.OFFLOAD, "Qwen__Qwen3-32B": Fit.NO}
    repos = {add_published(fake_hub, name).id: fit for name, fit in names.items()}
    rows = filled(home, *repos)
    assert {repo_id: badge_in(rows, repo_id).fit for repo_id in repos} == repos
    moved = badge_in(rows, "Qwen/Qwen3-8B")
    assert 5 << 30 < moved.offload_bytes < 10 << 30
    lacking = badge_in(rows, "Qwen/Qwen3-32B")
    assert lacking.short_tier in ("vram", "ram")
    assert lacking.short_bytes > 10 << 30
    assert all(row.badge is not None and row.badge.plan is None for row in rows.values())


def test_the_context_is_of_use_and_never_beyond_the_model(home: Paths, fake_hub: FakeHub) -> None:
    """A limit of a million tokens makes no model too big; 2048 stay 2048."""
    fake_hub.add("org/long", files_of(SMALL, max_position_embeddings=1_048_576))
    fake_hub.add("org/short", files_of(SMALL, max_position_embeddings=2048))
    rows = filled(home, "org/long", "org/short")
    assert (badge_in(rows, "org/long").fit, badge_in(rows, "org/long").context_tokens) == (Fit.FITS, 8192)
    assert badge_in(rows, "org/short").context_tokens == 2048
    wanted = filled(home, "org/long", context_tokens=32768)
    assert badge_in(wanted, "org/long").context_tokens == 32768


def test_on_a_processor_ram_decides_and_the_kv_cache_gets_the_room_it_needs(home: Paths, fake_hub: FakeHub) -> None:
    """16k tokens of the 8B take more KV cache than the one GiB that is set."""
    repos = [add_published(fake_hub, name).id for name in (SMALL, MIDDLE, "Qwen__Qwen3-32B")]
    grounds = FixedGrounds(machines.sample(ram=(64.0, 52.0)), None, Engine((0, 32, 0), "cpu"))
    rows = filled(home, *repos, grounds=grounds, context_tokens=16384)
    badges = [badge_in(rows, repo_id) for repo_id in repos]
    assert [badge.fit for badge in badges] == [Fit.FITS, Fit.FITS, Fit.NO]
    assert (badges[2].short_tier, badges[2].offload_bytes) == ("ram", 0)


# ---- when it cannot be told ------------------------------------------------------------------------------------------


KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "org/gguf": ({"model-Q4_K_M.gguf": b"GGUF"}, "gguf"),
    "org/adapter": ({"adapter_config.json": "{}", "adapter_model.safetensors": b"x"}, "adapter"),
    "org/nothing": ({"README.md": "soon"}, "no_weights"),
    "org/broken": ({"config.json": "{", "model.safetensors": b"x"}, "broken"),
    "org/pointer": (
        {"config.json": "{}", "model.safetensors": b"version https://git-lfs.github.com/spec/v1"},
        "broken",
    ),
}


def test_what_is_no_checkpoint_says_what_it_is(home: Paths, fake_hub: FakeHub) -> None:
    for repo_id, (files, _) in KINDS.items():
        fake_hub.add(repo_id, files)
    rows = filled(home, *KINDS)
    for repo_id, (_, reason) in KINDS.items():
        badge = badge_in(rows, repo_id)
        assert (badge.fit, badge.exact, badge.reason) == (Fit.UNKNOWN, False, reason), repo_id


def test_a_model_without_a_config_is_judged_by_its_size(home: Paths, fake_hub: FakeHub) -> None:
    fake_hub.add("org/mistral", {"params.json": "{}", "consolidated.safetensors": holed({"a": ("BF16", (1 << 30,))})})
    badge = badge_in(filled(home, "org/mistral"), "org/mistral")
    assert (badge.fit, badge.exact, badge.reason) == (Fit.FITS, False, "no_config")


def test_weights_that_the_index_does_not_name_count_for_nothing(home: Paths, fake_hub: FakeHub) -> None:
    files = files_of(SMALL, shards=2)
    named = sum(found.size for found in files.values() if isinstance(found, Content))
    stray = {"model.safetensors": holed({"model.layers.0.weight": ("BF16", (20 << 30,))})}
    fake_hub.add("org/stray", files | stray)
    row = filled(home, "org/stray")["org/stray"]
    assert row.weight_bytes == named
    assert badge_in({"org/stray": row}, "org/stray").fit is Fit.FITS


def test_a_missing_shard_is_told(home: Paths, fake_hub: FakeHub) -> None:
    files = files_of(SMALL, shards=3)
    del files["model-00002-of-00003.safetensors"]
    fake_hub.add("org/hole", files)
    badge = badge_in(filled(home, "org/hole"), "org/hole")
    assert (badge.fit, badge.reason) == (Fit.UNKNOWN, "missing_files")


def test_a_gated_model_has_a_coarse_badge_where_its_size_is_clear(home: Paths, fake_hub: FakeHub) -> None:
    for name, repo_id in ((SMALL, "org/small"), (MIDDLE, "org/middle"), ("Qwen__Qwen2.5-72B-Instruct", "org/large")):
        add_published(fake_hub, name, repo_id, gated="manual", token="hf_owner")
    rows = filled(home, "org/small", "org/middle", "org/large")
    badges = {repo_id: badge_in(rows, repo_id) for repo_id in rows}
    assert {repo_id: badge.fit for repo_id, badge in badges.items()} == {
        "org/small": Fit.FITS,
        "org/middle": Fit.UNKNOWN,
        "org/large": Fit.NO,
    }
    assert all(not badge.exact and badge.reason == "gated" for badge in badges.values())
    assert rows["org/small"].weight_bytes == fake_hub.repos["org/small"].head.files["model.safetensors"].size


def test_after_the_licence_is_accepted_the_badge_is_exact(
    home: Paths, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = add_published(fake_hub, MIDDLE, gated="manual", token="hf_valid")
    assert not badge_in(filled(home, repo.id), repo.id).exact
    monkeypatch.setenv("HF_TOKEN", "hf_valid")
    badge = badge_in(filled(home, repo.id), repo.id)
    assert (badge.fit, badge.exact) == (Fit.OFFLOAD, True)


def test_old_weights_without_headers_are_planned_from_the_config(home: Paths, fake_hub: FakeHub) -> None:
    files: dict[str, Any] = files_of(SMALL)
    files["pytorch_model.bin"] = files.pop("model.safetensors")
    fake_hub.add("org/old", files)
    badge = badge_in(filled(home, "org/old"), "org/old")
    assert (badge.fit, badge.exact, badge.reason) == (Fit.FITS, False, "no_headers")


def test_no_card_and_a_card_that_tells_nothing_are_said(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    without = badge_in(filled(home, repo.id, grounds=FixedGrounds(machines.no_gpu())), repo.id)
    assert (without.fit, without.reason) == (Fit.UNKNOWN, "no_card")
    asleep = badge_in(filled(home, repo.id, grounds=FixedGrounds(machines.sample(machines.card(total=0)))), repo.id)
    assert (asleep.fit, asleep.reason) == (Fit.UNKNOWN, "no_figures")


def test_one_model_that_fails_costs_no_other_its_badge(home: Paths, fake_hub: FakeHub) -> None:
    good, bad = add_published(fake_hub, SMALL), add_published(fake_hub, MIDDLE)
    fake_hub.faults.set(f"/api/models/{bad.id}/revision/{bad.head.sha}", Fault(status=500))
    rows = filled(home, good.id, bad.id)
    assert badge_in(rows, good.id).fit is Fit.FITS
    assert (badge_in(rows, bad.id).fit, badge_in(rows, bad.id).reason) == (Fit.UNKNOWN, "unreachable")


def test_a_limit_is_waited_for_by_all(home: Paths, fake_hub: FakeHub) -> None:
    repos = [add_published(fake_hub, SMALL, f"org/model-{number}") for number in range(6)]
    for repo in repos[:2]:
        fault = Fault(times=1, status=429, headers={"Retry-After": "1"})
        fake_hub.faults.set(f"/api/models/{repo.id}/revision/{repo.head.sha}", fault)
    rows = filled(home, *(repo.id for repo in repos))
    assert {badge_in(rows, repo.id).fit for repo in repos} == {Fit.FITS}


# ---- kept ------------------------------------------------------------------------------------------------------------


def test_what_was_looked_at_is_not_asked_again_even_offline(home: Paths, fake_hub: FakeHub) -> None:
    repo, unseen = add_published(fake_hub, MIDDLE, shards=2), add_published(fake_hub, SMALL)
    fake_hub.faults.set(f"/api/models/{unseen.id}/revision/{unseen.head.sha}", Fault(status=500))
    before = filled(home, repo.id, unseen.id)[repo.id]
    fake_hub.log.clear()
    offline = filled(home, repo.id, unseen.id, hub_offline=True)
    assert offline[repo.id] == before
    assert badge_in(offline, unseen.id).reason == "offline"
    assert fake_hub.log.all() == []


def test_a_new_commit_is_looked_at_anew(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, SMALL)
    filled(home, repo.id)
    fake_hub.commit(repo.id, files_of(MIDDLE))
    fake_hub.log.clear()
    row = filled(home, repo.id, text=repo.id)[repo.id]
    assert (row.commit, badge_in({repo.id: row}, repo.id).fit) == (repo.head.sha, Fit.OFFLOAD)
    assert any(request.status == 206 for request in fake_hub.log.all())


def test_on_a_computer_that_changed_a_lot_the_answer_is_another_and_asks_nothing(
    home: Paths, fake_hub: FakeHub
) -> None:
    repo = add_published(fake_hub, AWQ)
    assert badge_in(filled(home, repo.id), repo.id).fit is Fit.FITS
    fake_hub.log.clear()
    full = FixedGrounds(machines.sample(machines.card(free=4.0)))
    assert badge_in(filled(home, repo.id, grounds=full), repo.id).fit is Fit.OFFLOAD
    assert file_requests(fake_hub) == []


def test_rows_that_are_shown_follow_the_computer(home: Paths, fake_hub: FakeHub) -> None:
    repo = add_published(fake_hub, AWQ)
    grounds = FixedGrounds()

    async def watch(user: User) -> None:
        user.hub.badges.look_again_s = 0.0
        await user.hub.search(SearchQuery("qwen"))
        await user.badges(repo.id)
        heard = len(user.events)
        user.bus.emit(grounds.sample)
        grounds.sample = machines.sample(machines.card(free=4.0))
        user.bus.emit(grounds.sample)
        await user.until(lambda: badge_in(user.rows, repo.id).fit is Fit.OFFLOAD)
        assert len(user.events) == heard + 3

    with_user(home, watch, grounds)


def test_a_new_search_stops_the_looks_of_the_one_before(home: Paths, fake_hub: FakeHub) -> None:
    for number in range(12):
        add_published(fake_hub, SMALL, f"org/model-{number}")
    add_published(fake_hub, MIDDLE)
    fake_hub.faults.set("*", Fault(methods=("GET",), delay_s=0.3))

    async def type_on(user: User) -> None:
        await user.hub.search(SearchQuery("model"))
        await user.hub.search(SearchQuery("qwen"))
        await user.badges("Qwen/Qwen3-8B")
        assert len([repo_id for repo_id in user.rows if repo_id.startswith("org/")]) <= 4

    with_user(home, type_on)


def test_what_is_kept_survives_a_row_and_what_is_damaged_is_dropped(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "badges", 10)
    store = BadgeStore(kept)
    row = RepoRow("org/model", "c" * 40)
    footing = footing_of(ground(machines.idle_desktop().machine), Settings())
    assert store.row(row, footing) is None
    for path in (tmp_path / "badges").glob("*"):
        path.unlink()
    kept.put("org/model@" + "c" * 40, {"format": 1, "facts": 7})
    assert store.facts("org/model", "c" * 40) is None
    assert store.row(row, footing) is None


def test_the_oldest_are_thrown_away(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept", 20)
    for number in range(200):
        kept.put(str(number), number)
    assert len(list((tmp_path / "kept").iterdir())) <= 20 + 50
    assert kept.get("199") is not None
    assert kept.get("0") is None


def test_figures_are_near_within_five_per_cent_or_half_a_gib() -> None:
    base = footing_of(ground(machines.sample(machines.card(free=10.0)).machine), Settings())
    for free, near in ((9.7, True), (9.45, True), (9.0, False), (10.9, False)):
        other = footing_of(ground(machines.sample(machines.card(free=free)).machine), Settings())
        assert base.near(other) is near, free
    assert not base.near(footing_of(ground(machines.two_cards().machine), Settings()))
    assert not base.near(
        footing_of(ground(machines.sample(machines.card(free=10.0)).machine), Settings(context_tokens=99))
    )


def ground(machine: Machine) -> Ground:
    return Ground(machine, CUDA)


def test_made_files_are_as_large_on_the_disk_as_on_the_hub(tmp_path: Path) -> None:
    files = files_of(SMALL)
    folder = write_files(files, tmp_path / "model")
    weights = files["model.safetensors"]
    assert isinstance(weights, Content)
    assert (folder / "model.safetensors").stat().st_size == weights.size
