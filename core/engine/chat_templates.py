"""Chat templates for models that bring none: that of the family whose marks the tokenizer knows, else a plain one.

In one line each, as `--chat-template` takes it (vLLM: "the file path to the chat template, or the template in
single-line form"). The formats are the families' own as published: ChatML (Qwen, SmolLM), Llama 3, Gemma, Mistral,
Phi 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_BOS: Final = "{{ bos_token if bos_token else '' }}"
_ASK: Final = "{% if add_generation_prompt %}{{ '%s' }}{% endif %}"


@dataclass(frozen=True, slots=True)
class Family:
    """`mark`: a token that only its tokenizers know, "" for the plain template."""

    name: str
    mark: str
    template: str


def _turns(turn: str, ask: str, *, bos: bool = False) -> str:
    loop = "{% for message in messages %}" + turn + "{% endfor %}"
    return (_BOS if bos else "") + loop + (_ASK.replace("%s", ask) if ask else "")


PLAIN: Final = Family(
    "",
    "",
    _turns("{{ message['role'] | capitalize + ': ' + message['content'] + '\\n\\n' }}", "Assistant:", bos=True),
)
FAMILIES: Final = (
    Family(
        "ChatML",
        "<|im_start|>",
        _turns(
            "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}",
            "<|im_start|>assistant\\n",
        ),
    ),
    Family(
        "Llama 3",
        "<|start_header_id|>",
        _turns(
            "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content']"
            " + '<|eot_id|>' }}",
            "<|start_header_id|>assistant<|end_header_id|>\\n\\n",
            bos=True,
        ),
    ),
    Family(
        "Gemma",
        "<start_of_turn>",
        _turns(
            "{{ '<start_of_turn>' + ('model' if message['role'] == 'assistant' else 'user') + '\\n' +"
            " message['content'] + '<end_of_turn>\\n' }}",
            "<start_of_turn>model\\n",
            bos=True,
        ),
    ),
    Family(
        "Mistral",
        "[INST]",
        _turns(
            "{{ message['content'] + eos_token if message['role'] == 'assistant' else '[INST] ' + message['content']"
            " + ' [/INST]' }}",
            "",
            bos=True,
        ),
    ),
    Family(
        "Phi 3",
        "<|assistant|>",
        _turns(
            "{{ '<|' + message['role'] + '|>\\n' + message['content'] + '<|end|>\\n' }}",
            "<|assistant|>\\n",
        ),
    ),
)


def family_in(text: str) -> str:
    """The name of the family whose mark stands in a tokenizer's file, "" for none."""
    return next((family.name for family in FAMILIES if f'"{family.mark}"' in text), "")


def family(name: str) -> Family:
    return next((family for family in FAMILIES if family.name == name), PLAIN)
