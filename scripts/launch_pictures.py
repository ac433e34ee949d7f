"""Pictures of the Launch page after the click, from crafted snapshots, without a screen:
`python scripts/launch_pictures.py [--out FOLDER]`. Each combination is a process of its own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gui.app import App

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZES = {"small": (1024, 640), "large": (1600, 1000)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "artefacts" / "screenshots")
    parser.add_argument("--only", default="")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.child:
        language, theme, size = args.child
        draw(language, theme, size, args.out)
        return
    for language, theme, size in product(("en", "ru"), ("light", "dark"), SIZES):
        if args.only in f"{language}-{theme}-{size}":
            command = [sys.executable, __file__, "--out", str(args.out), "--child", language, theme, size]
            subprocess.run(command, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"}, check=True)


def draw(language: str, theme: str, size: str, out: Path) -> None:
    """One picture every 0.4 s: by then the window has laid itself out."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from core.paths import HOME_ENV, Paths
    from gui.app import App

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ[HOME_ENV] = str(home)
        paths = Paths.of_user()
        paths.config.mkdir(parents=True)
        paths.settings_file.write_text(f'{{"version": 1, "language": "{language}", "theme": "{theme}"}}')
        application = QApplication([])
        app = App(application, paths, owns_process=False)
        app.window.resize(*SIZES[size])
        shown: list[str] = []
        states: list[Iterator[str]] = []
        timer = QTimer(interval=400, singleShot=True)

        def turn() -> None:
            for name in shown:
                (application.activeModalWidget() or app.window).grab().save(
                    str(out / f"{language}-{theme}-{size}-launch-{name}.png")
                )
            shown[:] = [state] if (state := next(states[0], "")) else []
            if shown:
                timer.start()
            else:
                app.quit(ask=False)

        timer.timeout.connect(turn)
        app.filled.connect(lambda: (states.append(pictures(app, language)), timer.start()))
        app.ended.connect(application.quit)
        app.show()
        application.exec()


def pictures(app: App, language: str) -> Iterator[str]:
    """The page is fed with the events it would hear of a launch on a computer with a card."""
    from PySide6.QtWidgets import QPushButton

    from core.engine.endpoint import Endpoint
    from core.errors import AppError
    from core.events import ErrorInfo, LogLines, Preflighted, ServerStatus
    from core.preflight.finding import Finding, Preflight, Remedy, Severity
    from gui.pages.launch.page import LaunchPage
    from gui.pages.launch.run.run_words import RunWords
    from gui.words import Speech

    bridge = app.bridge
    assert bridge is not None
    app.window.show_page("launch")
    page: Any = app.window.findChild(LaunchPage)
    say = bridge.post

    def press(name: str) -> None:
        found: Any = app.window.findChild(QPushButton, name)
        found.click()

    status = starting()
    no_compiler = AppError("preflight.no_compiler", compiler="gcc")
    shm = AppError("preflight.shm_small", free_bytes=64 << 20, needed_bytes=128 << 20)
    findings = (
        Finding(Severity.BLOCK, ErrorInfo.of(no_compiler), Remedy("eager")),
        Finding(Severity.WARN, ErrorInfo.of(shm)),
        Finding(Severity.INFO, ErrorInfo.of(AppError("preflight.other_server", model="Qwen3-0.6B", port=8001))),
    )
    words = RunWords(Speech(language), page)
    page.show_checks(tuple(map(words.check, findings)), anyway=True)
    yield "blocked"
    unknown = AppError("option.unlike", flag="--swap-space")
    page.show_checks(
        (words.check(Finding(Severity.BLOCK, ErrorInfo.of(unknown), Remedy("drop_flag", "--swap-space"))),), anyway=True
    )
    yield "blocked-word"
    page.checks.hide()
    say(LogLines("l", LOG))
    page.starting.begin("Qwen3-8B")
    say(Preflighted("m", Preflight(findings[1:])))
    say(status)
    yield "starting"

    for event in running(status):
        say(event)
    page.server.connect_card.show_endpoint(Endpoint("http://127.0.0.1:8123", "Qwen3-8B", "s" * 32), "")
    page.server.figures.show_lines(tuple(words.figure(figure, runs) for figure, runs in came()))
    yield "running"
    for tab in ("proof", "memory", "connect", "serving", "log"):
        press(f"readyTab-{tab}")
        yield f"running-{tab}"

    for event in failing(status):
        say(event)
    yield "failed"
    for event in lacking(status):
        say(event)
    yield "failed-lacking"
    say(ServerStatus())
    page.banner.dismiss()
    yield from history(page, words)


def history(page: Any, words: Any) -> Iterator[str]:
    from core.events import ErrorInfo
    from core.ledger.record import Figure, Identity, LaunchRecord, Outcome
    from gui.dialogs.launch_history import LaunchHistory

    identity = Identity("RTX 3060", "580", "cuda-0.33.0", "0.33.0", "cuda", "Qwen3ForCausalLM", "", eager=True)
    good = LaunchRecord(
        "a", 1_796_000_000.0, Outcome.READY, "Qwen/Qwen3-8B", identity, "m", "python -m vllm… --max-model-len 8192", {},
        "1", 43.0, None, {"load": 21.0, "kv_cache": 3.0}, (Figure("vram.weights", 1e10, 1e10, 1e10, 1e10, 1.02e10),),
    )  # fmt: skip
    bad = replace(good, id="b", outcome=Outcome.FAILED, error=ErrorInfo("engine.fail.no_compiler"), ready_s=None)
    dialog = LaunchHistory(page, words, (bad, good), {})
    dialog.open()
    yield "history"
    dialog.accept()


