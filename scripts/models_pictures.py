"""Pictures of the Models page without a screen: `python scripts/models_pictures.py [--out FOLDER] [--only ONE]`.

A real window with real services on a Hub on loopback (`tests/fakes/fake_hub.py`) that serves published configs; a few
badges are told as a 12 GiB card would give them. Each combination is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.hub.model import RepoRow
    from tests.fakes.fake_hub import FakeHub

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.director import Condition, Director  # noqa: E402 (run as a program it finds the others only now)

SIZES = {"small": (1024, 640), "large": (1600, 1000)}
DEADLINE_MS = 90_000
GIB = 1 << 30
MODELS = {
    "Qwen/Qwen3-8B-AWQ": "Qwen__Qwen2.5-7B-Instruct-AWQ",
    "Qwen/Qwen3-8B": "Qwen__Qwen3-8B",
    "Qwen/Qwen3-30B-A3B-FP8": "Qwen__Qwen3-30B-A3B-FP8",
    "meta-llama/Llama-3.3-70B-Instruct": "meta-llama__Llama-3.3-70B-Instruct",
    "google/gemma-3-27b-it": "google__gemma-3-27b-it",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistralai__Mistral-Nemo-Instruct-2407",
}
GATED = "meta-llama/Llama-3.2-1B-Instruct"
CARD = """---
license: apache-2.0
---
# A model for the pictures

