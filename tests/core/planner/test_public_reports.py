"""Estimates that other tools got wrong in public, by kind (the sources are issues of the projects named)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.checkpoint.listing import Kind, read_listing
from core.checkpoint.rope import context_limit
from core.checkpoint.safetensors_header import Tensor
from core.checkpoint.tensors import Part
from core.checkpoint.weights_on_disk import weights_on_disk
from core.planner.amounts import Certainty, Verdict
from core.planner.options import GIB
from core.planner.plan import make_plan
from core.planner.report import report
from tests.support.plans import all_finite, config, plan, published, request

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 4,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}


def changed(**values: Any) -> Checkpoint:
    return read_checkpoint({**LLAMA, **values})


def per_token(checkpoint: Checkpoint) -> int:
    made = plan(checkpoint, context=1024)
    return made.kv.bytes_one_request // 1024


# A1: lmstudio#1225, vllm#16118
def test_a_million_tokens_of_context_are_not_what_is_planned_for() -> None:
    checkpoint = changed(max_position_embeddings=1048576)
    asked = plan(checkpoint, context=16384, avail=int(9.97 * GIB))
    assert asked.kv.refused is None
    whole = plan(checkpoint, avail=GIB)
    assert whole.kv.refused is not None
    assert 0 < whole.longest_context < 1048576
    assert plan(checkpoint, context=whole.longest_context, avail=GIB).kv.refused is None
    assert plan(checkpoint, context=whole.longest_context + 16, avail=GIB).kv.refused is not None


# A2: llmfit#1045, huggingface.js#1770
def test_packed_weights_count_by_their_bytes() -> None:
    header = {"model.layers.0.mlp.up_proj.qweight": Tensor("I32", (512, 1024), (0, 2097152))}
    disk = weights_on_disk([header])
    assert disk.loaded_bytes == 2097152
    assert disk.quantized == {"model.layers.0.mlp.up_proj"}
    packed = plan(published("Qwen__Qwen2.5-7B-Instruct-AWQ"))
    assert packed.weights.bytes == 5579136448


# A3: gpustack#2257, vllm#7523
def test_two_formats_of_the_same_weights_count_once() -> None:
    names = {f"model-0000{i}-of-00002.safetensors": 10 for i in (1, 2)}
    listing = read_listing({**names, "consolidated.safetensors": 20, "config.json": 1, "params.json": 1})
    assert listing.weight_bytes == 20
    assert listing.download_bytes == 22
    assert listing.ignored_bytes == 20
    assert any("consolidated" in warning for warning in listing.warnings)
    mistral = read_listing({"consolidated.safetensors": 20, "params.json": 1, "tekken.json": 1})
    assert (mistral.weights, mistral.weight_bytes) == (("consolidated.safetensors",), 20)


# A5: hf-mem#60, #61, #70
def test_sliding_layers_are_neither_dropped_nor_taken_for_full() -> None:
    checkpoint = published("google__gemma-3-27b-it")
    sizes = {context: plan(checkpoint, context=context).kv.bytes_one_request for context in (8192, 131072)}
    everything_full = {c: 62 * c * 2 * 16 * 128 * 2 for c in sizes}
    only_full = {c: 10 * c * 2 * 16 * 128 * 2 for c in sizes}
    for context, size in sizes.items():
        assert only_full[context] < size < everything_full[context]
    assert everything_full[131072] / sizes[131072] > 4


# A6: vllm#2622, LMCache#694
def test_an_explicit_head_size_wins_and_null_is_derived() -> None:
    explicit = {"hidden_size": 3584, "num_attention_heads": 16, "num_key_value_heads": 16}
    assert per_token(changed(**explicit, head_dim=256)) == 4 * 2 * 16 * 256 * 2
    for absent in ({}, {"head_dim": None}):
        assert per_token(changed(**explicit, **absent)) == 4 * 2 * 16 * 224 * 2


# A7: omlx#1448, gpustack#4583
@pytest.mark.parametrize("part", ["text_config", "language_config", "llm_config"])
def test_the_language_models_own_part_is_read(part: str) -> None:
    inner = {key: value for key, value in LLAMA.items() if key not in ("architectures", "model_type")}
    outer = {"architectures": ["LlamaForCausalLM"], "model_type": "x", "hidden_size": 99, "num_hidden_layers": 1}
    nested = read_checkpoint({**outer, part: {**inner, "model_type": "llama"}})
    assert per_token(nested) == per_token(read_checkpoint(LLAMA))


def test_quantization_is_found_at_both_levels() -> None:
    block = {"quant_method": "fp8", "activation_scheme": "dynamic"}
    outside = read_checkpoint({**config("Qwen__Qwen3.5-9B"), "quantization_config": block})
    values = config("Qwen__Qwen3.5-9B")
    values["text_config"]["quantization_config"] = block
    inside = read_checkpoint(values)
    assert outside.quantization.method == inside.quantization.method == "fp8"
    assert plan(outside).weights.bytes == plan(inside).weights.bytes


# A8: gpustack#2118, #2462
def test_too_small_a_share_of_the_card_is_refused_and_the_reserve_is_shown() -> None:
    checkpoint = published("Qwen__Qwen3-8B")
    small = plan(checkpoint, context=4096, gpu_memory_utilization=0.1)
    assert small.verdict is Verdict.NO
    assert small.kv.refused is not None
    assert "No available memory for the cache blocks" in small.kv.refused
    usual = plan(checkpoint, context=4096, gpu_memory_utilization=0.9)
    assert usual.vram is not None
    shown = report(checkpoint, usual)["tiers"]["vram"]
    assert shown["reserved_bytes"] == math.ceil(24 * GIB * 0.9)
    assert shown["likely_bytes"] < shown["reserved_bytes"]


# A10: vllm#29137
def test_a_repository_of_gguf_files_is_recognized_before_any_download() -> None:
    listing = read_listing({"Qwen3-0.6B-Q8_0.gguf": 639446688, "README.md": 10})
    assert listing.kind is Kind.GGUF
    assert listing.weights == ()


# A11: lmstudio#1038, #1544
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"model_type": "rwkv", "architectures": ["RwkvForCausalLM"], "attention_hidden_size": 768},
        {key: value for key, value in LLAMA.items() if key != "num_hidden_layers"},
        {**LLAMA, "num_attention_heads": "many"},
        {**LLAMA, "num_hidden_layers": 10**9},
    ],
)
def test_unknown_is_said_with_a_floor_and_never_nan(values: dict[str, Any]) -> None:
    header = {"w": Tensor("BF16", (1000,), (0, 2000))}
    checkpoint = read_checkpoint(values, disk=weights_on_disk([header]))
    made = plan(checkpoint, context=8192, avail=None)
    assert made.weights.amount.low >= 2000
    assert made.weights.amount.certainty is not Certainty.EXACT
    assert made.kv_amount.certainty in (Certainty.UNKNOWN, Certainty.ESTIMATED)
    assert made.warnings
    text = json.dumps(report(checkpoint, made), allow_nan=False)
    assert all_finite(json.loads(text))


# A13: vllm#3676, ms-swift#5146
@pytest.mark.parametrize(
    ("values", "tokens"),
    [
        ({"max_position_embeddings": 8192, "model_max_length": 131072}, 131072),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "dynamic", "factor": 4.0}}, 16384),
        ({"max_position_embeddings": 4096, "rope_scaling": {"rope_type": "linear", "factor": 8}}, 32768),
        (
            {
                "max_position_embeddings": 40960,
                "rope_parameters": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 10240},
            },
            40960,
        ),
        ({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": None}}, 4096),
    ],
)
def test_the_context_limit_is_the_one_vllm_derives(values: dict[str, Any], tokens: int) -> None:
    checkpoint = changed(**values)
    assert checkpoint.context.tokens == tokens
    too_long = plan(checkpoint, context=tokens + 1)
    assert too_long.verdict is Verdict.NO
    assert any(checkpoint.context.key in warning for warning in too_long.warnings)


# A14: vllm#57475
def test_graphs_and_activations_have_their_room() -> None:
    made = plan(published("Qwen__Qwen3-8B"), context=8192)
    eager = plan(published("Qwen__Qwen3-8B"), context=8192, enforce_eager=True)
    assert made.vram is not None
    assert eager.vram is not None
    graphs, none = made.vram.part("graphs"), eager.vram.part("graphs")
    assert graphs is not None
    assert none is not None
    assert graphs.low > 300 << 20
    assert none.likely == 0
    activations = made.vram.part("activations")
    assert activations is not None
    assert activations.low > 0


# A15: transformers#47705, flutter_gemma#385
def test_embedding_tables_per_layer_have_a_line_of_their_own() -> None:
    gemma = plan(published("google__gemma-4-E4B-it"))
    assert gemma.weights.by_part[Part.PLE] == 262144 * 42 * 256 * 2
    assert gemma.offload.ple_bytes == 0
    assert any("stays in VRAM" in warning for warning in gemma.warnings)
    checkpoint = published("Qwen__Qwen3.8-Flash-Next")
    inside, outside = plan(checkpoint, ple_in_ram=False), plan(checkpoint, ple_in_ram=True)
    table = 320001536 * 160 * 2
    assert outside.offload.ple_bytes == table
    assert inside.vram is not None
    assert outside.vram is not None
    moved = inside.vram.likely_bytes - outside.vram.likely_bytes
    assert moved == pytest.approx(table, abs=4 << 20)
    assert outside.host.tier.part("ple_table") is not None
    assert "--engram-config.cpu_offload" in outside.command.arguments
    assert "--engram-config.cpu_offload" not in gemma.command.arguments


# A16: sparkrun#247, TensorRT-LLM#16707
def test_latent_attention_is_not_counted_as_ordinary_attention() -> None:
    checkpoint = published("deepseek-ai__DeepSeek-V2-Lite")
    assert per_token(checkpoint) == 27 * 576 * 2
    compressed = plan(published("deepseek-ai__DeepSeek-V4-Flash"), context=8192)
    assert compressed.kv_amount.certainty is Certainty.ESTIMATED
    assert compressed.kv_amount.low < compressed.kv_amount.top


# A17: granite-switch#126, vllm#2518
@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ({"torch_dtype": None, "dtype": "bfloat16"}, "bfloat16"),
        ({"torch_dtype": "float16"}, "float16"),
        ({"torch_dtype": "float32"}, "bfloat16"),
        ({"torch_dtype": None}, "bfloat16"),
    ],
)
def test_a_missing_dtype_is_not_four_bytes(values: dict[str, Any], dtype: str) -> None:
    checkpoint = changed(**values)
    made = plan(checkpoint)
    assert made.resolved.dtype == dtype
    assert made.weights.bytes == plan(read_checkpoint(LLAMA)).weights.bytes


def test_the_files_say_the_dtype_where_the_config_does_not() -> None:
    header = {"model.norm.weight": Tensor("F16", (4,), (0, 8))}
    checkpoint = read_checkpoint({**LLAMA, "torch_dtype": None}, disk=weights_on_disk([header]))
    assert checkpoint.config.dtype == "float16"


def test_float32_files_are_halved_and_said_to_be() -> None:
    size = plan(read_checkpoint(LLAMA)).weights.bytes
    header = {"model.layers.0.x": Tensor("F32", (size // 2,), (0, size * 2))}
    checkpoint = read_checkpoint({**LLAMA, "torch_dtype": "float32"}, disk=weights_on_disk([header]))
    made = make_plan(checkpoint, request())
    assert made.weights.bytes == size
    assert any("float32" in warning for warning in made.warnings)


# A19: vllm#34859, #41811
def test_shards_and_index_that_disagree() -> None:
    sizes = {"config.json": 1, "model.safetensors.index.json": 1, "model-00001-of-00002.safetensors": 5}
    listing = read_listing(
        {**sizes, "model.safetensors": 9},
        ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
    )
    assert listing.missing == ("model-00002-of-00002.safetensors",)
    assert listing.weight_bytes == 5
    assert any("model.safetensors" in warning for warning in listing.warnings)
    without = read_listing({"config.json": 1, "model-00001-of-00003.safetensors": 5})
    assert without.missing == ("model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors")


# A20: vllm#3329
def test_pickled_weights_count_only_without_safetensors() -> None:
    both = read_listing({"config.json": 1, "model.safetensors": 7, "pytorch_model.bin": 9, "optimizer.bin": 50})
    assert (both.weights, both.weight_bytes) == (("model.safetensors",), 7)
    only = read_listing({"config.json": 1, "pytorch_model.bin": 9, "training_args.bin": 2})
    assert (only.weights, only.weight_bytes) == (("pytorch_model.bin",), 9)
    assert any("pickled" in warning for warning in only.warnings)


# A22: unsloth#9929, vllm#45543
def test_a_tied_table_counts_once_and_stays_in_16_bits() -> None:
    tied, own = changed(tie_word_embeddings=True), changed(tie_word_embeddings=False)
    table = 32000 * 1024 * 2
    assert plan(own).weights.bytes - plan(tied).weights.bytes == table
    quantized = changed(
        tie_word_embeddings=False,
        torch_dtype="float16",
        quantization_config={"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False},
    )
    parts = plan(quantized).weights.by_part
    assert parts[Part.EMBEDDING] == parts[Part.LM_HEAD] == table


# A24: Qwen3#342
def test_a_placeholder_of_the_tokenizer_is_no_limit() -> None:
    checkpoint = read_checkpoint(LLAMA, tokenizer_limit=10**30)
    assert checkpoint.context.tokens == 8192
    assert read_checkpoint(LLAMA, tokenizer_limit=512).context.tokens == 512
    assert context_limit(changed(max_position_embeddings=10**30).config).key == ""


# A25: lmstudio#556, #1753
def test_a_draft_model_and_an_offload_enter_the_verdict() -> None:
    checkpoint, draft = published("Qwen__Qwen3-8B"), published("Qwen__Qwen3-1.7B")
    alone = make_plan(checkpoint, request(context=8192))
    together = make_plan(checkpoint, request(context=8192), draft=draft)
    assert alone.vram is not None
    assert together.vram is not None
    assert together.vram.likely_bytes > alone.vram.likely_bytes + 3 * GIB
    moved = make_plan(checkpoint, request(context=8192, offload_gib=8))
    assert moved.vram is not None
    assert moved.vram.likely_bytes < alone.vram.likely_bytes - 7 * GIB
    assert moved.host.tier.likely_bytes > alone.host.tier.likely_bytes + 8 * GIB