FOLDER = "/models/of/somebody/Qwen3-8B"
LOG = (
    "(APIServer pid=7) INFO 11-29 20:47:20 [utils.py:286] non-default args: {'max_model_len': 8192}",
    "(EngineCore pid=8) INFO 11-29 20:47:40 [gpu_model_runner.py:3068] Starting to load model Qwen3-8B...",
    "Loading safetensors checkpoint shards:  60% Completed | 3/5 [00:07<00:04,  2.26s/it]",
)


def starting() -> Any:
    import time

    from core.events import Phase, PhaseTime, ServerState, ServerStatus

    phases = (PhaseTime(Phase.ENVIRONMENT, 0.0, 9.0), PhaseTime(Phase.LOAD, 9.0, None, 0.62))
    usual = ((Phase.ENVIRONMENT, 9.0), (Phase.LOAD, 22.0), (Phase.COMPILE, 31.0), (Phase.KV_CACHE, 4.0))
    return ServerStatus(
        ServerState.STARTING, "l", "Qwen3-8B", "cuda-0.33.0", 8123, phases, time.monotonic() - 24, expected=usual
    )


def running(status: Any) -> Iterator[Any]:
    from core.engine.fixes import Fix
    from core.engine.launch_events import LaunchFixed, ProofChanged, VitalsChanged
    from core.engine.ple_proof import Counted
    from core.engine.vitals import Vitals
    from core.events import ErrorInfo, Phase, PhaseTime, ServerState

    yield LaunchFixed("l", ErrorInfo("engine.fail.no_compiler"), Fix("eager"))
    yield replace(status, state=ServerState.READY, phases=(*status.phases, PhaseTime(Phase.READY, 66.0)))
    yield ProofChanged("l", proof(), complete=True)
    limits = (ErrorInfo("server.slow_kv_full", facts={"count": 12}),)
    table = Counted(4210, 18_734, 9102, 8_465, 13_697_024, 0.21, 0.9)
    yield VitalsChanged("l", Vitals(2, 1, 0.83, 512.0, 41.3, 0.72, 12, 0.0, limits, table))


def proof() -> tuple[Any, ...]:
    from core.engine.finding import Finding, Verdict

    line = "(Worker pid=9) INFO [uva.py:120] Total CPU offloaded parameters: 6.10"
    table = (
        "(Worker pid=9) INFO [table.py:141] stowage-ple: 262144 x 10752, 5.25 GiB kept off the device: placement=disk"
    )
    return (
        Finding("kv_cache_dtype", "fp8", Verdict.NO_EFFECT, "auto", "other_value", "look_at_log"),
        Finding("max_num_seqs", "4", Verdict.CANNOT_TELL, "4", "only_accepted"),
        Finding("weight_offload", "6.1 GiB", Verdict.TOOK_EFFECT, "6.10 GiB", evidence=(line,)),
        Finding("ple_disk", "True", Verdict.TOOK_EFFECT, "5.25 GiB", evidence=(table,)),
        Finding("prefix_caching", "True", Verdict.TOOK_EFFECT, "True"),
        Finding("context", "8192", Verdict.TOOK_EFFECT, "8192"),
        Finding("served_name", FOLDER, Verdict.TOOK_EFFECT, FOLDER),
    )


def came() -> tuple[tuple[Any, int], ...]:
    from core.ledger.record import Figure

    gib = float(1 << 30)
    return (
        (Figure("vram.weights", 9.2 * gib, 9.2 * gib, 9.2 * gib, 9.2 * gib, 9.21 * gib), 0),
        (Figure("vram.kv_cache", 1.1 * gib, 1.1 * gib, 1.1 * gib, 1.1 * gib, 1.1 * gib), 0),
        (Figure("vram.overhead", 0.9 * gib, 1.2 * gib, 1.1 * gib, 1.3 * gib, 1.26 * gib), 4),
        (Figure("kv_tokens", 8192, 8192, 8192, 8192, 8192), 0),
        (Figure("decode_tokens_per_s", 3.5, 3.5, 3.0, 4.0, 3.8), 0),
    )


def failing(status: Any) -> Iterator[Any]:
    from core.engine.change import Change
    from core.engine.fixes import Fix
    from core.engine.launch_events import FixesFound
    from core.events import ErrorInfo, ServerState

    facts: dict[str, Any] = {
        "context": 40960,
        "needed_bytes": 4_703_000_000,
        "available_bytes": 3_100_000_000,
        "largest": 27216,
    }
    detail = "ValueError: To serve at least one request with the model's max seq len (40960), 4.38 GiB is needed"
    error = ErrorInfo("engine.fail.kv_too_small", detail, facts, LOG)
    yield replace(status, state=ServerState.FAILED, launch_id="f", error=error)
    fixes = (
        Fix("context", Change(context=27216), {"value": 27216}),
        Fix("kv_dtype", Change(kv_cache_dtype="fp8"), {"value": "fp8"}),
        Fix("other_model", action="other_model"),
    )
    yield FixesFound("f", fixes)


def lacking(status: Any) -> Iterator[Any]:
    from core.engine.fixes import Fix
    from core.engine.launch_events import FixesFound
    from core.events import ErrorInfo, ServerState

    error = ErrorInfo("engine.fail.not_cached", "Cannot find an appropriate cached snapshot folder", {}, LOG)
    yield replace(status, state=ServerState.FAILED, launch_id="g", error=error)
    model = "HuggingFaceTB/SmolLM2-135M-Instruct"
    yield FixesFound("g", (Fix("go_online", facts={"model": model}, fetch=model),))


if __name__ == "__main__":
    main()
