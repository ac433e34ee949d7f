"""Greedy outputs of models one after another, in the engine's own Python and all in this one process, so that its
private memory is the worker's: `ple_generate.py RESULT_FILE JSON`.

The JSON: {"models": [{"folder": ..., "options": {options of vllm.LLM}, "prompts": how many, "adapter": a folder with a
LoRA or ""}, ...]}. The result is a list with, for each model, `start_s`, `private_bytes` and `device_bytes` (what torch
holds on the GPU) after the start, `tokens` of every prompt and `again`: the same asked once more, of the adapter where
there is one.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import time
from pathlib import Path

import torch
from vllm import LLM, SamplingParams
from vllm.lora.request import LoRARequest

TOKENS = 16
LENGTHS = (1, 5, 30, 200, 600)
VOCABULARY = 49152
COMMON = {
    "enforce_eager": True,
    "max_model_len": 1024,
    "max_num_seqs": 16,
    "seed": 0,
    "disable_log_stats": True,
    "distributed_executor_backend": "uni",
}


def prompts(count: int) -> list[dict[str, list[int]]]:
    """Lengths from one token to more rows than a small cache holds; ids up to the end of the vocabulary, which lies
    beyond the table's end."""
    dice = random.Random(7)
    made = [[dice.randrange(3, VOCABULARY) for _ in range(dice.choice(LENGTHS))] for _ in range(count)]
    made[0] = [VOCABULARY - 1, VOCABULARY - 2, 5]
    return [{"prompt_token_ids": ids} for ids in made]


def private_bytes() -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon:"))
    return int(line.split()[1]) * 1024


def device_bytes() -> int:
    return torch.cuda.memory_allocated() if torch.cuda.is_available() else 0


def run(folder: str, options: dict[str, object], count: int, adapter: str) -> dict[str, object]:
    before, device_before, began = private_bytes(), device_bytes(), time.monotonic()
    llm = LLM(folder, **{**COMMON, **options})
    start_s = time.monotonic() - began
    gc.collect()
    held = {"private_bytes": private_bytes() - before, "device_bytes": device_bytes() - device_before}
    sampling = SamplingParams(temperature=0, max_tokens=TOKENS, ignore_eos=True)

    def ask(lora: LoRARequest | None = None) -> list[list[int]]:
        answers = llm.generate(prompts(count), sampling, lora_request=lora, use_tqdm=False)
        return [list(answer.outputs[0].token_ids) for answer in answers]

    lora = LoRARequest("adapter", 1, adapter) if adapter else None
    return {"start_s": start_s, **held, "tokens": ask(), "again": ask(lora)}


def main(result: Path, order: dict[str, list[dict[str, object]]]) -> None:
    from vllm.distributed import cleanup_dist_env_and_memory

    found: list[dict[str, object]] = []
    for model in order["models"]:
        options = dict(model["options"])  # type: ignore[call-overload]
        found.append(run(str(model["folder"]), options, int(str(model["prompts"])), str(model["adapter"])))
        cleanup_dist_env_and_memory()
        result.write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
