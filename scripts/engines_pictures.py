"""Pictures of the Engines page and of what a build can do, from crafted engines and recorded builds, without a screen:
`python scripts/engines_pictures.py [--out FOLDER]`. Each combination is a process of its own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

Widget = TypeVar("Widget", bound="QWidget")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZES = {"small": (850, 520), "large": (1260, 860)}
BUILDS = ROOT / "tests" / "data" / "capabilities"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "artefacts" / "screenshots")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.child:
        language, theme, size = args.child
        draw(language, theme, size, args.out)
        return
    env = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    for language, theme, size in product(("en", "ru"), ("light", "dark"), SIZES):
        command = [sys.executable, __file__, "--out", str(args.out), "--child", language, theme, size]
        subprocess.run(command, env=env, check=True)


def draw(language: str, theme: str, size: str, out: Path) -> None:
    """One picture every 0.3 s: by then the window has laid itself out."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from gui.languages import speak
    from gui.theme import Theme

    application = QApplication([])
    speak(application, language, application)
    Theme(application, theme)
    states = pictures(language, SIZES[size])
    shown: list[tuple[str, QWidget]] = []
    timer = QTimer(interval=300, singleShot=True)

    def turn() -> None:
        for name, widget in shown:
            widget.grab().save(str(out / f"{language}-{theme}-{size}-engines-{name}.png"))
        shown[:] = [state] if (state := next(states, None)) else []
        if shown:
            timer.start()
        else:
            application.quit()

    timer.timeout.connect(turn)
    timer.start()
    application.exec()


def pictures(language: str, size: tuple[int, int]) -> Iterator[tuple[str, QWidget]]:
    from PySide6.QtWidgets import QToolButton

    from core.events import Progress
    from gui.pages.engines.build_dialog import BuildDialog
    from gui.pages.engines.page import EnginesPage
    from gui.words import Speech

    speech = Speech(language)
    page = EnginesPage(speech)
    page.resize(*size)
    page.setAutoFillBackground(True)
    engines = crafted_engines()
    page.show()
    page.show_engines(engines, engines[0].id, crafted_halves())
    page.show_way_back(engines[1])
    page.show_choices(crafted_choices())
    yield "list", page
    page.resize(size[0], 2300)
    one(page, QToolButton, "otherBuilds").setChecked(True)
    yield "all", page
    page.resize(*size)
    page.show_progress(Progress("engine:update", "canary_answer", 3, 6))
    yield "trial", page
    dialog = BuildDialog(page, engines[0], engines[1:3], speech)
    dialog.show()
    dialog.show_build(build("0.32.0-cpu"))
    yield "build", dialog
    choose_line(dialog, "offload")
    yield "build-search", dialog
    dialog.show_changes(changes("0.28.0", "0.33.0"))
    yield "build-changes", dialog


def crafted_engines():
    from core.engine_records import Canary
    from core.errors import AppError
    from core.events import EngineInfo, EngineState, ErrorInfo

    now, home = time.time(), "~/.local/share/stowage/engines"
    slow = ErrorInfo.of(AppError("engine.too_slow", reason="12.4 < 0.8 × 29.1 tok/s"))

    def engine(name: str, version: str, platform: str, kind: str, **more: Any) -> EngineInfo:
        state = more.pop("state", EngineState.READY)
        return EngineInfo(
            name, state, version, platform, f"{home}/{name}/bin/python", "3.12.4", ours=True,
            size_bytes=3_480_000_000, kind=kind, torch="2.13.0+cpu", installed_at=now, checked_at=now, **more,
        )  # fmt: skip

    return (
        engine("cpu-0.32.0", "0.32.0", "cpu", "cpu", third_party=True,
               canary=Canary(True, now, "cpu-0.31.0", 28.9, 29.4)),
        engine("cpu-0.31.0", "0.31.0", "cpu", "cpu", third_party=True),
        engine("cpu-0.33.0", "0.33.0", "cpu", "cpu",
               canary=Canary(False, now, "cpu-0.32.0", 12.4, 29.1, step="canary_speed", error=slow)),
        engine("nightly-0.34.0rc1.dev7+gab12cd3", "0.34.0rc1.dev7+gab12cd3", "cuda", "nightly", steady=False),
    )  # fmt: skip


def crafted_halves():
    from core.engine_records import HalfInstall

    return (HalfInstall("cuda-0.33.0", "cuda-0.33.0", "vLLM 0.33.0 (NVIDIA)", "vllm", time.time(), 4_100_000_000),)


def crafted_choices():
    from core.engine.gpu import Cards, NvidiaCard
    from core.engine.recipes import RECIPES
    from core.engine.suitability import refusal
    from core.engines import Choice
    from core.events import ErrorInfo

    cards = Cards((NvidiaCard("NVIDIA GeForce RTX 3060", 8.6),), "570.133.07")
    errors = {recipe.id: refusal(recipe, cards) for recipe in RECIPES.values()}
    return tuple(
        Choice(recipe, ErrorInfo.of(error) if (error := errors[recipe.id]) else None, False, recipe.kind == "cpu")
        for recipe in RECIPES.values()
    )


def build(name: str):
    import msgspec

    from core.engine.capabilities.model import Capabilities

    return msgspec.json.decode((BUILDS / f"{name}.json").read_bytes(), type=Capabilities)


def changes(old: str, new: str):
    from core.engine.capabilities.difference import difference

    return difference(build(old), build(new))


def choose_line(dialog: QWidget, search: str) -> None:
    from PySide6.QtWidgets import QLineEdit, QTableView

    one(dialog, QLineEdit, "buildSearch").setText(search)
    one(dialog, QTableView, "buildTable").selectRow(1)


def one(parent: QWidget, kind: type[Widget], name: str) -> Widget:
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


if __name__ == "__main__":
    main()
