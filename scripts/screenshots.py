"""Pictures of every page in every state, without a screen: `python scripts/screenshots.py [--out FOLDER] [--docs]`.

Light and dark, English and Russian, small and large, with a server that plays vLLM (`tests/fakes`). `--docs` makes the
pictures of the README into docs/screenshots instead: those show true figures, so they need a real engine and a real
model (`--engine VENV --model FOLDER`). Each combination is a process of its own: the language is chosen at the start.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.widgets.phase_timeline import PhaseTimeline
    from tests.support.fake_engine import FakeEngine

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.director import Condition, Director  # noqa: E402 (run as a program it finds the others only now)

# The pictures of the README.
DOCS = ("models-first-start", "launch-options", "launch-ready", "chat-answered")
SIZES = {"small": (1024, 640), "large": (1440, 900)}
DEADLINE_MS = 240_000
ANSWER = """\
The capital of France is **Paris**. It lies on the Seine and is home to about two million people.

1. **Founded** in the 3rd century BC by the Parisii
2. **Capital** since 987, with few breaks

```python
def capital(country: str) -> str:
    return {"France": "Paris"}.get(country, "unknown")
```
"""

W = TypeVar("W", bound="QWidget")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "artefacts" / "screenshots")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--only", help="one combination, for example ru-dark-small")
    parser.add_argument("--engine", type=Path, help="a virtual environment with a real vLLM")
    parser.add_argument("--model", type=Path, help="a real checkpoint's folder")
    parser.add_argument("--states", nargs="*", default=[], help="save only these, for example chat-answered")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.docs and not (args.engine and args.model):
        parser.error("--docs needs --engine and --model")
    if args.child:
        language, theme, size = args.child
        take(language, theme, size, args.out, set(args.states), args.engine, args.model)
        return
    if args.docs:
        combinations, out = [("en", "light", "small"), ("en", "dark", "small")], ROOT / "docs" / "screenshots"
    else:
        combinations, out = list(product(("en", "ru"), ("light", "dark"), SIZES)), args.out
    for combination in combinations:
        if args.only and args.only != "-".join(combination):
            continue
        only = ["--engine", str(args.engine), "--model", str(args.model), "--states", *DOCS] if args.docs else []
        command = [sys.executable, __file__, "--out", str(out), "--child", *combination, *only]
        subprocess.run(command, check=True, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"})
        print("-".join(combination))


def take(
    language: str, theme: str, size: str, out: Path, states: set[str], engine_folder: Path | None, model: Path | None
) -> None:
    """One combination, in this process."""
    from tests.support.fake_engine import FakeEngine
    from tests.support.published import make_published

    with tempfile.TemporaryDirectory(prefix="stowage-pictures-") as folder:
        home = Path(folder)
        os.environ["STOWAGE_HOME"] = str(home / "home")
        settings = home / "home" / "config" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"version": 1, "language": language, "theme": theme}), encoding="utf-8")
        engine = RealEngine(engine_folder) if engine_folder else FakeEngine(home / "vllm-env")
        models = home / "models"
        model = model or make_published(models / "Example-0.6B", "Qwen__Qwen3-0.6B")
        large = make_published(models / "Example-8B", "Qwen__Qwen3-8B")
        strange = make_published(models / "Strange-1B", "Qwen__Qwen3-1.7B", architectures=["StrangeForCausalLM"])
        table = make_published(models / "gemma-4-E4B-it", "google__gemma-4-E4B-it")
        answer = home / "answer.md"
        answer.write_text(ANSWER, encoding="utf-8")
        out.mkdir(parents=True, exist_ok=True)
        name = f"{language}-{theme}-{size}"
        Session(name, SIZES[size], out, engine, model, (large, strange, table), answer, states).run()


class RealEngine:
    """As `FakeEngine`, but it behaves as it does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def behave(self, *_switches: str, **_environment: str) -> None:
        """A real engine takes no stage directions."""


