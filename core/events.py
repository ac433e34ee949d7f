"""All that the outside may hear: frozen snapshots, emitted on the runtime thread.

Delivery (used by `gui.bridge`): a `LATEST` event may replace an older one of the same key that was not delivered yet, a
`JOINED` one is merged with it (`merged`), every other event is delivered in order and never dropped.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from core.errors import AppError, Fact
from core.speed_card import NO_FIGURES, SpeedCard

if TYPE_CHECKING:
    from core.engine_records import Canary, HalfInstall
    from core.experiment.result import Result
    from core.machine.budget import MemoryLedger
    from core.machine.history import History
    from core.machine.model import Machine
    from core.preflight.finding import Preflight

log = logging.getLogger(__name__)


class Delivery(enum.Enum):
    EVERY = "every"
    LATEST = "latest"
    JOINED = "joined"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An `AppError` as a value. `last_words` are the final log lines of the process that failed, oldest first."""

    code: str
    detail: str = ""
    facts: dict[str, Fact] = field(default_factory=dict[str, Fact])
    last_words: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: AppError, last_words: tuple[str, ...] = ()) -> ErrorInfo:
        return cls(error.code, error.detail, dict(error.facts), last_words)


@dataclass(frozen=True, slots=True)
class Event:
    """`lasting`: it says how something is, and whoever begins to listen later must hear the last one of its key."""

    delivery: ClassVar[Delivery] = Delivery.EVERY
    lasting: ClassVar[bool] = False

    @property
    def key(self) -> str:
        """Events of one class and one key may replace or join each other."""
        return ""


# ---- engines -------------------------------------------------------------------------------------------------------


