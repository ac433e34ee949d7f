"""The details, on computers that are not at hand: links, programs, notes; readable by keyboard, ear and in Russian."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.events import MachineChanged
from core.machine.budget import ServerUse
from core.machine.model import Platform
from core.machine.probe.result import LinkProbe, Probe
from core.machine.reading import NOT_SUPPORTED, Known
from gui.budget.details import BudgetDetails
from gui.budget.ghost import GhostPart, GhostPlan
from gui.budget.parts_list import PartsList, Swatch
from gui.budget.process_table import ProcessTable
from gui.budget.terms import BudgetTerms
from gui.budget.views import BudgetViews
from gui.languages import speak
from gui.words import Speech
from tests.gui.test_access import cut_off, nameless
from tests.support import machines
from tests.support.machines import gib

Show = Callable[..., BudgetDetails]


@pytest.fixture
def show(qtbot: QtBot, qapp: QApplication) -> Iterator[Show]:
    """Opens the details of a sample, at one of its budgets."""
    owner = QObject()
    parents: list[QWidget] = []

    def opened(
        sample: MachineChanged, budget_id: str, language: str = "en", plan: GhostPlan | None = None
    ) -> BudgetDetails:
        speak(qapp, language, owner)
        parent = QWidget()
        qtbot.addWidget(parent)
        parents.append(parent)
        terms = BudgetTerms(language, parent)
        details = BudgetDetails(parent, Speech(language, parent), terms)
        views = BudgetViews(terms, parent).all(sample, plan)
        details.show_sample(sample, views)
        details.choose(budget_id)
        details.open()
        qtbot.waitUntil(details.isVisible)
        return details

    yield opened
    owner.deleteLater()


def texts(details: BudgetDetails) -> list[str]:
    return [label.text() for label in details.findChildren(QLabel) if label.isVisible()]


def told(details: BudgetDetails) -> str:
    return "\n".join(texts(details))


def rows(details: BudgetDetails) -> list[list[str]]:
    model = details.findChildren(ProcessTable)[0].model()
    return [[str(model.index(row, column).data()) for column in range(4)] for row in range(model.rowCount())]


def test_a_card_tells_its_driver_its_link_and_its_programs(show: Show) -> None:
    details = show(machines.desktop(), "GPU-0")
    assert "Driver 570.86, CUDA up to 12.8 · Compute capability 8.6" in told(details)
    assert "PCIe 4.0 x16: about 23.3 GiB/s from RAM" in told(details)
    assert rows(details) == [
        ["VLLM::EngineCore", "4242", "8.4 GiB", "● our server"],
        ["firefox", "2100", "0.7 GiB", ""],
        ["Xorg", "1400", "0.4 GiB", ""],
    ]


def test_the_legend_names_every_part_of_the_bar_and_of_the_plan(show: Show) -> None:
    plan = GhostPlan("A model", (GhostPart("GPU-0", "weights", gib(1)),))
    sample = machines.desktop()
    details = show(sample, "GPU-0", plan=plan.judged(sample.ledger))
    legend = details.findChildren(PartsList)[0]
    found = [label.text() for label in legend.findChildren(QLabel) if label.isVisible()]
    names = ["Our server", "KV cache, unused", "firefox", "Xorg", "Driver", "Other", "Left beside the plan", "weights"]
    assert found[::2] == names
    assert found[1::2] == ["5.5 GiB", "2.9 GiB", "0.7 GiB", "0.4 GiB", "0.3 GiB", "0.3 GiB", "0.9 GiB", "1.0 GiB"]
    assert sum(swatch.isVisible() for swatch in legend.findChildren(Swatch)) == len(names)


def test_the_next_sample_is_shown_at_once_and_the_choice_stays(show: Show) -> None:
    details = show(machines.idle_desktop(), "GPU-0")
    assert rows(details)[0][2] == "0.7 GiB"
    sample = machines.sample(machines.card(free=9.6, on_it=((2100, 1.7), (1400, 0.4))))
    details.show_sample(sample, BudgetViews(BudgetTerms("en")).all(sample))
    assert rows(details)[0][2] == "1.7 GiB"
    sample = machines.desktop()
    details.show_sample(sample, BudgetViews(BudgetTerms("en")).all(sample))
    assert details.chosen == "GPU-0"
    assert rows(details)[0][0] == "VLLM::EngineCore"
    sample = machines.no_gpu()
    details.show_sample(sample, BudgetViews(BudgetTerms("en")).all(sample))
    assert details.chosen == "ram"
    assert "No GPU here: models run on the processor and in RAM." in told(details)
    assert rows(details)[0] == ["firefox", "2100", "3.4 GiB", ""]


def test_a_driver_without_a_process_list_and_a_card_without_programs_are_told_apart(show: Show) -> None:
    silent = show(machines.sample(replace(machines.card(), processes=NOT_SUPPORTED)), "GPU-0")
    assert "The driver does not tell which programs use this card." in texts(silent)
    unused = show(machines.sample(machines.card(on_it=())), "GPU-0")
    assert "No program uses this card now." in texts(unused)


def test_in_a_container_pids_are_not_trusted_and_our_part_comes_from_the_log(show: Show) -> None:
    server = ServerUse(frozenset({machines.SERVER_PID}), stated_bytes={"GPU-0": gib(6)})
    card = machines.card(free=4.0, on_it=((31337, 6.5),))
    inside = machines.sample(
        card, server=server, platform=Platform("linux", "6.8", container="docker", host_pids=False)
    )
    details = show(inside, "GPU-0")
    assert "Our server's part is taken from its log." in texts(details)
    assert rows(details) == [["not known", "31337", "6.5 GiB", ""]]
    model = details.findChildren(ProcessTable)[0].model()
    assert "another process" in str(model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))


def test_measured_speeds_are_listed_with_their_doubts(show: Show, qtbot: QtBot) -> None:
    details = show(machines.desktop(), "ram")
    link = LinkProbe("GPU-0", 24.1, 6.2)
    details.probe.show_probe(
        Probe(1.7e9, Known(41.2), 16, "hub", Known(3.4), Known(210_000.0), Known(80.0), 32, False, (link,))
    )
    qtbot.waitUntil(lambda: "RAM, read" in texts(details))
    found = texts(details)
    for name, value in (
        ("RAM, read", "38.4 GiB/s"),
        ("Disk, 4 KiB random read", "210,000 reads/s"),
        ("RAM to GPU, pinned", "22.4 GiB/s"),
    ):
        assert found[found.index(name) + 1] == value
    assert "read through the cache" in told(details)


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("name", ["desktop", "two_cards", "unknown_figures", "no_gpu"])
def test_everything_has_a_name_and_nothing_is_cut_off(show: Show, name: str, language: str) -> None:
    sample = getattr(machines, name)()
    for budget in (*sample.ledger.gpus, sample.ledger.ram, *sample.ledger.disks):
        details = show(sample, budget.id, language)
        assert "\n".join(nameless(details)) == ""
        assert cut_off(details) == []
        details.accept()