class Session(Director):
    """Drives the window as a person would and takes a picture at each stop."""

    def __init__(
        self,
        name: str,
        size: tuple[int, int],
        out: Path,
        engine: FakeEngine | RealEngine,
        model: Path,
        planned: tuple[Path, Path, Path],
        answer: Path,
        states: set[str],
    ) -> None:
        super().__init__(name, size, DEADLINE_MS)
        self._out = out
        self._engine, self._model, self._answer = engine, model, answer
        self._planned = planned
        self._states = states

    # ---- what is done ----------------------------------------------------------------------------------------------

    def _steps(self) -> Generator[Condition]:
        from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton

        from scripts.budget_pictures import budget_pictures
        from scripts.plan_pictures import plan_pictures

        press, field = self._press, self._find
        yield lambda: self._find(QPushButton, "guideButton").isVisible()
        yield from self._picture("models", "first-start")
        yield from self._picture("launch", "no-engine")
        yield from self._picture("chat", "no-server")
        yield from self._picture("engines", "none")
        field(QLineEdit, "enginePath").setText(str(self._engine.folder))
        press("addEngineButton")
        yield lambda: self._find(QLineEdit, "enginePath").text() == ""
        yield from self._picture("engines", "own")
        self.app.window.show_page("models")
        field(QLineEdit, "folderPath").setText(str(self._model))
        press("addFolderButton")
        yield lambda: self._find(QLineEdit, "folderPath").text() == ""
        field(QLineEdit, "folderPath").setText(tempfile.gettempdir())
        press("addFolderButton")
        yield lambda: self._visible("errorBanner")
        yield from self._picture("models", "error")
        press("errorBannerClose")
        yield from self._picture("models", "list")
        yield from budget_pictures(self.app, self._save)
        if not isinstance(self._engine, RealEngine):
            yield from plan_pictures(self.app, self._save, *self._planned)
        yield from self._launching()
        yield from self._chatting()
        yield from self._picture("settings", "settings")
        self.app.quit()
        yield lambda: self._visible("closeDialog")
        self._save("close", self._find(QDialog, "closeDialog"))
        press("closeDialog-cancel")
        self.app.window.show_page("launch")
        press("stopServerButton")
        yield lambda: self._find(QPushButton, "launchButton").isVisible()
        if not isinstance(self._engine, RealEngine):
            yield from self._failing()

    def _launching(self) -> Generator[Condition]:
        from PySide6.QtWidgets import QPushButton

        self._engine.behave("--step", "0.5", FAKE_ANSWER_FILE=str(self._answer), FAKE_TOKENS_PER_S="60")
        yield from self._picture("launch", "options")
        self.app.window.show_page("models")
        self._press(f"launch-{self._model}")
        yield lambda: any(step.note for step in self._timeline().steps[1:])
        yield from self._picture("launch", "starting")
        yield lambda: self._find(QPushButton, "stopServerButton").isVisible()
        yield from self._picture("launch", "ready")

    def _chatting(self) -> Generator[Condition]:
        from PySide6.QtWidgets import QPlainTextEdit, QPushButton

        from scripts.chat_states import chat_states

        yield from self._picture("chat", "empty")
        self._find(QPlainTextEdit, "chatInput").setPlainText("What is the capital of France? Answer in one sentence.")
        self._press("sendButton")
        yield lambda: self._find(QPushButton, "stopAnswerButton").isVisible()
        if not isinstance(self._engine, RealEngine):
            yield self._after(400)
            yield from self._picture("chat", "answering")
        yield lambda: self._find(QPushButton, "sendButton").isVisible()
        yield from self._picture("chat", "answered")
        if not isinstance(self._engine, RealEngine):
            yield from chat_states(self.app, self._save)

    def _failing(self) -> Generator[Condition]:
        self._engine.behave("--die-in", "load")
        self._press("launchButton")
        yield lambda: self._visible("errorBanner")
        yield from self._picture("launch", "failed")

    # ---- means -----------------------------------------------------------------------------------------------------

    def _picture(self, page: str, state: str) -> Generator[Condition]:
        self.app.window.show_page(page)
        yield self._after(200)
        self._save(f"{page}-{state}", self.app.window)

    def _save(self, what: str, widget: QWidget) -> None:
        self._last = what
        if not self._states or what in self._states:
            widget.grab().save(str(self._out / f"{self._name}-{what}.png"))

    def _after(self, milliseconds: int) -> Condition:
        from PySide6.QtCore import QElapsedTimer

        clock = QElapsedTimer()
        clock.start()
        return lambda: clock.elapsed() >= milliseconds

    def _find(self, kind: type[W], name: str) -> W:
        found = self.app.window.findChildren(kind, name)
        return next((widget for widget in found if widget.isVisible()), found[0])

    def _press(self, name: str) -> None:
        from PySide6.QtWidgets import QPushButton

        self._find(QPushButton, name).click()

    def _visible(self, name: str) -> bool:
        from PySide6.QtWidgets import QWidget

        return any(widget.isVisible() for widget in self.app.window.findChildren(QWidget, name))

    def _timeline(self) -> PhaseTimeline:
        from gui.widgets.phase_timeline import PhaseTimeline

        return self._find(PhaseTimeline, "phaseTimeline")


if __name__ == "__main__":
    main()