class EngineState(enum.StrEnum):
    READY = "ready"
    INSTALLING = "installing"
    BROKEN = "broken"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An installed vLLM.

    `id` is the folder name ("cpu-0.32.0") or, for a user's own, "own-<hash>"; `platform` is vLLM's device type
    ("cpu", "cuda", "rocm", "xpu", ""); `python` the interpreter that runs it; `size_bytes` 0 when unknown;
    `ours` is False for an environment that the user pointed at (never changed, never removed by us). `kind` is what
    installs one like it ("cpu", "cuda129", "" for a user's own); `third_party`: not built by the vLLM project; `steady`
    False for a build of the day; times are Unix seconds, 0.0 for never.
    """

    id: str
    state: EngineState
    version: str
    platform: str
    python: str
    python_version: str
    ours: bool
    size_bytes: int = 0
    error: ErrorInfo | None = None
    kind: str = ""
    torch: str = ""
    third_party: bool = False
    steady: bool = True
    installed_at: float = 0.0
    checked_at: float = 0.0
    canary: Canary | None = None

    @property
    def trusted(self) -> bool:
        """Whether it may become the default without being chosen: a release that has failed no trial."""
        return self.steady and (self.canary is None or self.canary.passed)


@dataclass(frozen=True, slots=True)
class EnginesChanged(Event):
    """`previous` is the default before the present one: where rolling back leads, None where nowhere."""

    lasting: ClassVar[bool] = True

    engines: tuple[EngineInfo, ...]
    selected: str | None
    halves: tuple[HalfInstall, ...] = ()
    previous: str | None = None


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """Progress of long work. `job` names it ("engine:cpu-0.32.0", "model:starter"); `step` is a word id for the present
    step, the `step_index`-th (from 1) of `step_count`; totals are 0 when unknown; `rate` is bytes per second over the
    last seconds; `eta_s` None when unknown."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    job: str
    step: str
    step_index: int
    step_count: int
    done_bytes: int = 0
    total_bytes: int = 0
    rate: float = 0.0
    eta_s: float | None = None
    note: str = ""

    @property
    def key(self) -> str:
        return self.job


@dataclass(frozen=True, slots=True)
class JobDone(Event):
    """The end of long work; `error` None when it went well. A cancelled job ends with `install.cancelled`."""

    job: str
    error: ErrorInfo | None = None


# ---- models --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that can be launched. `path` is None while the starter is not made yet; sizes in bytes, 0 if unknown."""

    id: str
    name: str
    path: str | None
    size_bytes: int
    architecture: str = ""
    context_tokens: int = 0
    error: ErrorInfo | None = None

    @property
    def ready(self) -> bool:
        return self.path is not None and self.error is None


@dataclass(frozen=True, slots=True)
class ModelsChanged(Event):
    lasting: ClassVar[bool] = True

    models: tuple[ModelInfo, ...]


# ---- the server ----------------------------------------------------------------------------------------------------


class ServerState(enum.StrEnum):
    IDLE = "idle"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


class Phase(enum.StrEnum):
    """The phases of a start, in order."""

    ENVIRONMENT = "environment"
    LOAD = "load"
    COMPILE = "compile"
    KV_CACHE = "kv_cache"
    WARM_UP = "warm_up"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """One phase of the running launch. Times are seconds since the launch began; `ended_s` None while it runs.
    `fraction` (0-1) where the log tells it (weights loaded), else None."""

    phase: Phase
    began_s: float
    ended_s: float | None = None
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class ServerStatus(Event):
    """The server as everyone but the supervisor sees it.

    `port` 0 until one is chosen; `started_monotonic` is `time.monotonic()` at the click; `kept` when it survives the
    app; `reattached` when an earlier run of the app began it; `expected`: seconds that each phase took in earlier
    launches like this one, in their order, () before the first (see `core.engine.eta`).
    """

    lasting: ClassVar[bool] = True

    state: ServerState = ServerState.IDLE
    launch_id: str = ""
    model: str = ""
    engine: str = ""
    port: int = 0
    phases: tuple[PhaseTime, ...] = ()
    started_monotonic: float = 0.0
    error: ErrorInfo | None = None
    kept: bool = False
    reattached: bool = False
    max_model_len: int = 0
    expected: tuple[tuple[Phase, float], ...] = ()

    @property
    def phase(self) -> Phase | None:
        return self.phases[-1].phase if self.phases else None


@dataclass(frozen=True, slots=True)
class Preflighted(Event):
    """What a look before the launch of `model` found. When it blocks, the launch ends with that finding's code."""

    lasting: ClassVar[bool] = True

    model: str
    preflight: Preflight


@dataclass(frozen=True, slots=True)
class ComparisonChanged(Event):
    """What a comparison has measured so far; `folder` of its report, "" while there is none."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    result: Result
    folder: str = ""


@dataclass(frozen=True, slots=True)
class LogLines(Event):
    """New lines of the server's log, redacted, without ANSI codes. `dropped` counts lines left out before them."""

    delivery: ClassVar[Delivery] = Delivery.JOINED
    lasting: ClassVar[bool] = True
    KEEP: ClassVar[int] = 2000

    launch_id: str
    lines: tuple[str, ...]
    dropped: int = 0

    @property
    def key(self) -> str:
        return self.launch_id

    def merged(self, newer: LogLines) -> LogLines:
        lines = self.lines + newer.lines
        lost = max(0, len(lines) - self.KEEP)
        return LogLines(self.launch_id, lines[lost:], self.dropped + newer.dropped + lost)


# ---- chat ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChatDelta(Event):
    """New text of the running answer; joined per frame. `speed` is the live figure. `moved`: all that was taken for
    text until now turned out to be thinking (a `</think>` without its opening tag); `text` and `reasoning` come after
    that move."""

    delivery: ClassVar[Delivery] = Delivery.JOINED

    answer_id: str
    text: str = ""
    reasoning: str = ""
    speed: SpeedCard = NO_FIGURES
    moved: bool = False

    @property
    def key(self) -> str:
        return self.answer_id

    def merged(self, newer: ChatDelta) -> ChatDelta:
        if newer.moved:
            return replace(newer, reasoning=self.reasoning + self.text + newer.reasoning)
        return replace(newer, text=self.text + newer.text, reasoning=self.reasoning + newer.reasoning, moved=self.moved)


class FinishReason(enum.StrEnum):
    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"
    ERROR = "error"
    INTERRUPTED = "interrupted"  # Stowage itself ended in mid-answer


@dataclass(frozen=True, slots=True)
class ChatDone(Event):
    """The end of an answer; what came before a failure is kept. `text` is all of it, also when an earlier part was
    continued; `trimmed`: how many of the oldest messages were left out to fit the context."""

    answer_id: str
    text: str
    reasoning: str
    finish: FinishReason
    speed: SpeedCard
    error: ErrorInfo | None = None
    trimmed: int = 0

    @property
    def blank(self) -> bool:
        """It ended by itself and has nothing to show: the model spent its tokens on what nobody sees."""
        return self.finish in (FinishReason.STOP, FinishReason.LENGTH) and not self.text.strip()


# ---- the machine ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MachineChanged(Event):
    """One sample of the monitor: the computer, who holds its memory, and the last ten minutes for a sparkline."""

    delivery: ClassVar[Delivery] = Delivery.LATEST
    lasting: ClassVar[bool] = True

    machine: Machine
    ledger: MemoryLedger
    history: History


# ---- the app -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """News that is no answer to a click: a settings file set aside, a kept server found. Shown as a banner."""

    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class ShowWindow(Event):
    """A second copy was started: bring the window of this one to the front."""


Listener = Callable[[Event], None]


class EventBus:
    """Hands each event to every listener, on the caller's thread. A listener that raises is logged, never fatal."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def emit(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                log.exception("a listener failed on %s", type(event).__name__)
