"""`LaunchFacts` out of the log, batch by batch. Pure but for its own memory.

Wordings of vLLM 0.8.5, 0.10.2, 0.12, 0.16, 0.21, 0.28 and 0.33 as read in their sources, and of 0.32 (CPU build) as
recorded in `tests/data/engine-logs`. `file.py:line` is never looked at: it moves. Numbers may have thousands
separators, and a message may go on in the next line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from core.engine.facts import GIB, LaunchFacts, WorkerFacts
from core.engine.log_scan import split, with_any, worker_of

GB: Final = 10**9
_NUMBER: Final = r"([\d,]+(?:\.\d+)?)"


@dataclass
class _Notes:
    """What was read so far: plain facts by name, figures by worker, KV cache on NUMA nodes."""

    values: dict[str, Any] = field(default_factory=dict[str, Any])
    workers: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    nodes: dict[str, int] = field(default_factory=dict[str, int])
    warnings: dict[str, None] = field(default_factory=dict[str, None])
    evidence: dict[str, str] = field(default_factory=dict[str, str])
    plugin_lines: dict[str, None] = field(default_factory=dict[str, None])


# Workers and tables of one server are fewer; a row that cannot be read says so at every step.
_PLUGIN_LINES: Final = 64
_Take = Callable[[_Notes, str, "re.Match[str]"], None]


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _fact(name: str, convert: Callable[[str], Any] = str) -> _Take:
    """A fact of the whole launch: the first group of the pattern."""

    def take(notes: _Notes, line: str, match: re.Match[str]) -> None:
        notes.values[name] = convert(match[1])
        notes.evidence[name] = line

    return take


def _of_worker(name: str, unit: int) -> _Take:
    """A figure of one worker. One that says it again has thought better of it: the last one counts."""

    def take(notes: _Notes, line: str, match: re.Match[str]) -> None:
        notes.workers.setdefault(worker_of(line), {})[name] = round(_number(match[1]) * unit)
        notes.evidence[name] = line

    return take


def _warning(word: str) -> _Take:
    def take(notes: _Notes, line: str, match: re.Match[str]) -> None:
        notes.warnings[word] = None
        notes.evidence[word] = line

    return take


def _on_node(notes: _Notes, line: str, match: re.Match[str]) -> None:
    notes.nodes[f"{worker_of(line)} {match[2]}"] = round(_number(match[1]) * GIB)
    notes.evidence["kv_bytes"] = line


def _whole(text: str) -> int:
    return int(_number(text))


def _true(text: str) -> bool:
    return text == "True"


def _or_none(text: str) -> str:
    return "" if text == "None" else text


def _name(text: str) -> str:
    return text.strip("'\" ")


_CONFIG: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], Any]], ...]] = tuple(
    (name, re.compile(pattern), convert)
    for name, pattern, convert in (
        ("dtype", r" dtype=(?:torch\.)?(\w+)", str),
        ("max_model_len", r" max_seq_len=(\d+)", int),
        ("tensor_parallel", r" tensor_parallel_size=(\d+)", int),
        ("quantization", r" quantization=(\w+)", _or_none),
        ("enforce_eager", r" enforce_eager=(True|False)", _true),
        ("kv_cache_dtype", r" kv_cache_dtype=(\w+)", str),
        ("device", r" device_config=(\w+)", str),
        ("served_name", r" served_model_name=([^,]+),", _name),
        ("prefix_caching", r" enable_prefix_caching=(True|False)", _true),
    )
)
_ACCEPTED: Final = re.compile(r"'(\w+)': ('[^']*'|\[[^\]]*\]|[\w.+-]+)")


def _config(notes: _Notes, line: str, match: re.Match[str]) -> None:
    """The engine's own account of its settings, one long line."""
    notes.values |= {"engine": match[1], "version": match[2]}
    notes.evidence |= {"engine": line, "version": line}
    for name, pattern, convert in _CONFIG:
        if found := pattern.search(line, match.end()):
            notes.values[name] = convert(found[1])
            notes.evidence[name] = f"… {found[0].strip(', ')} …"


