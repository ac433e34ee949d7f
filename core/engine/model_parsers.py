"""Which reasoning and tool parser a model wants: by its architecture, and by the marks in its chat template.

The template decides, since one architecture carries models that think and models that do not, and tools in several
formats (vLLM docs "Reasoning Outputs" and "Tool Calling"; names as registered in 0.10.2 to 0.33.0). A parser that the
build does not register is not named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.engine.capabilities.model import Capabilities


@dataclass(frozen=True, slots=True)
class Parsers:
    """ "" where none is known or the build has none."""

    reasoning: str = ""
    tools: str = ""


@dataclass(frozen=True, slots=True)
class _Rule:
    """`architecture` is a pattern; all of `marks`, one a space apart, must be in the template. The first name that the
    build registers is taken."""

    architecture: str
    marks: str
    names: tuple[str, ...]


_REASONING: Final = (
    _Rule(r"GptOss", "", ("openai_gptoss",)),
    # Kimi K2 wears DeepSeek V3's architecture.
    _Rule(r"DeepseekV3", "</think> <|tool_calls_section_begin|>", ("kimi_k2",)),
    _Rule(r"DeepseekV41", "</think>", ("deepseek_v41", "deepseek_v4")),
    _Rule(r"DeepseekV4", "</think>", ("deepseek_v4",)),
    _Rule(r"DeepseekV(3|32)ForCausalLM", "thinking", ("deepseek_v3",)),
    _Rule(r"Glm4Moe|Glm5|GlmMoe", "</think>", ("glm47", "glm45")),
    _Rule(r"Qwen(3|4)", "</think>", ("qwen3",)),
    _Rule(r"MiniMaxM2", "</think>", ("minimax_m2",)),
    _Rule(r"SeedOss", "", ("seed_oss",)),
    _Rule(r"NemotronH", "</think>", ("nemotron_v3",)),
    _Rule(r"Olmo3", "</think>", ("olmo3",)),
    _Rule(r"HunYuan", "<think>", ("hunyuan_a13b",)),
    _Rule(r"Ernie4_5", "</think>", ("ernie45",)),
    _Rule(r"Gemma4", "<|channel>", ("gemma4",)),
    _Rule(r"Mistral|Pixtral", "[THINK]", ("mistral",)),
    _Rule(r"Granite", "<think>", ("granite",)),
    # Distillates of R1 and QwQ wear the architecture of the model that they were made of.
    _Rule(r"DeepseekV3|DeepseekV2|Qwen2|Llama", "</think>", ("deepseek_r1",)),
)
_TOOLS: Final = (
    _Rule(r"GptOss", "", ("openai",)),
    _Rule(r"", "<function=", ("qwen3_coder",)),
    _Rule(r"Glm4Moe|Glm5|GlmMoe", "<arg_key>", ("glm47", "glm45")),
    _Rule(r"Granite", "<tool_call>", ("granite4", "hermes")),
    _Rule(r"HunYuan", "<tool_call", ("hunyuan_a13b",)),
    _Rule(r"Qwen|Hermes|Llama|Mistral", "<tool_call>", ("hermes",)),
    _Rule(r"Mistral|Mixtral|Pixtral", "[TOOL_CALLS]", ("mistral",)),
    _Rule(r"Llama4", "", ("llama4_pythonic",)),
    _Rule(r"Llama", '"parameters":', ("llama3_json",)),
    _Rule(r"DeepseekV41", "", ("deepseek_v41",)),
    _Rule(r"DeepseekV4", "", ("deepseek_v4",)),
    _Rule(r"DeepseekV32", "", ("deepseek_v32",)),
    _Rule(r"DeepseekV3", "<｜tool▁calls▁begin｜>", ("deepseek_v31", "deepseek_v3")),
    _Rule(r"MiniMaxM2", "minimax:tool_call", ("minimax_m2",)),
    _Rule(r"", "<|tool_calls_section_begin|>", ("kimi_k2",)),
    _Rule(r"SeedOss", "", ("seed_oss",)),
    _Rule(r"Gemma4", "<|tool_call>", ("gemma4",)),
    _Rule(r"Granite", "<|tool_call|>", ("granite",)),
    _Rule(r"Phi3", "<|tool", ("phi4_mini_json",)),
    _Rule(r"Olmo3", "<function_calls>", ("olmo3",)),
    _Rule(r"Jamba", "<tool_calls>", ("jamba",)),
)


def suggested(architecture: str, template: str, capabilities: Capabilities | None) -> Parsers:
    """Nothing is suggested without an architecture, nor for a build that was not read: vLLM does not start with a
    parser that it does not know."""
    if not architecture or capabilities is None:
        return Parsers()
    return Parsers(
        _first(_REASONING, architecture, template, capabilities.reasoning_parsers),
        _first(_TOOLS, architecture, template, capabilities.tool_parsers),
    )


def _first(rules: tuple[_Rule, ...], architecture: str, template: str, known: tuple[str, ...]) -> str:
    for rule in rules:
        if all(mark in template for mark in rule.marks.split()) and re.search(rule.architecture, architecture):
            return next((name for name in rule.names if name in known), "")
    return ""
