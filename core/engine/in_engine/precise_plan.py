"""Runs inside an engine's Python: vLLM's own planner on one config, without weights. Prints one line: STOWAGE and JSON.

Executed by path (`python -I precise_plan.py TASK.json`). The model's classes are built on torch's meta device, its
layers are asked for their KV cache, and vLLM's own grouping and sizing run on a given budget. Checked with vLLM 0.32.0
(CPU build); the places that 0.33 moved are looked up by name.

The task: `model` a folder with a config.json; `platform` "cuda" (pretended) or "cpu"; `capability` [8, 6] and
`vram_bytes` of the pretended card; `arguments` for vLLM's EngineArgs; `kv_bytes` the budget, null for none.
"""

from __future__ import annotations

import json
import os
import sys
import traceback

MARK = "STOWAGE"


def answer(task: dict[str, object]) -> dict[str, object]:
    """`outcome` is "planned", "refused" (vLLM would not begin) or "unsupported" (this build cannot make the model)."""
    sys.path.append(os.path.dirname(os.path.abspath(__file__)))
    try:
        import absent_packages
        import pretended_gpu

        absent_packages.stand_in("torchvision")
        if task["platform"] == "cuda":
            pretended_gpu.pretend(tuple(task["capability"]), task["vram_bytes"])
        import model_on_meta

        config = model_on_meta.configure(task["model"], task["arguments"])
    except Exception as error:
        return _told("refused" if _is_a_refusal(error) else "unsupported", error)
    try:
        return {"outcome": "planned"} | model_on_meta.measure(config, task["kv_bytes"])
    except Exception as error:
        return _told("unsupported", error)


def _is_a_refusal(error: Exception) -> bool:
    """A launch with these options would end with the same words."""
    return "max_model_len" in str(error) or "divisible" in str(error)


def _told(outcome: str, error: Exception) -> dict[str, object]:
    return {"outcome": outcome, "reason": _words(error)[:600], "trace": traceback.format_exc()[-3000:]}


def _words(error: Exception) -> str:
    """The message alone: pydantic wraps it into its own."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if type(error).__name__ == "ValidationError" and len(lines) > 1:
        lines = [line.removeprefix("Value error, ").partition(" [type=")[0] for line in lines[1:2]]
        return lines[0]
    return f"{type(error).__name__}: {' '.join(lines)}"


def main() -> None:
    stdout = os.dup(1)
    os.dup2(2, 1)
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    os.write(stdout, f"\n{MARK} {json.dumps(answer(task))}\n".encode())
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: exit hooks of the imported libraries have nothing to add and may hang.
    os._exit(0)


if __name__ == "__main__":
    main()
