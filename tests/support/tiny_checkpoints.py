"""Makes small random checkpoints. Runs in the engine's own Python: `tiny_checkpoints.py STARTER_FOLDER TARGET NAME`.

Vocabulary, tokenizer and chat template are the starter's; the weights are random from a fixed seed.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
COMMON = {"vocab_size": 49152, "hidden_size": 256, "intermediate_size": 512, "max_position_embeddings": 4096}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64}


def config_of(name: str):
    """Full attention; sliding windows beside full attention; per-layer embeddings with shared KV."""
    import transformers

    if name == "qwen3":
        return transformers.Qwen3Config(**COMMON, **HEADS, num_hidden_layers=4, tie_word_embeddings=True)
    if name == "gemma3":
        return transformers.Gemma3TextConfig(
            **COMMON, **HEADS, num_hidden_layers=6, sliding_window=512, query_pre_attn_scalar=64
        )
    if name == "gemma3n":
        return transformers.Gemma3nTextConfig(
            **{**COMMON, "intermediate_size": [512] * 10},
            **HEADS,
            num_hidden_layers=10,
            num_kv_shared_layers=4,
            hidden_size_per_layer_input=64,
            vocab_size_per_layer_input=49152,
            sliding_window=512,
            activation_sparsity_pattern=[0.0] * 10,
            laurel_rank=16,
        )
    raise SystemExit(f"no such checkpoint: {name}")


def main(starter: Path, target: Path, name: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(config_of(name)).to(torch.bfloat16)
    model.save_pretrained(target)
    for file in TOKENIZER:
        shutil.copy(starter / file, target / file)
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    config = json.loads((target / "config.json").read_text()) | ids
    (target / "config.json").write_text(json.dumps(config))
    (target / "generation_config.json").write_text(json.dumps(ids))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
