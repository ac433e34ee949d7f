"""What a comparison has measured, as plain frozen values; `as_json` is what the result folder keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.events import ErrorInfo
from core.experiment.spec import Comparison
from core.experiment.statistics import Ratio, Summary, first_difference, ratio, summarise


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. Times in seconds; `rate` decode tokens per second, None where it was too short to tell."""

    prompt: int
    repeat: int
    text: str
    ttft_s: float | None
    rate: float | None
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Proved:
    """A verdict on one option that was asked for, in vLLM's spelling."""

    option: str
    asked: str
    verdict: str
    found: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One launch. `memory`: bytes by figure, as the ledger of launches has them; `log` the file's name in the result
    folder; `error` why it has no answers, or not all of them."""

    label: str
    number: int
    command: str = ""
    version: str = ""
    engine: str = ""
    ready_s: float | None = None
    phases: tuple[tuple[str, float], ...] = ()
    memory: tuple[tuple[str, float], ...] = ()
    kv_tokens: float | None = None
    proof: tuple[Proved, ...] = ()
    answers: tuple[Answer, ...] = ()
    log: str = ""
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Two greedy answers to one prompt that are not equal: the texts from `at` on differ."""

    prompt: int
    at: int
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Result:
    """`state`: "running", "done", "cancelled" or "failed". Times are Unix seconds. `revision`: the commit in the Hub's
    cache that the files are from, "" unknown."""

    comparison: Comparison
    model_path: str
    revision: str
    machine: str
    stowage: str
    began_at: float
    state: str = "running"
    ended_at: float | None = None
    runs: tuple[Run, ...] = ()

    def of(self, label: str) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.label == label)

    def rates(self, label: str) -> list[float]:
        return [answer.rate for run in self.of(label) for answer in run.answers if answer.rate is not None]

    def waits(self, label: str) -> list[float]:
        return [answer.ttft_s for run in self.of(label) for answer in run.answers if answer.ttft_s is not None]

    def summaries(self, label: str) -> dict[str, Summary | None]:
        return {"rate": summarise(self.rates(label)), "ttft_s": summarise(self.waits(label))}

    def ratios(self) -> dict[str, Ratio | None]:
        return {
            "rate": ratio(self.rates("A"), self.rates("B")),
            "ttft_s": ratio(self.waits("A"), self.waits("B")),
        }

    def differences(self) -> tuple[Difference, ...]:
        """The first unequal answers of each prompt, over all runs and repeats."""
        found: list[Difference] = []
        for prompt in range(len(self.comparison.prompts)):
            a, b = (self._texts(label, prompt) for label in "AB")
            pairs = ((x, y, first_difference(x, y)) for x in a for y in b)
            unequal = next(((x, y, at) for x, y, at in pairs if at is not None), None)
            if unequal is not None:
                found.append(Difference(prompt, unequal[2], unequal[0], unequal[1]))
        return tuple(found)

    def unstable(self, label: str) -> tuple[int, ...]:
        """Prompts to which one side alone gave different greedy answers."""
        return tuple(p for p in range(len(self.comparison.prompts)) if len(set(self._texts(label, p))) > 1)

    def _texts(self, label: str, prompt: int) -> list[str]:
        return [answer.text for run in self.of(label) for answer in run.answers if answer.prompt == prompt]

    def with_run(self, run: Run) -> Result:
        """The same with `run` in place of the one of its number, or added."""
        kept = [other for other in self.runs if other.number != run.number]
        return replace(self, runs=tuple(sorted((*kept, run), key=lambda each: each.number)))


def as_json(result: Result) -> dict[str, Any]:
    found = asdict(result)
    found["comparison"]["order"] = str(result.comparison.order)
    sides = {label: result.summaries(label) for label in "AB"}
    found["summary"] = {
        label: {name: asdict(summary) if summary else None for name, summary in side.items()}
        for label, side in sides.items()
    }
    found["ratio_b_to_a"] = {name: asdict(r) | {"clear": r.clear} if r else None for name, r in result.ratios().items()}
    found["differences"] = [asdict(difference) for difference in result.differences()]
    found["unstable"] = {label: list(result.unstable(label)) for label in "AB"}
    return found


def means(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each name over those that have it, in the order of their first mention."""
    names = list(dict.fromkeys(name for each in found for name in each))
    values = {name: [each[name] for each in found if name in each] for name in names}
    return {name: sum(each) / len(each) for name, each in values.items()}