def _echo(notes: _Notes, line: str, match: re.Match[str]) -> None:
    """The first thing that a server says of itself: what workers of an earlier try said is over."""
    notes.workers.clear()
    notes.nodes.clear()
    notes.plugin_lines.clear()
    notes.values["accepted"] = tuple((name, value.strip("'")) for name, value in _ACCEPTED.findall(match[1]))
    notes.evidence["accepted"] = line


def _prefetched(notes: _Notes, line: str, match: re.Match[str]) -> None:
    _of_worker("offloaded_bytes", GB)(notes, line, match)


def _region(notes: _Notes, line: str, match: re.Match[str]) -> None:
    notes.values |= {"kv_region_path": match[1], "kv_region_bytes": round(_number(match[2]) * GB)}
    notes.evidence["kv_region"] = line


def _ple(notes: _Notes, line: str, match: re.Match[str]) -> None:
    notes.values |= {"ple_device": match[1], "ple_pinned": match[2] == "True"}
    notes.evidence["ple"] = line


def _plugin(notes: _Notes, line: str, match: re.Match[str]) -> None:
    if len(notes.plugin_lines) < _PLUGIN_LINES:
        notes.plugin_lines[line] = None


def _budget(notes: _Notes, line: str, match: re.Match[str]) -> None:
    worker = notes.workers.setdefault(worker_of(line), {})
    worker["activation_bytes"] = round(_number(match[1]) * GIB)


_RULES: Final[tuple[tuple[str, re.Pattern[str], _Take], ...]] = tuple(
    (word, re.compile(pattern), take)
    for word, pattern, take in (
        ("LLM engine (v", r"Initializing an? (V\d) LLM engine \(v([\w.+]+)\) with config:", _config),
        ("LLM engine (v", r"Initializing an LLM engine \((v)([\w.+]+)\) with config:", _config),
        ("non-default args", r"non-default args: (\{.*)", _echo),
        ("Resolved architecture: ", r"Resolved architecture: (\w+)", _fact("architecture")),
        (" GiB", rf"Model loading took\s+{_NUMBER} GiB", _of_worker("model_bytes", GIB)),
        (" GiB", rf"Available KV cache memory:\s+{_NUMBER} GiB", _of_worker("kv_bytes", GIB)),
        (" GiB", rf"Graph capturing finished in [\d.]+ secs?, took {_NUMBER} GiB", _of_worker("graph_bytes", GIB)),
        (" GiB", rf"(?:Explicitly|Auto) set \({_NUMBER}/[\d.,]+\) GiB for KV cache(?: on node (\d+))?", _on_node),
        (" GiB", rf"{_NUMBER} GiB for peak activation", _budget),
        ("KV cache size", rf"KV cache size:\s+{_NUMBER}\s+tokens", _fact("kv_tokens", _whole)),
        ("aximum concurrency", rf"[Mm]aximum concurrency for\s+[\d,]+\s+tokens per request:\s+{_NUMBER}x",
         _fact("concurrency", _number)),
        ("odel Runner", r"Using (V\d) Model Runner", _fact("runner")),
        ("odel runner", r"using the (V\d) model runner instead", _fact("runner")),
        ("ackend", r"Using (?:AttentionBackendEnum\.)?([A-Z]\w*(?: [A-Z]\w*)*)(?: attention)? backend"
         r"(?: on V\d engine| out of|\.?\s*$)", _fact("attention_backend")),
        ("ffload", r"Offloader set to (\w+)", _fact("offloader")),
        ("ffload", rf"Total CPU offloaded parameters:\s+{_NUMBER}", _of_worker("offloaded_bytes", GIB)),
        ("ffload", rf"\[PrefetchOffloader\] Initialized .* GPU memory saved: {_NUMBER} GB", _prefetched),
        ("ffload", r"Creating v1 connector with name: (\w+)", _fact("kv_connector")),
        ("ffload", r"Creating offloading spec with name: (\w+)", _fact("kv_offload_spec")),
        ("ffload", rf"Created mmap file (\S+)\s+\({_NUMBER} GB\)", _region),
        ("ackend", r"DiskBackend: path=([^,]+),", _fact("kv_disk_path")),
        ("PLE embedding", r"Initialized PLE embedding .*weight_device=([\w:]+),\s+pinned=(True|False)", _ple),
        ("stowage-ple: ", r"stowage-ple: ", _plugin),
        (" took ", rf"Loading weights took {_NUMBER} seconds", _fact("load_s", _number)),
        (" s in total", rf"torch\.compile (?:took|takes) {_NUMBER} s in total", _fact("compile_s", _number)),
        (" took ", rf"init engine \(.*\) took {_NUMBER} s", _fact("init_s", _number)),
        ("pin_memory", r"Using 'pin_memory=False' as WSL is detected", _warning("wsl_no_pin")),
        ("inned memory", r"Pinned memory is not available on this platform", _warning("no_pinned_memory")),
        ("Falling back to torch", r"doesn't support torch\.bfloat16\. Falling back to torch\.float16",
         _warning("bf16_fallback")),
    )
)  # fmt: skip
# A line without one of these holds no fact. Few, fixed and long: this is what every line of a log costs, and a long
# word is found faster than a short one.
_BY_WORD: Final = {word: [(p, t) for w, p, t in _RULES if w == word] for word in dict.fromkeys(w for w, _, _ in _RULES)}
# Words after which a fact must follow: without it the message was broken, and goes on in at most so many lines.
_BREAKABLE: Final = frozenset({"KV cache size", "aximum concurrency", "PLE embedding"})
_GOES_ON: Final = 2


