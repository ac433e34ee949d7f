"""Vision towers that vLLM builds from its own layers: SigLIP, CLIP, Pixtral, Qwen-VL 2 to 3.5, Llama 4.

Sources: vLLM 0.32 `models/{siglip,clip,pixtral,qwen2_vl,qwen2_5_vl,qwen3_vl,mllama4}.py`. Every function adds the
parameters of one tower; the caller has opened the tower's section.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.checkpoint.fields import Fields
from core.checkpoint.tensors import Builder

VIT_ROPE_ROWS = 8192


@dataclass(frozen=True, slots=True)
class Vit:
    """What all of them have."""

    hidden: int
    inner: int
    heads: int
    layers: int


def vit(v: Fields) -> Vit:
    return Vit(
        v.need("hidden_size"),
        v.need("intermediate_size"),
        v.need("num_attention_heads"),
        v.integer("num_hidden_layers", minimum=1) or 1,
    )


def siglip(
    b: Builder, v: Fields, path: str, *, clip: bool = False, drop_last: int = 0, position_ids: bool = True
) -> None:
    """SigLIP, and CLIP with its class token. `drop_last`: layers that are not built because an earlier one is read."""
    t = vit(v)
    patch, channels = v.need("patch_size"), v.integer("num_channels", minimum=1) or 3
    patches = (v.need("image_size") // patch) ** 2
    if clip:
        b.add(f"{path}.embeddings.class_embedding", t.hidden)
    b.plain(f"{path}.embeddings.patch_embedding", channels * patch * patch, t.hidden, bias=not clip)
    b.add(f"{path}.embeddings.position_embedding.weight", (patches + clip) * t.hidden)
    if clip:
        b.norm(f"{path}.pre_layrnorm", t.hidden, bias=True)
    # Other quantizations than bitsandbytes need both widths to be multiples of 64 (siglip.py, SiglipMLP).
    quantizable = clip or (t.hidden % 64 == 0 and t.inner % 64 == 0)
    for index in range(max(0, t.layers - drop_last)):
        layer = f"{path}.encoder.layers.{index}"
        b.column(f"{layer}.self_attn.qkv_proj", t.hidden, (t.hidden,) * 3, ("q_proj", "k_proj", "v_proj"), bias=True)
        b.row(f"{layer}.self_attn.out_proj", t.hidden, t.hidden, bias=True)
        b.norm(f"{layer}.layer_norm1", t.hidden, bias=True)
        with b.unquantized(not quantizable):
            b.column(f"{layer}.mlp.fc1", t.hidden, (t.inner,), bias=True)
            b.row(f"{layer}.mlp.fc2", t.inner, t.hidden, bias=True)
        b.norm(f"{layer}.layer_norm2", t.hidden, bias=True)
    if not drop_last and not clip:
        b.norm(f"{path}.post_layernorm", t.hidden, bias=True)
    if position_ids:
        b.buffer(f"{path}.embeddings.position_ids", patches + clip, "int64")


def pixtral(b: Builder, v: Fields, path: str, *, drop_last: int = 0) -> None:
    t = vit(v)
    patch, channels = v.need("patch_size"), v.integer("num_channels", minimum=1) or 3
    b.plain(f"{path}.patch_conv", channels * patch * patch, t.hidden)
    b.norm(f"{path}.ln_pre", t.hidden)
    for index in range(max(0, t.layers - drop_last)):
        layer = f"{path}.transformer.layers.{index}"
        b.norm(f"{layer}.attention_norm", t.hidden)
        shards = ("q_proj", "k_proj", "v_proj")
        b.column(f"{layer}.attention.qkv_proj", t.hidden, (t.hidden,) * 3, shards)
        b.row(f"{layer}.attention.o_proj", t.hidden, t.hidden)
        b.column(f"{layer}.feed_forward.gate_up_proj", t.hidden, (t.inner, t.inner), ("gate_proj", "up_proj"))
        b.row(f"{layer}.feed_forward.down_proj", t.inner, t.hidden)
        b.norm(f"{layer}.ffn_norm", t.hidden)
    half = (v.integer("head_dim", minimum=1) or t.hidden // t.heads) // 2
    b.buffer(f"{path}.patch_positional_embedding.inv_freq", half, "float32")
    b.buffer(f"{path}.patch_positional_embedding.original_inv_freq", half, "float32")


def _qwen_blocks(b: Builder, path: str, hidden: int, depth: int, mlp: Callable[[str], None], *, bias: bool) -> None:
    for index in range(depth):
        block = f"{path}.blocks.{index}"
        b.norm(f"{block}.norm1", hidden, bias=bias)
        b.norm(f"{block}.norm2", hidden, bias=bias)
        b.column(f"{block}.attn.qkv", hidden, (hidden,) * 3, ("qkv",), bias=True)
        b.row(f"{block}.attn.proj", hidden, hidden, bias=True)
        mlp(f"{block}.mlp")


def _qwen_patches(v: Fields) -> int:
    patch = v.need("patch_size")
    channels = v.integer("in_channels", "in_chans", minimum=1) or 3
    return channels * v.need("temporal_patch_size") * patch * patch


def _qwen_rope(b: Builder, path: str, hidden: int, heads: int) -> None:
    b.buffer(f"{path}.rotary_pos_emb.cos_sin_cache", VIT_ROPE_ROWS * (hidden // heads // 2))


def qwen2_vl(b: Builder, v: Fields, path: str) -> None:
    """`embed_dim` is the tower's width here and `hidden_size` that of the language model."""
    width, heads = v.need("embed_dim"), v.need("num_heads")
    b.plain(f"{path}.patch_embed.proj", _qwen_patches(v), width)
    inner = int(width * (v.number("mlp_ratio", default=4.0) or 4.0))

    def mlp(where: str) -> None:
        b.column(f"{where}.fc1", width, (inner,), bias=True)
        b.row(f"{where}.fc2", inner, width, bias=True)

    _qwen_blocks(b, path, width, v.need("depth"), mlp, bias=True)
    merged = width * v.need("spatial_merge_size") ** 2
    b.norm(f"{path}.merger.ln_q", width, bias=True)
    b.column(f"{path}.merger.mlp.0", merged, (merged,), bias=True)
    b.row(f"{path}.merger.mlp.2", merged, v.need("hidden_size"), bias=True)
    _qwen_rope(b, path, width, heads)


