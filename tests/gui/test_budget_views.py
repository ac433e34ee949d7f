"""From a sample to bars: the parts add up, the words are right, and a plan lies where it would go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.events import MachineChanged
from core.machine.history import History
from gui.budget.ghost import GIB, GhostPart, GhostPlan, Verdict, judge
from gui.budget.terms import BudgetTerms
from gui.budget.view import BudgetView, Look, Span
from gui.budget.views import BudgetViews, trace_of
from gui.languages import speak
from tests.support import machines
from tests.support.machines import gib

EVERY = ("desktop", "idle_desktop", "two_cards", "many_cards", "unified", "unknown_figures", "no_gpu")


@pytest.fixture
def views(qapp: QApplication) -> Iterator[BudgetViews]:
    owner = QObject()
    speak(qapp, "en", owner)
    yield BudgetViews(BudgetTerms("en"))
    owner.deleteLater()


def show(views: BudgetViews, sample: MachineChanged, plan: GhostPlan | None = None) -> dict[str, BudgetView]:
    judged = plan.judged(sample.ledger) if plan is not None else None
    return {view.id: view for view in views.all(sample, judged)}


def weights(budget_id: str, amount: float) -> GhostPlan:
    return GhostPlan("A model", (GhostPart(budget_id, "weights", gib(amount)),))


def names(view: BudgetView) -> list[str]:
    return [span.labels[0].rsplit(" ", 1)[0] for span in view.spans]


def assert_whole(spans: tuple[Span, ...], start: float, end: float) -> None:
    """One after the other, without gaps, from `start` to `end`."""
    at = start
    for span in spans:
        assert span.start == pytest.approx(at, abs=1e-9)
        assert span.end >= span.start
        at = span.end
    assert at == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_the_parts_of_every_bar_fill_it(views: BudgetViews, name: str) -> None:
    for view in show(views, getattr(machines, name)()).values():
        if view.total_mib:
            assert_whole(view.spans, 0.0, 1.0)
            assert view.spans[-1].look is Look.FREE
            assert 0 <= view.used_mib <= view.total_mib
            assert view.trace
            assert all(0 <= at <= 1 and 0 <= value <= 1 for at, value in view.trace)
        else:
            assert view.spans == ()
            assert view.figure in ("asleep", "unknown")


def test_a_card_with_a_server_a_browser_and_the_display(views: BudgetViews) -> None:
    view = show(views, machines.desktop())["GPU-0"]
    assert (view.title, view.name, view.figure) == ("VRAM", "RTX 3060", "10.1 / 12.0 GiB")
    assert names(view) == ["our server", "KV unused", "firefox", "Xorg", "driver", "other", "free"]
    assert [span.look for span in view.spans][2:4] == [Look.PROCESS, Look.PROCESS_ODD]
    ours, kv = view.spans[:2]
    assert (kv.end - kv.start) * 12 == pytest.approx(3.6 * 0.8, abs=0.01)
    assert (ours.end - ours.start) * 12 == pytest.approx(8.4 - 3.6 * 0.8, abs=0.01)
    assert "37 % busy · 112 W · 61 °C" in view.meaning
    assert view.description.startswith("10.1 of 12.0 GiB in use, 1.9 GiB free. Our server: 5.5 GiB; KV cache, unused")


def test_small_programs_are_one_part_and_nobody_is_lost(views: BudgetViews) -> None:
    sample = machines.no_gpu()
    view = show(views, sample)["ram"]
    assert names(view) == ["firefox", "code", "smaller programs", "other", "free"]
    small = view.spans[2]
    assert (small.end - small.start) * 32 == pytest.approx(0.6 + 0.2 + 0.5, abs=0.01)
    assert small.meaning == "Smaller programs: 1.3 GiB\n3 processes"


def test_no_gpu_is_no_bar_and_no_complaint(views: BudgetViews) -> None:
    shown = show(views, machines.no_gpu())
    assert list(shown) == ["ram", "disk:/"]
    assert shown["disk:/"].figure == "212.3 GiB free"
    assert shown["disk:/"].short_figure == "212.3 free"


def test_two_cards_and_two_disks_have_numbers_and_places(views: BudgetViews) -> None:
    shown = show(views, machines.two_cards())
    assert [(view.title, view.name) for view in shown.values()] == [
        ("VRAM 0", "RTX 4090"),
        ("VRAM 1", "RTX 3060"),
        ("RAM", ""),
        ("Disk", "/"),
        ("Disk", "/mnt/models"),
    ]
    assert "hard disk; here lie: models" in shown["disk:/mnt/models"].meaning


def test_unified_memory_is_one_bar_and_takes_the_plan_of_both(views: BudgetViews) -> None:
    parts = (GhostPart("GPU-gb10", "weights", gib(20)), GhostPart("ram", "KV cache", gib(4)))
    shown = show(views, machines.unified(), GhostPlan("A model", parts))
    assert list(shown) == ["ram", "disk:/"]
    ram = shown["ram"]
    assert (ram.title, ram.name) == ("RAM and VRAM", "GB10")
    assert "GB10 has no memory of its own: it uses the RAM." in ram.meaning
    assert [ghost.labels[0] for ghost in ram.ghosts] == ["weights 20.0", "KV cache 4.0"]
    assert ram.verdict is Verdict.FITS
    both = tuple(GhostPart(budget_id, "half", gib(60)) for budget_id in ("GPU-gb10", "ram"))
    assert show(views, machines.unified(), GhostPlan("A model", both))["ram"].verdict is Verdict.NO


def test_unknown_figures_say_why(views: BudgetViews) -> None:
    shown = show(views, machines.unknown_figures())
    assert (shown["GPU-0"].figure, shown["GPU-0"].total_mib) == ("asleep", 0)
    assert "it is not woken just to ask" in shown["GPU-0"].description
    assert shown["disk:/mnt/nas"].figure == "unknown"
    assert "Reading it failed." in shown["disk:/mnt/nas"].meaning


@pytest.mark.parametrize(
    ("amount", "verdict", "words"),
    [(3.0, Verdict.FITS, "fits"), (10.0, Verdict.TIGHT, "tight"), (12.0, Verdict.NO, "short by 1.4 GiB")],
)
def test_a_plan_lies_over_the_free_part_and_is_judged(
    views: BudgetViews, amount: float, verdict: Verdict, words: str
) -> None:
    view = show(views, machines.idle_desktop(), weights("GPU-0", amount))["GPU-0"]
    used = 1.4 / 12
    assert (view.verdict, view.verdict_text) == (verdict, words)
    ghosts = list(view.ghosts)
    assert ghosts[0].start == pytest.approx(used, abs=0.001)
    assert ghosts[0].end == pytest.approx(min(1.0, used + amount / 12), abs=0.001)
    assert (ghosts[-1].look is Look.OVERFLOW) == (verdict is Verdict.NO)
    assert words in view.description
    left = [span for span in view.spans if span.look is Look.FREE]
    if verdict is Verdict.NO:
        assert left == []
    else:
        assert left[0].labels[0] == f"left {10.6 - amount:.1f}"
        assert left[0].start == pytest.approx(ghosts[0].end)


def test_a_planners_own_verdict_counts_and_other_bars_stay_as_they_are(views: BudgetViews) -> None:
    plan = GhostPlan("A model", (GhostPart("GPU-0", "weights", gib(1)),), {"GPU-0": Verdict.TIGHT}, about=True)
    sample = machines.idle_desktop()
    shown = show(views, sample, plan)
    assert shown["GPU-0"].verdict is Verdict.TIGHT
    assert "A model would take about: tight" in shown["GPU-0"].meaning
    assert shown["ram"] == show(views, sample)["ram"]


@given(free=st.integers(0, 1 << 44), need=st.integers(1, 1 << 44))
def test_a_verdict_is_honest(free: int, need: int) -> None:
    verdict = judge(need, free)
    assert (verdict is Verdict.NO) == (need > free)
    if verdict is Verdict.FITS:
        assert free - need >= GIB
        assert free - need >= need * 0.1 - 1


@given(parts=st.lists(st.floats(0.01, 40), min_size=1, max_size=5))
def test_no_plan_leaves_the_bar(parts: list[float]) -> None:
    views = BudgetViews(BudgetTerms("en"))
    plan = GhostPlan("A model", tuple(GhostPart("GPU-0", f"part {n}", gib(size)) for n, size in enumerate(parts)))
    view = show(views, machines.idle_desktop(), plan)["GPU-0"]
    ghosts = tuple(ghost for ghost in view.ghosts if ghost.look is Look.GHOST)
    assert_whole(ghosts, 1.4 / 12, min(1.0, (1.4 + sum(map(gib, parts)) / GIB) / 12))
    assert all(0 <= span.start <= span.end <= 1 for span in (*view.spans, *view.ghosts))


def test_the_trace_keeps_peaks_and_leaves_gaps() -> None:
    nan = float("nan")
    times = tuple(float(second) for second in range(301))
    values = tuple(nan if second < 150 else 90.0 if second == 200 else 10.0 for second in range(301))
    trace = list(trace_of(History(times, {"ram": values}), "ram", 100, 300.0, 60))
    assert len(trace) <= 31
    assert trace[0][0] == pytest.approx(0.5, abs=0.02)
    assert trace[-1] == (1.0, 0.1)
    assert max(value for _, value in trace) == 0.9
    assert trace_of(History(), "ram", 100, 300.0, 60) == ()
