"""An answer at 500 tokens a second on the screen: what a token costs the GUI thread, and how long it is ever held up.

Real widgets (`MessageList`, `Answer`), the real bridge and runtime, offscreen. A stream of prose, lists, tables, code
and maths comes in batches of 16 ms, as the bridge brings them, with a live figure each time. Cost = CPU time of the GUI
thread less that of the harness alone, and the same of the first and the last 4,000 tokens of the longest answer
(medians of 500 tokens each: has it grown?); a stall = CPU time of one turn of the event loop (from one sleep to the
next), so that other work on the machine does not count; the wall time between beats of a 5 ms timer stands beside it.
The same stream goes through `QTextBrowser.setMarkdown`, as often as we write, as a comparison in the same run. Writes
`artefacts/bench/chat.json`.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication, QTextBrowser, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.runtime import Runtime
from core.speed_card import NO_FIGURES, SpeedCard
from gui.bridge import Bridge
from gui.pages.chat.message_list import MessageList
from gui.pages.chat.messages import Answer
from gui.pages.chat.rendering import Rendering
from gui.theme import Theme
from tests.support.chat_corpus import CHARACTERS_PER_TOKEN, LONG_CODE, stream
from tests.support.gui_turns import Turns, wait

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
RESULT = Path(__file__).parents[2] / "artefacts" / "bench" / "chat.json"
BATCH_MS = 16
FLUSH_MS = 33
TOKENS_PER_S = 500
SIZE = (900, 700)
STEP = 500
END = 8

ALLOWED_MS_PER_TOKEN = 0.2
ALLOWED_GROWTH = 1.2
ALLOWED_STALL_MS = 16.0


@dataclass
class Measured:
    """`steps`: CPU seconds for each `STEP` tokens one after another, the harness among them."""

    cpu_s: float
    turns: Turns
    steps: list[float]

    def row(self, tokens: int, harness_s: float) -> dict[str, float]:
        ordered = sorted(self.turns.cpu_ms)
        return {
            "ms_per_token": round((self.cpu_s - harness_s) * 1000 / tokens, 4),
            "first_ms_per_token": self._median(self.steps[:END], harness_s / tokens),
            "last_ms_per_token": self._median(self.steps[-END:], harness_s / tokens),
            "worst_stall_cpu_ms": round(ordered[-1], 2),
            "p99_turn_cpu_ms": round(ordered[int(len(ordered) * 0.99)], 2),
            "worst_beat_wall_ms": round(max(self.turns.beats_ms), 1),
            "rss_mib": round(psutil.Process().memory_info().rss / 2**20, 1),
        }

    @staticmethod
    def _median(steps: list[float], harness_s: float) -> float:
        return round((statistics.median(steps) / STEP - harness_s) * 1000, 4)


def fed(text: str, take: Callable[[str], None], finish: Callable[[], bool]) -> Measured:
    """Bring `text` at 500 tokens a second to `take`; `finish` until it says True."""
    loop, turns, timer = QEventLoop(), Turns(), QTimer()
    began = time.perf_counter()
    at = 0
    marks = [time.thread_time()]

    def tick() -> None:
        nonlocal at
        due = min(len(text), round((time.perf_counter() - began) * TOKENS_PER_S * CHARACTERS_PER_TOKEN))
        if at < len(text):
            if due > at:
                take(text[at:due])
                at = due
                if due >= len(marks) * STEP * CHARACTERS_PER_TOKEN:
                    marks.append(time.thread_time())
        elif finish():
            timer.stop()
            loop.quit()

    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(BATCH_MS)
    spent = time.thread_time()
    turns.begin()
    loop.exec()
    turns.end()
    steps = [after - before for before, after in itertools.pairwise(marks)] or [time.thread_time() - spent]
    return Measured(time.thread_time() - spent, turns, steps)


@pytest.fixture
def rendering(qtbot: QtBot, qapp: QApplication) -> Iterator[Rendering]:
    Theme(qapp, "light")  # with the style sheet, as in the app
    gc.freeze()  # as the app does: what was there before is not looked at again
    bridge, runtime, heard = Bridge(), Runtime(), list[str]()

    def start() -> tuple[Runtime, str]:
        runtime.start()
        return runtime, "ready"

    bridge.start(start, owner=bridge, done=heard.append)
    qtbot.waitUntil(lambda: bool(heard))
    yield Rendering(bridge, bridge)
    qtbot.waitUntil(bridge.stop)


def new_list(qtbot: QtBot) -> MessageList:
    made = MessageList()
    qtbot.addWidget(made)
    made.resize(*SIZE)
    made.show()
    qtbot.waitExposed(made)
    return made


def ours(qtbot: QtBot, rendering: Rendering, text: str) -> Measured:
    messages, answer = new_list(qtbot), Answer("model", "en", rendering)
    messages.add(answer)
    came, ended = 0, False

    def take(piece: str) -> None:
        nonlocal came
        came += len(piece)
        tokens = round(came / CHARACTERS_PER_TOKEN)
        answer.add(piece, "", SpeedCard(completion_tokens=tokens, decode_tokens_per_s=500.0, ttft_s=0.1))

    def finish() -> bool:
        nonlocal ended
        if not ended:
            ended = True
            answer.finish(text, "", NO_FIGURES, "", None)
        return not answer.busy

    try:
        return fed(text, take, finish)
    finally:
        messages.hide()


def best(qtbot: QtBot, rendering: Rendering, tokens: int, times: int, base_s: float) -> dict[str, float]:
    """Other work on the machine only adds (caches, clock): the cheapest run is the cost. `base_s` per token."""
    runs: list[dict[str, float]] = []
    for _ in range(times):
        runs.append(ours(qtbot, rendering, stream(tokens)).row(tokens, base_s * tokens))
        wait(300)
    return min(runs, key=lambda run: run["ms_per_token"]) | {
        "worst_stall_cpu_ms": max(run["worst_stall_cpu_ms"] for run in runs)
    }


def set_markdown(qtbot: QtBot, text: str) -> Measured:
    """The simple way: the whole text through Qt's own Markdown, as often as we write."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(*SIZE)
    layout, view = QVBoxLayout(window), QTextBrowser()
    layout.addWidget(view)
    window.show()
    shown, last = "", 0.0

    def take(piece: str) -> None:
        nonlocal shown, last
        shown += piece
        if time.perf_counter() - last >= FLUSH_MS / 1000:
            view.setMarkdown(shown)
            view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
            last = time.perf_counter()

    def finish() -> bool:
        view.setMarkdown(shown)
        return True

    try:
        return fed(text, take, finish)
    finally:
        window.hide()


