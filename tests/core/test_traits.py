"""What of published checkpoints decides about options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.planning.traits import traits_of
from tests.support.plans import published


@pytest.mark.parametrize(
    ("name", "tables", "hybrid"),
    [
        ("Qwen__Qwen3-8B", "", False),
        ("Qwen__Qwen3.8-Flash-Next", "ngram", True),
        ("google__gemma-3n-E4B-it", "per_layer", False),
        ("google__gemma-4-E4B-it", "per_layer", False),
        ("google__gemma-4-26B-A4B", "", False),
        ("google__gemma-3-27b-it", "", False),
        ("ibm-granite__granite-4.0-h-micro", "", True),
        ("Qwen__Qwen3-Next-80B-A3B-Thinking", "", True),
        ("deepseek-ai__DeepSeek-V2-Lite", "", False),
    ],
)
def test_of_published_models(tmp_path: Path, name: str, tables: str, hybrid: bool) -> None:
    traits = traits_of(published(name), tmp_path)
    assert (traits.tables, traits.hybrid) == (tables, hybrid)
    assert traits.architecture


def test_both_sets_of_mistrals_weights(tmp_path: Path) -> None:
    mistral = published("mistralai__Mistral-7B-Instruct-v0.3")
    (tmp_path / "consolidated.safetensors").touch()
    assert not traits_of(mistral, tmp_path).mixed_formats
    (tmp_path / "model-00001-of-00001.safetensors").touch()
    assert traits_of(mistral, tmp_path).mixed_formats


def test_the_chat_template_wherever_it_lies(tmp_path: Path) -> None:
    model = published("Qwen__Qwen3-8B")
    assert traits_of(model, tmp_path).template == ""
    listed = {"chat_template": [{"name": "tool_use", "template": "<tool_call>"}]}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(listed), encoding="utf-8")
    assert "<tool_call>" in traits_of(model, tmp_path).template
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    assert traits_of(model, tmp_path).template == "{{ messages }}"
    (tmp_path / "chat_template.jinja").write_text("", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text("[broken", encoding="utf-8")
    assert traits_of(model, tmp_path).template == ""
