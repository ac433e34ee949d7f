"""One installed engine, and one that is only half installed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from core.engine_records import HalfInstall
from core.events import EngineInfo, EngineState
from core.words import show_fact
from gui import figures
from gui.theme import STEP
from gui.widgets.buttons import button
from gui.widgets.cards import column, row
from gui.widgets.one_line import OneLine
from gui.widgets.status_dot import Sign, StatusDot
from gui.widgets.texts import heading, plain, quiet, toned
from gui.words import Speech

SIGNS = {
    EngineState.READY: Sign.ON,
    EngineState.INSTALLING: Sign.BUSY,
    EngineState.BROKEN: Sign.BAD,
    EngineState.UNVERIFIED: Sign.OFF,
}
# Verb, and whether it needs an engine that is not being worked on.
Verb = tuple[str, str, str, bool]


class EngineCard(QFrame):
    """`wanted` with what to do ("select", "verify", "repair", "remove", "update", "build") and the engine's id."""

    wanted = Signal(str, str)

    def __init__(self, engine: EngineInfo, speech: Speech, *, selected: bool) -> None:
        super().__init__()
        self.setObjectName(f"engine-{engine.id}")
        self.setProperty("card", "chosen" if selected else "true")
        self._engine = engine
        self._speech = speech
        dot = StatusDot()
        dot.show_sign(SIGNS[engine.state])
        layout = column(self, spacing=STEP, margin=2 * STEP)
        top = row()
        top.addWidget(dot)
        top.addWidget(heading(speech.engine(engine)), 1)
        for text in self._chips(selected=selected):
            top.addWidget(toned("chip", text, wrap=False))
        layout.addLayout(top)
        layout.addWidget(quiet(self._about()))
        path = OneLine("quiet")
        path.set_full_text(engine.python)
        layout.addWidget(path)
        if engine.canary is not None:
            layout.addWidget(self._trial())
        if engine.error is not None:
            problem = speech.explain(engine.error)
            layout.addWidget(toned("bad", f"{problem.title}. {problem.sentence}"))
            layout.addWidget(plain(problem.next_step))
        layout.addLayout(self._buttons(selected=selected))

    def _chips(self, *, selected: bool) -> list[str]:
        engine = self._engine
        chips = [self.tr("third-party build")] if engine.third_party else []
        if not engine.steady:
            chips.append(self.tr("build of the day"))
        if engine.canary is not None and not engine.canary.passed:
            chips.append(self.tr("failed its trial"))
        if selected:
            chips.append(self.tr("default"))
        return chips

    def _about(self) -> str:
        engine, language = self._engine, self._speech.language
        parts = [self._speech.engine_state(engine.state)]
        if engine.python_version:
            parts.append(self.tr("Python {version}").format(version=engine.python_version))
        if engine.torch:
            parts.append(self.tr("PyTorch {version}").format(version=engine.torch))
        if engine.size_bytes:
            parts.append(figures.gib(engine.size_bytes, language))
        if not engine.ours:
            parts.append(self.tr("your own environment"))
        if engine.checked_at:
            parts.append(self.tr("checked {day}").format(day=figures.day(engine.checked_at, language)))
        return " · ".join(parts)

    def _trial(self):
        canary, language = self._engine.canary, self._speech.language
        assert canary is not None
        if canary.error is not None:
            words = self.tr("The trial failed at “{step}”: {reason}")
            told = canary.error.facts.get("reason")
            reason = (
                show_fact("reason", told, self._speech.language)
                if told
                else self._speech.explain(canary.error).sentence
            )
            return toned("bad", words.format(step=self._speech.step(canary.step), reason=reason))
        if canary.rate is None or canary.before_rate is None:
            return quiet(self.tr("The trial went well."))
        return quiet(
            self.tr(
                "The trial went well: {rate} tok/s with the starter model, {before} with the engine before."
            ).format(
                rate=figures.decimal(canary.rate, 1, language), before=figures.decimal(canary.before_rate, 1, language)
            )
        )

    def _buttons(self, *, selected: bool) -> QHBoxLayout:
        engine = self._engine
        idle = engine.state is not EngineState.INSTALLING
        usable = engine.state in (EngineState.READY, EngineState.UNVERIFIED)
        verbs: list[Verb] = [("verify", self.tr("Check"), self.tr("Import it and see what it says"), idle)]
        if not selected:
            verbs.insert(0, ("select", self.tr("Use"), self.tr("Launch models on this engine"), idle))
        verbs.append(("build", self.tr("What it can do"), self.tr("Options, architectures, quantizations"), usable))
        if engine.ours:
            if engine.kind and engine.steady:
                hint = self.tr("Ask the package index for a newer vLLM; nothing is installed by that")
                verbs.append(("update", self.tr("Look for an update"), hint, usable))
            verbs.append(("repair", self.tr("Repair"), self.tr("Install it again, keeping what is good"), idle))
        words = self.tr("Remove…") if engine.ours else self.tr("Take off the list…")
        verbs.append(("remove", words, "", True))
        line = row(spacing=STEP // 2)
        for verb, text, hint, enabled in verbs:
            made = button(text, f"{verb}-{engine.id}", kind="quiet")
            made.setToolTip(hint)
            made.setProperty("verb", verb)
            made.setEnabled(enabled)
            made.clicked.connect(self._clicked)
            line.addWidget(made)
        line.addStretch(1)
        return line

    def _clicked(self) -> None:
        self.wanted.emit(str(self.sender().property("verb")), self._engine.id)


class HalfCard(QFrame):
    """What a cut-off installation left. `wanted` with "resume" or "clean" and the engine's id."""

    wanted = Signal(str, str)

    def __init__(self, half: HalfInstall, speech: Speech) -> None:
        super().__init__()
        self.setObjectName(f"half-{half.id}")
        self.setProperty("card", "true")
        self._id = half.id
        layout = column(self, spacing=STEP, margin=2 * STEP)
        top = row()
        dot = StatusDot()
        dot.show_sign(Sign.OFF)
        top.addWidget(dot)
        top.addWidget(heading(self.tr("{engine}, not finished").format(engine=half.title)), 1)
        layout.addLayout(top)
        about = self.tr("An installation was cut off. What it left takes {size}; it is not used for anything.")
        layout.addWidget(quiet(about.format(size=figures.gib(half.size_bytes, speech.language))))
        if half.step:
            layout.addWidget(quiet(self.tr("It had come to: {step}").format(step=speech.step(half.step))))
        line = row(spacing=STEP)
        hint = self.tr("Make the environment anew; what was downloaded is not downloaded again")
        for verb, text, tip in (("resume", self.tr("Finish it"), hint), ("clean", self.tr("Delete what is left"), "")):
            made = button(text, f"{verb}-{half.id}")
            made.setToolTip(tip)
            made.setProperty("verb", verb)
            made.clicked.connect(self._clicked)
            line.addWidget(made)
        line.addStretch(1)
        layout.addLayout(line)

    def _clicked(self) -> None:
        self.wanted.emit(str(self.sender().property("verb")), self._id)