def qwen2_5_vl(b: Builder, v: Fields, path: str) -> None:
    hidden, heads, inner = v.need("hidden_size"), v.need("num_heads"), v.need("intermediate_size")
    b.plain(f"{path}.patch_embed.proj", _qwen_patches(v), hidden)

    def mlp(where: str) -> None:
        b.column(f"{where}.gate_up_proj", hidden, (inner, inner), ("gate_proj", "up_proj"), bias=True)
        b.row(f"{where}.down_proj", inner, hidden, bias=True)

    _qwen_blocks(b, path, hidden, v.need("depth"), mlp, bias=False)
    merged = hidden * v.need("spatial_merge_size") ** 2
    b.norm(f"{path}.merger.ln_q", hidden)
    b.column(f"{path}.merger.mlp.0", merged, (merged,), bias=True)
    b.row(f"{path}.merger.mlp.2", merged, v.need("out_hidden_size"), bias=True)
    _qwen_rope(b, path, hidden, heads)


def qwen3_vl(b: Builder, v: Fields, path: str) -> None:
    """Qwen3-VL and the hybrids after it: a merger, one more for each deepstack level, then the blocks."""
    hidden, heads, inner = v.need("hidden_size"), v.need("num_heads"), v.need("intermediate_size")
    b.plain(f"{path}.patch_embed.proj", _qwen_patches(v), hidden, bias=True)
    b.add(f"{path}.pos_embed.weight", v.need("num_position_embeddings") * hidden)
    merged, out = hidden * v.need("spatial_merge_size") ** 2, v.need("out_hidden_size")

    def merger(where: str, normed: int) -> None:
        b.norm(f"{where}.norm", normed, bias=True)
        b.column(f"{where}.linear_fc1", merged, (merged,), bias=True)
        b.row(f"{where}.linear_fc2", merged, out, bias=True)

    merger(f"{path}.merger", hidden)
    for index in range(len(v.integers("deepstack_visual_indexes"))):
        merger(f"{path}.deepstack_merger_list.{index}", merged)

    def mlp(where: str) -> None:
        b.column(f"{where}.linear_fc1", hidden, (inner,), bias=True)
        b.row(f"{where}.linear_fc2", inner, hidden, bias=True)

    _qwen_blocks(b, path, hidden, v.need("depth"), mlp, bias=True)
    _qwen_rope(b, path, hidden, heads)


def llama4_vision(b: Builder, v: Fields, path: str) -> None:
    t = vit(v)
    patch, channels = v.need("patch_size"), v.integer("num_channels", minimum=1) or 3
    patches = (v.need("image_size") // patch) ** 2 + 1
    b.add(f"{path}.class_embedding", t.hidden)
    b.add(f"{path}.positional_embedding_vlm", patches * t.hidden)
    b.linear(f"{path}.patch_embedding.linear", channels * patch * patch, (t.hidden // b.tp,))
    b.norm(f"{path}.layernorm_pre", t.hidden, bias=True)
    b.norm(f"{path}.layernorm_post", t.hidden, bias=True)
    for index in range(t.layers):
        layer = f"{path}.model.layers.{index}"
        b.column(f"{layer}.self_attn.qkv_proj", t.hidden, (t.hidden,) * 3, ("q_proj", "k_proj", "v_proj"), bias=True)
        b.row(f"{layer}.self_attn.o_proj", t.hidden, t.hidden, bias=True)
        b.column(f"{layer}.mlp.fc1", t.hidden, (t.inner,), bias=True)
        b.row(f"{layer}.mlp.fc2", t.inner, t.hidden, bias=True)
        b.norm(f"{layer}.input_layernorm", t.hidden, bias=True)
        b.norm(f"{layer}.post_attention_layernorm", t.hidden, bias=True)
    wide, out = v.need("projector_input_dim"), v.need("projector_output_dim")
    b.column(f"{path}.vision_adapter.mlp.fc1", t.inner, (wide,))
    b.row(f"{path}.vision_adapter.mlp.fc2", wide, out)
    b.buffer(
        f"{path}.model.layers.0.self_attn.rotary_emb.cos_sin_cache", patches * (t.hidden // t.heads // 2), "complex64"
    )
