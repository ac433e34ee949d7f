"""Makes small random checkpoints. Runs in the engine's own Python: `tiny_checkpoints.py STARTER_FOLDER TARGET NAME`.

Vocabulary, tokenizer and chat template are the starter's; the weights are random from a fixed seed. Names that end in
"-mm" are the text model of that name (taken from beside the target where it is) inside its multimodal wrapper, without
weights of towers: for `--language-model-only`. Gemma 3n's, which cannot run so, has small towers.
"gemma4-lora" is an adapter for the text models of Gemma 4.
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


SMALL_SOUND = {
    "hidden_size": 64,
    "conf_num_attention_heads": 2,
    "conf_num_hidden_layers": 1,
    "sscp_conv_channel_size": [16, 8],
}
# Gemma 3n's processor asks its tokenizer for these.
SPECIAL = {"boi": "<repo_name>", "eoi": "<reponame>", "image": "<file_sep>"}
SPECIAL |= {"boa": "<filename>", "eoa": "<gh_stars>", "audio": "<issue_start>"}
PROCESSOR = {
    "processor_class": "Gemma3nProcessor",
    "image_processor_type": "SiglipImageProcessor",
    "feature_extractor_type": "Gemma3nAudioFeatureExtractor",
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

    model_class, config_class, towers = {
        "gemma3n-ple": (
            "Gemma3nForConditionalGeneration",
            transformers.Gemma3nConfig,
            {"vision_config": {"hidden_size": 64}, "audio_config": SMALL_SOUND},
        ),
        "gemma4-ple": (
            "Gemma4ForConditionalGeneration",
            transformers.Gemma4Config,
            {"vision_config": SMALL_TOWER},
        ),
    }[name]
    text = json.loads((folder / "config.json").read_text())
    config = config_class(text_config=text, tie_word_embeddings=True, **towers)
    file = folder / "model.safetensors"
    tensors = {key.replace("model.", "model.language_model.", 1): tensor for key, tensor in load_file(file).items()}
    if name == "gemma3n-ple":
        tensors |= towers_of(config)
    save_file(tensors, file, {"format": "pt"})
    told = config.to_dict() | {"architectures": [model_class], "dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(told))


def towers_of(config):
    """Gemma 3n's tower of sound and what makes both towers' outputs tokens. The tower of pictures is timm's:
    `tests/fakes/fake_timm.py` has no weights."""
    from transformers.models.gemma3n import modeling_gemma3n as gemma3n

    parts = {
        "audio_tower": gemma3n.Gemma3nAudioEncoder(config.audio_config),
        "embed_audio": gemma3n.Gemma3nMultimodalEmbedder(config.audio_config, config.text_config),
        "embed_vision": gemma3n.Gemma3nMultimodalEmbedder(config.vision_config, config.text_config),
    }
    return {f"model.{part}.{key}": tensor for part, made in parts.items() for key, tensor in made.state_dict().items()}


def as_gemma3n(target: Path) -> None:
    """What the wrapper's processor and vLLM's (0.32, gemma3n_mm.py) ask a tokenizer for. Line ends are no tokens of the
    starter: theirs lie behind its vocabulary, so that no text is ever cut into them."""
    told, words = target / "tokenizer_config.json", target / "tokenizer.json"
    named = {f"{name}_token": token for name, token in SPECIAL.items()}
    told.write_text(json.dumps(json.loads(told.read_text()) | {"extra_special_tokens": named}))
    tokenizer = json.loads(words.read_text())
    tokenizer["model"]["vocab"] |= {"\n" * count: COMMON["vocab_size"] + count for count in range(1, 5)}
    words.write_text(json.dumps(tokenizer))
    (target / "preprocessor_config.json").write_text(json.dumps(PROCESSOR))


def let_rows_count(model) -> None:
    """transformers 5.19 begins a Gemma 3n with zeros where the per-layer embeddings meet the rest (AltUp's
    `correct_output_scale`): no row of the table would change an answer."""
    for name, parameter in model.named_parameters():
        if name.endswith("correct_output_scale"):
            parameter.data.fill_(1)


def adapter(folder: Path) -> None:
    """A random LoRA for the queries of all layers and the outputs of all attention."""
    import torch
    from safetensors.torch import save_file

    rank, width = 8, COMMON["hidden_size"]
    tensors = {}
    for layer in range(PLE_LAYERS):
        for part in ("q_proj", "o_proj"):
            name = f"base_model.model.model.layers.{layer}.self_attn.{part}"
            tensors[f"{name}.lora_A.weight"] = torch.randn(rank, width) / width**0.5
            tensors[f"{name}.lora_B.weight"] = torch.randn(width, rank)
    folder.mkdir()
    save_file(tensors, folder / "adapter_model.safetensors", {"format": "pt"})
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": rank, "bias": "none"}
    config["target_modules"] = ["q_proj", "o_proj"]
    (folder / "adapter_config.json").write_text(json.dumps(config))


def main(starter: Path, target: Path, name: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    if name == "gemma4-lora":
        adapter(target)
        return
    text = name.removesuffix("-mm")
    if text != name and (target.parent / text).is_dir():
        shutil.copytree(target.parent / text, target)
    else:
        model = AutoModelForCausalLM.from_config(config_of(text))
        let_rows_count(model)
        model.save_pretrained(target)
    if text != name:
        wrapped(target, text)
    for file in TOKENIZER:
        shutil.copy(starter / file, target / file)
    if name == "gemma3n-ple-mm":
        as_gemma3n(target)
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    config = json.loads((target / "config.json").read_text()) | ids
    (target / "config.json").write_text(json.dumps(config))
    (target / "generation_config.json").write_text(json.dumps(ids))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
