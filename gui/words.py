"""Words of failures in the window's language, and names of states. The texts of failures live in `resources/words`."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.events import EngineInfo, EngineState, ErrorInfo, Phase, ServerState, ServerStatus
from core.words import Words, explain, term


class Speech(QObject):
    """One language. Everything that more than one page says the same way is said here."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language

    def explain(self, error: ErrorInfo) -> Words:
        return explain(error, self.language)

    def phase(self, phase: Phase) -> str:
        return term("phase", phase, self.language)

    def phase_meaning(self, phase: Phase) -> str:
        return {
            Phase.ENVIRONMENT: self.tr("vLLM starts in its own environment and reads the model's configuration."),
            Phase.LOAD: self.tr("The model's weights are read from disk into memory."),
            Phase.COMPILE: self.tr("The model is compiled for this machine. Faster start leaves this out."),
            Phase.KV_CACHE: self.tr("Memory for the conversation is set aside."),
            Phase.WARM_UP: self.tr("A first trial run, so that your first answer comes fast."),
            Phase.READY: self.tr("The server answers."),
        }[phase]

    def server(self, status: ServerStatus) -> str:
        if status.state is ServerState.STARTING and status.phase is not None:
            return self.tr("Starting: {phase}").format(phase=self.phase(status.phase))
        return term("state", status.state, self.language)

    def engine(self, engine: EngineInfo) -> str:
        """ "vLLM 0.32.0, CPU"."""
        if not engine.version:
            return engine.id
        platform = self.platform(engine.platform)
        return self.tr("vLLM {version}, {platform}").format(version=engine.version, platform=platform)

    def platform(self, platform: str) -> str:
        names = {"cpu": self.tr("CPU"), "cuda": "CUDA", "rocm": "ROCm", "xpu": "XPU"}
        return names.get(platform, platform or self.tr("unknown device"))

    def engine_state(self, state: EngineState) -> str:
        return capital(term("engine_state", state, self.language))

    def percent(self, fraction: float) -> str:
        return self.tr("{percent} %").format(percent=round(100 * fraction))

    def step(self, step: str) -> str:
        """A step of long work, from the word id in `events.Progress`."""
        return term("step", step, self.language)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