def harness(text: str) -> float:
    """CPU seconds of the harness alone."""
    return fed(text, lambda _piece: None, lambda: True).cpu_s


@pytest.mark.bench
@pytest.mark.timeout(600)
def test_an_answer_costs_the_same_however_long_it_is(qtbot: QtBot, rendering: Rendering) -> None:
    ours(qtbot, rendering, stream(300))  # imports, fonts and icons are not what is measured
    wait(300)
    rows: dict[str, dict[str, float]] = {}
    base_s = harness(stream(4_000)) / 4_000
    for tokens, times in ((1_000, 3), (4_000, 2), (16_000, 2)):
        rows[f"Stowage, {tokens} tokens"] = best(qtbot, rendering, tokens, times, base_s)
    code_tokens = round(len(LONG_CODE) / CHARACTERS_PER_TOKEN)
    code = f"Before.\n\n{LONG_CODE}\nAfter $x^2$.\n"
    rows["Stowage, 500 lines of code"] = ours(qtbot, rendering, code).row(code_tokens, base_s * code_tokens)
    wait(1500)
    for tokens in (1_000, 4_000):
        rows[f"setMarkdown at 30 Hz, {tokens} tokens"] = set_markdown(qtbot, stream(tokens)).row(
            tokens, base_s * tokens
        )
    report = {
        "rows": rows,
        "browsers": "measured by bench_chat_rivals.py, in chat_rivals.json",
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1, ensure_ascii=False))
    check(rows)


def check(rows: dict[str, dict[str, float]]) -> None:
    small, large = rows["Stowage, 1000 tokens"], rows["Stowage, 16000 tokens"]
    for row in (small, large):
        assert row["ms_per_token"] <= ALLOWED_MS_PER_TOKEN
    # In one and the same run: two runs meet different neighbours on the machine.
    assert large["last_ms_per_token"] <= ALLOWED_GROWTH * large["first_ms_per_token"]
    assert (
        max(row["worst_stall_cpu_ms"] for name, row in rows.items() if name.startswith("Stowage")) <= ALLOWED_STALL_MS
    )
    assert rows["setMarkdown at 30 Hz, 4000 tokens"]["ms_per_token"] > rows["Stowage, 4000 tokens"]["ms_per_token"]
