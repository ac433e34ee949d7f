"""Makes small random checkpoints. Runs in the engine's own Python: `tiny_checkpoints.py STARTER_FOLDER TARGET NAME`.

Vocabulary, tokenizer and chat template are the starter's; the weights are random from a fixed seed. Names that end in
"-mm" are the text model of that name (taken from beside the target where it is) inside its multimodal wrapper, without
weights of towers: for `--language-model-only`.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
COMMON = {"vocab_size": 49152, "hidden_size": 256, "intermediate_size": 512, "max_position_embeddings": 4096}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64}
# Tables of 1.02 GiB in bf16. Fewer rows than the vocabulary, as the real ones have, and no multiple of vLLM's padding.
PLE_ROWS, PLE_WIDTH, PLE_LAYERS = 49100, 1856, 6
PLE = {
    **COMMON,
    **HEADS,
    "num_hidden_layers": PLE_LAYERS,
    "num_kv_shared_layers": 2,
    "hidden_size_per_layer_input": PLE_WIDTH,
    "vocab_size_per_layer_input": PLE_ROWS,
    "sliding_window": 512,
    # The last two read the caches of the last ones of their kind before them.
    "layer_types": [f"{kind}_attention" for kind in ("sliding", "sliding", "sliding", "full", "sliding", "full")],
}

SMALL_TOWER = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "global_head_dim": 32,
}


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
    if name == "gemma3n-ple":
        return transformers.Gemma3nTextConfig(
            **{**PLE, "intermediate_size": [512] * PLE_LAYERS},
            activation_sparsity_pattern=[0.0] * PLE_LAYERS,
            laurel_rank=16,
        )
    if name == "gemma4":
        # The same with a table of 36 MiB.
        return transformers.Gemma4TextConfig(**{**PLE, "hidden_size_per_layer_input": 64}, global_head_dim=64)
    if name == "gemma4-ple":
        return transformers.Gemma4TextConfig(**PLE, global_head_dim=64)
    raise SystemExit(f"no such checkpoint: {name}")


def wrapped(folder: Path, name: str) -> None:
    """Turn a text checkpoint into one of its wrapper: names as transformers 5.19 saves them, towers only in the
    config."""
    import transformers
    from safetensors.torch import load_file, save_file

    model_class, config_class, vision = {
        "gemma3n-ple": ("Gemma3nForConditionalGeneration", transformers.Gemma3nConfig, {}),
        "gemma4-ple": ("Gemma4ForConditionalGeneration", transformers.Gemma4Config, SMALL_TOWER),
    }[name]
    file = folder / "model.safetensors"
    tensors = {key.replace("model.", "model.language_model.", 1): tensor for key, tensor in load_file(file).items()}
    save_file(tensors, file, {"format": "pt"})
    text = json.loads((folder / "config.json").read_text())
    config = config_class(text_config=text, vision_config=vision, tie_word_embeddings=True).to_dict()
    config |= {"architectures": [model_class], "dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config))


def main(starter: Path, target: Path, name: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    text = name.removesuffix("-mm")
    if text != name and (target.parent / text).is_dir():
        shutil.copytree(target.parent / text, target)
    else:
        AutoModelForCausalLM.from_config(config_of(text)).save_pretrained(target)
    if text != name:
        wrapped(target, text)
    for file in TOKENIZER:
        shutil.copy(starter / file, target / file)
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    config = json.loads((target / "config.json").read_text()) | ids
    (target / "config.json").write_text(json.dumps(config))
    (target / "generation_config.json").write_text(json.dumps(ids))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