class FactsReader:
    """`feed` takes lines as they come; `facts` is all that they told so far."""

    def __init__(self) -> None:
        self._notes = _Notes()
        self._cut: list[str] = []

    def feed(self, lines: Sequence[str]) -> bool:
        """Take lines, oldest first; True when `facts` changed."""
        lines = [*self._cut, *lines] if self._cut else lines
        self._cut = []
        changed = False
        for index, words in with_any(lines, _BY_WORD):
            found = self._take(lines[index], words)
            if not found and not _BREAKABLE.isdisjoint(words):
                found = self._take_broken(lines[index : index + _GOES_ON + 1], words)
            changed = changed or found
        return changed

    @property
    def facts(self) -> LaunchFacts:
        notes = self._notes
        workers = tuple(WorkerFacts(name, **figures) for name, figures in notes.workers.items())
        return LaunchFacts(
            **notes.values,
            workers=workers,
            ram_kv_bytes=sum(notes.nodes.values()),
            warnings=tuple(notes.warnings),
            evidence=tuple(notes.evidence.items()),
            plugin_lines=tuple(notes.plugin_lines),
        )

    def _take(self, line: str, words: Iterable[str]) -> bool:
        found = False
        for word in words:
            for pattern, take in _BY_WORD[word]:
                if match := pattern.search(line):
                    take(self._notes, line, match)
                    found = True
        return found

    def _take_broken(self, lines: Sequence[str], words: Iterable[str]) -> bool:
        """A message over several lines; one whose rest is still to come is kept for the next batch."""
        for count in range(2, len(lines) + 1):
            if self._take(_joined(lines[:count]), words):
                return True
        if len(lines) <= _GOES_ON:
            self._cut = list(lines)
        return False


def _joined(lines: Sequence[str]) -> str:
    """Lines of one message as one, the first with its prefix."""
    return " ".join((lines[0].rstrip(), *(split(line)[2].strip() for line in lines[1:])))


def read_facts(lines: Iterable[str]) -> LaunchFacts:
    """The facts of a whole log."""
    reader = FactsReader()
    reader.feed(list(lines))
    return reader.facts
