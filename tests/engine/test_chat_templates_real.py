"""The templates that Stowage brings, rendered by the engine's own Jinja as transformers sets it up."""

from __future__ import annotations

import json
import subprocess

from core.engine.chat_templates import FAMILIES, PLAIN, family, family_in
from core.events import EngineInfo

RENDER = """
import json, sys
from jinja2.sandbox import ImmutableSandboxedEnvironment
roles = ("user", "assistant", "user")
told = [{"role": role, "content": text} for role, text in zip(roles, ("Hi.", "Yes?", "No."))]
made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
texts = [
    made.from_string(text).render(messages=told, add_generation_prompt=True, bos_token="<s>", eos_token="</s>")
    for text in json.load(sys.stdin)
]
bare = made.from_string(json.loads(sys.argv[1])).render(messages=told[:1], add_generation_prompt=True, bos_token=None)
print(json.dumps([*texts, bare]))
"""
EXPECTED = {
    "ChatML": "<|im_start|>user\nHi.<|im_end|>\n<|im_start|>assistant\nYes?<|im_end|>\n"
    "<|im_start|>user\nNo.<|im_end|>\n<|im_start|>assistant\n",
    "Llama 3": "<s><|start_header_id|>user<|end_header_id|>\n\nHi.<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nYes?<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nNo.<|eot_id|><|start_header_id|>assistant"
    "<|end_header_id|>\n\n",
    "Gemma": "<s><start_of_turn>user\nHi.<end_of_turn>\n<start_of_turn>model\nYes?<end_of_turn>\n<start_of_turn>user\n"
    "No.<end_of_turn>\n<start_of_turn>model\n",
    "Mistral": "<s>[INST] Hi. [/INST]Yes?</s>[INST] No. [/INST]",
    "Phi 3": "<|user|>\nHi.<|end|>\n<|assistant|>\nYes?<|end|>\n<|user|>\nNo.<|end|>\n<|assistant|>\n",
    "": "<s>User: Hi.\n\nAssistant: Yes?\n\nUser: No.\n\nAssistant:",
}


def test_every_template_writes_what_its_family_was_trained_on(real_engine: EngineInfo) -> None:
    every = (*FAMILIES, PLAIN)
    done = subprocess.run(
        [real_engine.python, "-I", "-c", RENDER, json.dumps(PLAIN.template)],
        input=json.dumps([one.template for one in every]), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    *texts, bare = json.loads(done.stdout)
    assert dict(zip((one.name for one in every), texts, strict=True)) == EXPECTED
    assert bare == "User: Hi.\n\nAssistant:", "a tokenizer may have no begin mark"
    assert all("\n" not in one.template for one in every), "vLLM takes it as one line"


def test_a_family_is_known_by_its_marks() -> None:
    assert family_in('{"added_tokens": [{"content": "<start_of_turn>"}]}') == "Gemma"
    assert family_in('{"added_tokens": []}') == ""
    assert family("no such family") is PLAIN