It writes **short answers** and [has a page](https://example.org). ![figure](figure.png)

```python
from vllm import LLM
```

| bits | size |
|------|------|
| 4    | 5.7  |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "artefacts" / "models-pictures")
    parser.add_argument("--only", help="one combination, for example ru-dark-small")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        language, theme, size = args.child
        take(language, theme, size, args.out)
        return
    for combination in product(("en", "ru"), ("light", "dark"), SIZES):
        if args.only in (None, "-".join(combination)):
            command = [sys.executable, __file__, "--out", str(args.out), "--child", *combination]
            subprocess.run(command, check=True, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"})
            print("-".join(combination))


def take(language: str, theme: str, size: str, out: Path) -> None:
    """One combination, in this process."""
    from tests.support.hub import running_hub

    with tempfile.TemporaryDirectory(prefix="stowage-pictures-") as folder, running_hub() as hub:
        home = Path(folder)
        os.environ |= {"STOWAGE_HOME": str(home / "home"), "HF_HOME": str(home / "huggingface")}
        fill(hub, home / "models")
        settings = home / "home" / "config" / "settings.json"
        settings.parent.mkdir(parents=True)
        chosen = {"version": 1, "language": language, "theme": theme, "hub_endpoint": hub.url}
        settings.write_text(json.dumps(chosen), encoding="utf-8")
        out.mkdir(parents=True, exist_ok=True)
        Session(f"{language}-{theme}-{size}", SIZES[size], out, hub).run()


def fill(hub: FakeHub, folder: Path) -> None:
    from tests.gui.hub_window import add_published, add_tiny

    for number, (repo_id, name) in enumerate(MODELS.items()):
        add_published(hub, folder, repo_id, name)
        hub.commit(repo_id, {"README.md": CARD})
        hub.repos[repo_id].meta |= {"downloads": 4_200_000 // (number + 1), "likes": 1234 // (number + 1)}
    # Small, so that the disk has room for it.
    add_tiny(hub, folder, GATED, gated="manual", token="hf_nobody")
    add_tiny(hub, folder, "HuggingFaceTB/SmolLM2-135M-Instruct", weight_bytes=24 << 20)
    hub.rate = 2e6


def badge_of(row: RepoRow) -> RepoRow:
    """As a card of 12 GiB and 32 GiB of RAM would have it."""
    from core.hub.model import Fit, FitBadge

    badges = {
        "Qwen/Qwen3-8B-AWQ": FitBadge(Fit.FITS, 32768, tokens_per_s=(55.0, 68.0)),
        "Qwen/Qwen3-8B": FitBadge(Fit.OFFLOAD, 8192, offload_bytes=int(6.1 * GIB), tokens_per_s=(2.6, 4.1)),
        "google/gemma-3-27b-it": FitBadge(Fit.NO, short_bytes=11 * GIB, short_tier="ram"),
        "meta-llama/Llama-3.3-70B-Instruct": FitBadge(Fit.NO, short_bytes=88 * GIB, short_tier="ram"),
        "mistralai/Mistral-Nemo-Instruct-2407": FitBadge(Fit.TIGHT, 4096, tokens_per_s=(21.0, 26.0)),
    }
    return replace(row, badge=badges.get(row.repo_id, row.badge))


class Session(Director):
    """Drives the window as a person would and takes a picture at each stop."""

    def __init__(self, name: str, size: tuple[int, int], out: Path, hub: FakeHub) -> None:
        super().__init__(name, size, DEADLINE_MS)
        self._out, self._hub = out, hub

    # ---- the way ---------------------------------------------------------------------------------------------------

    def _steps(self) -> Generator[Condition]:
        from PySide6.QtWidgets import QLineEdit, QProgressBar

        from core.hub.events import BadgeChanged
        from gui.pages.models.repo_view import RepoView

        assert self.app.bridge is not None
        view = self._find(RepoView, "hubList")
        yield from self._picture("local-first")
        self._press("tabHub")
        yield lambda: len(view.rows.rows) >= len(MODELS) + 2 and all(row.badge is not None for row in view.rows.rows)
        for row in view.rows.rows:
            self.app.bridge.post(BadgeChanged(badge_of(row)))
        yield from self._picture("found")
        yield from self._details("Qwen/Qwen3-8B")
        yield from self._picture("details")
        yield from self._details(GATED)
        self._press("getButton")
        yield lambda: self._visible("gateCard")
        yield from self._picture("gated")
        yield from self._details("HuggingFaceTB/SmolLM2-135M-Instruct")
        self._press("getButton")
        yield lambda: self._find(QProgressBar, "getBar").value() > 200
        yield from self._picture("getting")
        self._press("downloadsButton")
        yield from self._picture("downloads")
        self._press("closeDownloads")
        self._press("moreFilters")
        self._find(QLineEdit, "hubSearch").setText("no such model")
        yield lambda: self._visible("hubInstead")
        yield from self._picture("nothing")
        yield lambda: not self._visible("statusDownloads")
        self._press("tabLocal")
        yield lambda: self._visible("cached-HuggingFaceTB/SmolLM2-135M-Instruct")
        yield from self._picture("local")
        self.app.window.show_page("settings")
        yield from self._picture("settings")

    def _details(self, repo_id: str) -> Generator[Condition]:
        from gui.pages.models.details_pane import DetailsPane
        from gui.pages.models.repo_view import RepoView

        view, pane = self._find(RepoView, "hubList"), self._find(DetailsPane, "detailsPane")
        view.setCurrentIndex(view.rows.index(view.rows.place_of(repo_id)))
        yield lambda: pane.row is not None and pane.row.repo_id == repo_id and self._enabled("getButton")

    # ---- means -----------------------------------------------------------------------------------------------------

    def _picture(self, state: str) -> Generator[Condition]:
        from PySide6.QtCore import QElapsedTimer

        clock = QElapsedTimer()
        clock.start()
        yield lambda: clock.elapsed() > 250
        self._last = state
        self.app.window.grab().save(str(self._out / f"{self._name}-{state}.png"))

    def _find(self, kind: type, name: str):
        found = self.app.window.findChildren(kind, name)
        return next((widget for widget in found if widget.isVisible()), found[0])

    def _press(self, name: str) -> None:
        from PySide6.QtWidgets import QPushButton

        self._find(QPushButton, name).click()

    def _enabled(self, name: str) -> bool:
        from PySide6.QtWidgets import QPushButton

        return self._find(QPushButton, name).isEnabled()

    def _visible(self, name: str) -> bool:
        from PySide6.QtWidgets import QWidget

        return any(widget.isVisible() for widget in self.app.window.findChildren(QWidget, name))


if __name__ == "__main__":
    main()
