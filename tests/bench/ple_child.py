"""One model in the engine's own Python, kept alive for a bench: `ple_child.py CHECKPOINT_FOLDER`. Says "ready", then
answers each line of its input with one line of JSON.

"decode TOKENS": one greedy answer; "alone TOKENS": the same with two kinds of lookup, by turns; "cold SECONDS": rows
of the table through the plugin, no row asked for twice, out of a file that the asker has dropped from the page cache;
"prompt ROWS_AHEAD": time to the first token of a prompt of cold rows that is computed in parts; "raw SECONDS": the same
disk around the page cache, pieces of the same size at random places, as many at once; "warm LOOKUPS": one row at a time
that is in the cache.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import sys
import threading
import time
from pathlib import Path
from typing import Any

import torch
from vllm import LLM, SamplingParams

PROMPT = [7, 1000, 2000, 3000]
ALONE_RUNS = 7
PROMPT_TOKENS, PART_TOKENS = 3000, 512
UNUSED = iter(random.Random(5).sample(range(49000), 48000))
BATCH = 1024
PAGE = 4096


def decode(llm: LLM, tokens: int) -> dict[str, float]:
    sampling = SamplingParams(temperature=0, max_tokens=tokens, ignore_eos=True)
    began, cpu = time.perf_counter(), time.process_time()
    answer = llm.generate([{"prompt_token_ids": PROMPT}], sampling, use_tqdm=False)[0]
    made = len(answer.outputs[0].token_ids)
    return {"tokens_per_s": made / (time.perf_counter() - began), "cpu_s": (time.process_time() - cpu) / made}


def the_table() -> Any:
    from stowage_ple.lookup import _tables

    (table,) = _tables.values()
    return table


def alone(llm: LLM, tokens: int) -> dict[str, float]:
    """CPU of a token with the plugin's lookup and with torch's own of a table in RAM, by turns in this process."""
    table = the_table()
    in_ram = torch.zeros((table.num_embeddings, table.embedding_dim), dtype=table.weight.dtype)
    plugin = type(table).forward
    cpu: dict[str, list[float]] = {"plugin_cpu_s": [], "torch_cpu_s": []}
    lookups = {
        "plugin_cpu_s": plugin,
        "torch_cpu_s": lambda _table, ids: torch.nn.functional.embedding(ids, in_ram),
    }
    for _ in range(ALONE_RUNS):
        for name, lookup in lookups.items():
            type(table).forward = lookup
            cpu[name].append(decode(llm, tokens)["cpu_s"])
    type(table).forward = plugin
    return {name: min(found) for name, found in cpu.items()}


def cold(seconds: float) -> dict[str, float]:
    table = the_table()
    ids = torch.randperm(table.num_embeddings, generator=torch.Generator().manual_seed(time.time_ns()))
    began, cpu, rows = time.perf_counter(), time.process_time(), 0
    for batch in ids.split(BATCH):
        table(batch)
        rows += len(batch)
        if time.perf_counter() - began > seconds:
            break
    lasted = time.perf_counter() - began
    return {"rows_per_s": rows / lasted, "cpu_s": (time.process_time() - cpu) / rows}


def warm(count: int) -> dict[str, float]:
    """One row at a time out of the row cache: what a decoded token costs."""
    table = the_table()
    ids = torch.arange(64)
    table(ids)
    began, cpu = time.perf_counter(), time.process_time()
    for number in range(count):
        table(ids[number % 64 : number % 64 + 1])
    return {
        "lookup_s": (time.perf_counter() - began) / count,
        "cpu_s": (time.process_time() - cpu) / count,
    }


def prompt(llm: LLM, rows_ahead: int) -> dict[str, float]:
    """No row is asked for twice, and the file is not in the page cache; at most `rows_ahead` are read ahead."""
    source = the_table()._source
    source._ahead._most_rows = rows_ahead
    ids = [next(UNUSED) for _ in range(PROMPT_TOKENS)]
    os.posix_fadvise(source._file._fd, 0, 0, os.POSIX_FADV_DONTNEED)
    sampling = SamplingParams(temperature=0, max_tokens=1)
    waited = source._counters.read_s
    began = time.perf_counter()
    llm.generate([{"prompt_token_ids": ids}], sampling, use_tqdm=False)
    return {"first_token_s": time.perf_counter() - began, "read_s": source._counters.read_s - waited}


def raw(seconds: float) -> dict[str, float]:
    table = the_table()
    file = table._source._file
    piece = -(-file.row_bytes // PAGE) * PAGE
    handle = os.open(file._path, os.O_RDONLY | os.O_DIRECT)
    last = (os.fstat(handle).st_size - piece) // PAGE
    counts = [0] * file._threads
    until = time.perf_counter() + seconds

    def read(number: int) -> None:
        places = random.Random(time.time_ns() + number)
        with mmap.mmap(-1, piece) as buffer:  # begins on a page, as O_DIRECT demands
            while time.perf_counter() < until:
                os.preadv(handle, [buffer], places.randrange(last) * PAGE)
                counts[number] += 1

    began = time.perf_counter()
    workers = [threading.Thread(target=read, args=(number,)) for number in range(len(counts))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    os.close(handle)
    return {"reads_per_s": sum(counts) / (time.perf_counter() - began), "threads": len(counts)}


def main(folder: Path) -> None:
    began = time.perf_counter()
    llm = LLM(
        str(folder), enforce_eager=True, max_model_len=4096, max_num_batched_tokens=PART_TOKENS, max_num_seqs=16,
        seed=0, disable_log_stats=True, distributed_executor_backend="uni", enable_prefix_caching=False,
    )  # fmt: skip
    say = os.fdopen(int(sys.argv[2]), "w")  # vLLM's log goes to the usual output
    print(json.dumps({"start_s": time.perf_counter() - began}), file=say, flush=True)
    for line in sys.stdin:
        verb, amount = line.split()
        done = {
            "decode": lambda n: decode(llm, int(n)),
            "alone": lambda n: alone(llm, int(n)),
            "cold": lambda n: cold(float(n)),
            "prompt": lambda n: prompt(llm, int(n)),
            "warm": lambda n: warm(int(n)),
            "raw": lambda n: raw(float(n)),
        }[verb](amount)
        print(json.dumps(done), file=say, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
