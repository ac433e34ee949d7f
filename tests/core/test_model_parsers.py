"""Which parsers a model gets: by its architecture and the marks of its chat template."""

from __future__ import annotations

import pytest

from core.engine.model_parsers import Parsers, suggested
from tests.support.builds import capabilities

NEW = capabilities("0.33.0")
HERMES = '<tool_call>\n{"name": …}\n</tool_call>'


@pytest.mark.parametrize(
    ("architecture", "template", "parsers"),
    [
        ("Qwen3ForCausalLM", f"{HERMES} <think></think>", Parsers("qwen3", "hermes")),
        ("Qwen3MoeForCausalLM", HERMES, Parsers("", "hermes")),  # an Instruct model: it does not think
        ("Qwen3MoeForCausalLM", "<tool_call><function=name>", Parsers("", "qwen3_coder")),
        ("Qwen2ForCausalLM", "content.split('</think>')", Parsers("deepseek_r1", "")),
        ("LlamaForCausalLM", "content.split('</think>')", Parsers("deepseek_r1", "")),
        ("LlamaForCausalLM", 'Respond in the format {"name": …, "parameters": …}', Parsers("", "llama3_json")),
        ("LlamaForCausalLM", "<|im_start|>", Parsers("", "")),
        ("GptOssForCausalLM", "<|channel|>analysis", Parsers("openai_gptoss", "openai")),
        ("MistralForCausalLM", "[TOOL_CALLS]", Parsers("", "mistral")),
        ("Mistral3ForConditionalGeneration", "[THINK] [TOOL_CALLS]", Parsers("mistral", "mistral")),
        ("DeepseekV3ForCausalLM", "thinking <｜tool▁calls▁begin｜>", Parsers("deepseek_v3", "deepseek_v31")),
        ("DeepseekV3ForCausalLM", "</think> <|tool_calls_section_begin|>", Parsers("kimi_k2", "kimi_k2")),
        ("Glm4MoeForCausalLM", "</think> <arg_key>", Parsers("glm47", "glm47")),
        ("NemotronHForCausalLM", "</think> <function=", Parsers("nemotron_v3", "qwen3_coder")),
        ("NoSuchModel", HERMES, Parsers("", "")),
    ],
)
def test_by_family(architecture: str, template: str, parsers: Parsers) -> None:
    assert suggested(architecture, template, NEW) == parsers


def test_a_build_gets_only_what_it_registers() -> None:
    old = capabilities("0.10.2")
    assert suggested("Glm4MoeForCausalLM", "</think> <arg_key>", old) == Parsers("glm45", "glm45")
    assert suggested("NemotronHForCausalLM", "</think> <function=", old) == Parsers("", "qwen3_coder")
    assert suggested("Qwen3ForCausalLM", HERMES, None) == Parsers()
