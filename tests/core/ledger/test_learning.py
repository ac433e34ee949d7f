"""What launches teach: medians, bands, and a store that files them under the right key."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.eta import eta
from core.events import ErrorInfo, Phase, PhaseTime, ServerState, ServerStatus
from core.launches import changes
from core.ledger.launches import LaunchLedger
from core.ledger.learning import expected_phases, taught
from core.ledger.record import GRAPHS, OVERHEAD, PROCESSES, SPEED, Figure, Identity, LaunchRecord, Outcome
from core.planner.options import Learned

KEY = Identity("RTX 3060", "580.1", "cuda-0.33.0", "0.33.0", "cuda", "LlamaForCausalLM", "", eager=False)


def record(name: str, began_at: float = 1.0, identity: Identity = KEY, **values: object) -> LaunchRecord:
    made = LaunchRecord(name, began_at, Outcome.READY, "m", identity, "box", "vllm serve m", {"context": 2048}, "1.0")
    return replace(made, **values)  # type: ignore[arg-type]


def kept(path: Path, *records: LaunchRecord, identity: Identity = KEY) -> Learned:
    async def run() -> Learned:
        ledger = LaunchLedger(path)
        for each in records:
            await ledger.add(each)
        lessons = await ledger.lessons(identity)
        await ledger.close()
        return lessons.of(identity.eager)

    return asyncio.run(run())


def test_one_run_has_a_wide_band_and_more_a_band_of_their_scatter() -> None:
    assert taught([]) is None
    one = taught([0.5])
    assert one is not None
    assert (one.factor, one.spread, one.runs) == (0.5, 0.05, 1)
    four = taught([1.0, 1.1, 0.9, 1.0])
    assert four is not None
    assert four.factor == pytest.approx(1.0)
    assert four.spread == pytest.approx(2 * 1.4826 * 0.05)
    same = taught([0.8, 0.8, 0.8])
    assert same is not None
    assert same.spread == pytest.approx(0.016)


def test_an_odd_run_moves_nothing_and_nonsense_is_left_out() -> None:
    odd = taught([1.0, 1.0, 1.0, 9.0, 1.0])
    assert odd is not None
    assert odd.factor == 1.0
    assert taught([0.0, 1000.0]) is None
    many = taught([1.0] * 20 + [2.0] * 80)
    assert many is not None
    assert (many.factor, many.runs) == (1.0, 20)


def test_each_figure_teaches_its_part(tmp_path: Path) -> None:
    runs = [
        record(
            str(n),
            n,
            figures=(
                Figure(PROCESSES, base=100, actual=50),
                Figure(OVERHEAD, base=100, actual=120),
                Figure(GRAPHS, base=100, predicted=70, actual=80),
                Figure(SPEED, base=10, actual=15),
            ),
        )
        for n in range(3)
    ]
    learned = kept(tmp_path / "l.db", *runs)
    parts = learned.processes, learned.overhead, learned.graphs, learned.decode
    assert [part.factor for part in parts if part is not None] == pytest.approx([0.5, 1.2, 0.8, 1.5])
    assert [part.runs for part in parts if part is not None] == [3, 3, 3, 3]


@pytest.mark.parametrize(
    "other",
    [
        {"gpu": "RTX 3090"}, {"driver": "590"}, {"engine_version": "0.32.0"}, {"platform": "rocm"},
        {"architecture": "Qwen3ForCausalLM"}, {"quantization": "awq"}, {"eager": True},
    ],
)  # fmt: skip
def test_a_launch_of_another_kind_teaches_nothing(tmp_path: Path, other: dict[str, object]) -> None:
    figures = (Figure(PROCESSES, base=100, actual=50),)
    run = record("a", figures=figures, identity=replace(KEY, **other))  # type: ignore[arg-type]
    assert kept(tmp_path / "l.db", run) == Learned()
    again = record("b", figures=figures, identity=replace(KEY, engine="own-123"))
    assert kept(tmp_path / "l.db", again).processes is not None, "the same build in another folder is the same"


def test_only_the_newest_runs_count(tmp_path: Path) -> None:
    old = [record(f"old{n}", n, figures=(Figure(PROCESSES, base=1, actual=5),)) for n in range(30)]
    new = [record(f"new{n}", 100 + n, figures=(Figure(PROCESSES, base=1, actual=2),)) for n in range(20)]
    learned = kept(tmp_path / "l.db", *new, *old)
    assert learned.processes is not None
    assert (learned.processes.factor, learned.processes.runs) == (2.0, 20)


def test_a_record_comes_back_as_it_went(tmp_path: Path) -> None:
    async def run() -> None:
        ledger = LaunchLedger(tmp_path / "l.db")
        whole = record(
            "a",
            outcome=Outcome.STARTING,
            figures=(Figure("ram.weights", 1, 2, 1, 3), Figure(SPEED, 10, 10, 8, 12)),
        )
        await ledger.add(whole)
        assert await ledger.find("a") == whole
        await ledger.became_ready("a", 12.5, {"load": 3.0, "warm_up": 2.0})
        await ledger.put_figures("a", (Figure("ram.weights", actual=2.5), Figure("new", actual=1)))
        await ledger.put_figures("a", (Figure("ram.weights", high=3),))
        await ledger.put_proof("a", {"ple_disk": "cannot_tell"})
        await ledger.put_proof("a", {"ple_disk": "took_effect", "context": "took_effect"})
        error = ErrorInfo("server.died", "detail", {"exit_code": 3, "reason": None}, ("last", "words"))
        await ledger.ended("a", Outcome.DIED, error)
        found = await ledger.find("a")
        assert found is not None
        assert (found.outcome, found.ready_s, found.error) == (Outcome.DIED, 12.5, error)
        assert found.phases == {"load": 3.0, "warm_up": 2.0}
        assert found.figure("ram.weights") == Figure("ram.weights", 1, 2, 1, 3, 2.5)
        assert found.figure("new") == Figure("new", actual=1)
        assert found.proof == {"ple_disk": "took_effect", "context": "took_effect"}
        assert await ledger.last_good("m") is None
        await ledger.add(record("b", 2.0))
        await ledger.add(record("c", 1.5))
        good = await ledger.last_good("m")
        assert good is not None
        assert good.id == "b"
        assert [each.id for each in await ledger.newest()] == ["b", "c", "a"]
        assert await ledger.newest(model="other") == []
        await ledger.close()

    asyncio.run(run())


def test_what_differs_between_two_launches() -> None:
    before = {"context": 2048, "enforce_eager": True, "gone": 1}
    after = {"context": 4096, "enforce_eager": True, "new": 2}
    assert changes(before, after) == {"context": (2048, 4096), "gone": (1, None), "new": (None, 2)}


# ---- how long a start takes ----------------------------------------------------------------------------------------


def test_phases_of_the_same_model_engine_and_machine_are_expected(tmp_path: Path) -> None:
    async def run() -> dict[Phase, float]:
        ledger = LaunchLedger(tmp_path / "l.db")
        for n, seconds in enumerate((10.0, 12.0, 30.0)):
            await ledger.add(record(str(n), n, phases={"load": seconds, "environment": 5.0}))
        await ledger.add(record("failed", 9, outcome=Outcome.FAILED, phases={"load": 1.0}))
        await ledger.add(record("other machine", 9, machine="laptop", phases={"load": 99.0}))
        found = await ledger.expected("m", KEY, "box")
        assert await ledger.expected("other", KEY, "box") == ()
        assert await ledger.expected("m", replace(KEY, eager=True), "box") == ()
        await ledger.close()
        return dict(found)

    assert asyncio.run(run()) == {Phase.ENVIRONMENT: 5.0, Phase.LOAD: 12.0}


def test_expected_phases_stand_in_their_order() -> None:
    assert list(expected_phases({"warm_up": [1.0], "load": [2.0], "ready": [3.0]})) == [Phase.LOAD, Phase.WARM_UP]


def test_what_remains_of_a_start() -> None:
    expected = ((Phase.ENVIRONMENT, 10.0), (Phase.LOAD, 20.0), (Phase.WARM_UP, 5.0))
    phases = (PhaseTime(Phase.ENVIRONMENT, 0.0, 11.0), PhaseTime(Phase.LOAD, 11.0))
    status = ServerStatus(ServerState.STARTING, phases=phases, expected=expected)
    now = eta(status, 16.0)
    assert now is not None
    assert (now.remaining_s, now.late, now.phase_s) == (20.0, False, 20.0)
    late = eta(status, 40.0)
    assert late is not None
    assert (late.remaining_s, late.late) == (5.0, True)
    unknown_phase = replace(status, phases=(*phases, PhaseTime(Phase.COMPILE, 20.0)))
    compiling = eta(unknown_phase, 20.0)
    assert compiling is not None
    assert (compiling.remaining_s, compiling.phase_s) == (5.0, None)
    assert eta(replace(status, expected=()), 16.0) is None
