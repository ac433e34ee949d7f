"""Checkpoints read from folders for the planner: the headers against what vLLM would allocate."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.checkpoint.load import load_checkpoint
from core.errors import AppError
from core.planner.amounts import Certainty
from core.planner.plan import make_plan
from tests.support.checkpoints import write_safetensors
from tests.support.plans import DATA, request

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 256,
    "max_position_embeddings": 128,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
SHAPES = {
    "model.embed_tokens.weight": (256, 64),
    "model.layers.0.self_attn.q_proj.weight": (64, 64),
    "model.layers.0.self_attn.k_proj.weight": (32, 64),
    "model.layers.0.self_attn.v_proj.weight": (32, 64),
    "model.layers.0.self_attn.o_proj.weight": (64, 64),
    "model.layers.0.mlp.gate_proj.weight": (128, 64),
    "model.layers.0.mlp.up_proj.weight": (128, 64),
    "model.layers.0.mlp.down_proj.weight": (64, 128),
    "model.layers.0.input_layernorm.weight": (64,),
    "model.layers.0.post_attention_layernorm.weight": (64,),
    "model.norm.weight": (64,),
}


def folder(path: Path, config: dict[str, object], shapes: dict[str, tuple[int, ...]], dtype: str = "BF16") -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_safetensors(path / "model.safetensors", {name: (dtype, shape) for name, shape in shapes.items()})
    return path


def test_config_and_headers_agree(tmp_path: Path) -> None:
    checkpoint = load_checkpoint(folder(tmp_path / "m", LLAMA, SHAPES))
    made = make_plan(checkpoint, request(context=64))
    assert made.weights.amount.certainty is Certainty.EXACT
    assert checkpoint.disk is not None
    rope, scales = 128 * 16 * 2, 4 * 4
    assert made.weights.bytes == checkpoint.disk.loaded_bytes + rope + scales


def test_headers_that_contradict_the_config_are_reported(tmp_path: Path) -> None:
    more = {**SHAPES, "model.layers.1.mlp.up_proj.weight": (512, 64)}
    made = make_plan(load_checkpoint(folder(tmp_path / "m", LLAMA, more)), request(context=64))
    assert made.weights.amount.certainty is Certainty.ESTIMATED
    assert made.weights.amount.top > made.weights.amount.low
    assert any("the files hold" in warning for warning in made.warnings)


def test_an_unknown_architecture_takes_its_weights_from_the_files(tmp_path: Path) -> None:
    config = {**LLAMA, "architectures": ["NobodyKnowsForCausalLM"], "model_type": "nobody"}
    checkpoint = load_checkpoint(folder(tmp_path / "m", config, SHAPES))
    made = make_plan(checkpoint, request(context=64))
    assert checkpoint.disk is not None
    assert made.weights.amount.low == checkpoint.disk.loaded_bytes
    assert made.weights.amount.certainty is Certainty.ESTIMATED
    assert made.kv.bytes_one_request > 0
    assert made.kv_amount.certainty is Certainty.ESTIMATED


def test_a_bare_config_and_the_description_beside_it(tmp_path: Path) -> None:
    name = "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4"
    shutil.copy(DATA / "configs" / f"{name}.json", tmp_path / "config.json")
    plain = load_checkpoint(tmp_path / "config.json")
    shutil.copy(DATA / "configs" / "sidecar" / f"{name}.hf_quant_config.json", tmp_path / "hf_quant_config.json")
    quantized = load_checkpoint(tmp_path / "config.json")
    assert (plain.quantization.method, quantized.quantization.method) == ("", "modelopt")
    assert make_plan(quantized, request(context=8192)).weights.bytes == 19340915760


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "model.not_a_checkpoint"), ("{", "model.broken_file"), ("[]", "model.not_a_checkpoint")],
)
def test_folders_without_a_usable_config(tmp_path: Path, content: str | None, code: str) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
    with pytest.raises(AppError) as raised:
        load_checkpoint(tmp_path)
    assert raised.value.code == code
    with pytest.raises(AppError, match=r"model\.folder_missing"):
        load_checkpoint(tmp_path / "nowhere")
