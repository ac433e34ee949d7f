"""Vision and audio towers of GLM 4 V, InternVL, LFM2-VL, Kimi-VL and Qwen2-Audio.

Sources: vLLM 0.32 `models/{glm4_1v,interns1_vit,lfm2_siglip2,moonvit,qwen2_audio}.py`.
"""

from __future__ import annotations

from core.checkpoint.families.blocks import GATE_UP, QKV
from core.checkpoint.families.towers import VIT_ROPE_ROWS, vit
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder


def side(v: Fields, name: str) -> int:
    """A size given as one number or as height and width; the first counts."""
    sides = v.integers(name)
    return sides[0] if sides else v.need(name)


def glm4v(b: Builder, v: Fields, path: str) -> None:
    """The blocks' MLP is as wide as the language model; the merger takes the config's intermediate_size."""
    hidden, heads, out = v.need("hidden_size"), v.need("num_heads"), v.need("out_hidden_size")
    patch, channels = v.need("patch_size"), v.integer("in_channels", minimum=1) or 3
    b.plain(f"{path}.patch_embed.proj", channels * v.need("temporal_patch_size") * patch * patch, hidden, bias=True)
    for index in range(v.need("depth")):
        block = f"{path}.blocks.{index}"
        b.norm(f"{block}.norm1", hidden)
        b.norm(f"{block}.norm2", hidden)
        b.column(f"{block}.attn.qkv", hidden, (hidden,) * 3, ("qkv",))
        b.row(f"{block}.attn.proj", hidden, hidden)
        b.column(f"{block}.mlp.gate_up_proj", hidden, (out, out), GATE_UP)
        b.row(f"{block}.mlp.down_proj", out, hidden)
    inner = v.need("intermediate_size")
    b.column(f"{path}.merger.proj", out, (out,))
    b.norm(f"{path}.merger.post_projection_norm", out, bias=True)
    b.column(f"{path}.merger.gate_up_proj", out, (inner, inner), GATE_UP)
    b.row(f"{path}.merger.down_proj", inner, out)
    positions = (v.need("image_size") // patch) ** 2
    b.add(f"{path}.embeddings.position_embedding.weight", positions * hidden)
    b.norm(f"{path}.post_conv_layernorm", hidden)
    merge = v.need("spatial_merge_size")
    b.plain(f"{path}.downsample", hidden * merge * merge, out, bias=True)
    b.norm(f"{path}.post_layernorm", hidden)
    b.buffer(f"{path}.rotary_pos_emb.cos_sin_cache", VIT_ROPE_ROWS * (hidden // heads // 2))
    b.buffer(f"{path}.embeddings.position_ids", positions, "int64")


def internvl(b: Builder, v: Fields, path: str) -> None:
    t = vit(v)
    patch, channels = side(v, "patch_size"), v.integer("num_channels", minimum=1) or 3
    places = (side(v, "image_size") // patch) ** 2 + 1
    biased = v.text("norm_type") != "rms_norm"
    b.add(f"{path}.embeddings.cls_token", t.hidden)
    if v.flag("use_mask_token"):
        b.add(f"{path}.embeddings.mask_token", t.hidden)
    if v.flag("use_absolute_position_embeddings", default=True):
        b.add(f"{path}.embeddings.position_embeddings", places * t.hidden)
    b.plain(f"{path}.embeddings.patch_embeddings.projection", channels * patch * patch, t.hidden, bias=True)
    for index in range(t.layers):
        layer = f"{path}.encoder.layer.{index}"
        b.add(f"{layer}.lambda_1", t.hidden)
        b.add(f"{layer}.lambda_2", t.hidden)
        for name in QKV:
            b.plain(f"{layer}.attention.{name}", t.hidden, t.hidden, bias=v.flag("attention_bias"))
        if v.flag("use_qk_norm"):
            b.norm(f"{layer}.attention.q_norm", t.hidden)
            b.norm(f"{layer}.attention.k_norm", t.hidden)
        b.plain(f"{layer}.attention.projection_layer", t.hidden, t.hidden, bias=True)
        # The encoder is built without the quantization.
        b.add(f"{layer}.mlp.fc1.weight", t.hidden * b.split(t.inner, layer))
        b.add(f"{layer}.mlp.fc1.bias", t.inner // b.tp)
        b.plain(f"{layer}.mlp.fc2", t.inner // b.tp, t.hidden, bias=True)
        b.norm(f"{layer}.layernorm_before", t.hidden, bias=biased)
        b.norm(f"{layer}.layernorm_after", t.hidden, bias=biased)
    if not v.flag("use_mean_pooling", default=True):
        b.norm(f"{path}.layernorm", t.hidden, bias=True)


def siglip2(b: Builder, v: Fields, path: str, layers: int) -> None:
    """Args: `layers` that are built; the last norm only with all of them."""
    t = vit(v)
    patch, channels = v.need("patch_size"), v.integer("num_channels", minimum=1) or 3
    b.plain(f"{path}.embeddings.patch_embedding", channels * patch * patch, t.hidden, bias=True)
    b.add(f"{path}.embeddings.position_embedding.weight", v.need("num_patches") * t.hidden)
    for index in range(layers):
        layer = f"{path}.encoder.layers.{index}"
        b.norm(f"{layer}.layer_norm1", t.hidden, bias=True)
        b.column(f"{layer}.self_attn.qkv_proj", t.hidden, (t.hidden,) * 3, QKV, bias=True)
        b.row(f"{layer}.self_attn.out_proj", t.hidden, t.hidden, bias=True)
        b.norm(f"{layer}.layer_norm2", t.hidden, bias=True)
        b.column(f"{layer}.mlp.fc1", t.hidden, (t.inner,), bias=True)
        b.row(f"{layer}.mlp.fc2", t.inner, t.hidden, bias=True)
    if layers == t.layers:
        b.norm(f"{path}.post_layernorm", t.hidden, bias=True)


def moonvit(b: Builder, v: Fields, path: str) -> None:
    t, patch = vit(v), v.need("patch_size")
    b.plain(f"{path}.patch_embed.proj", 3 * patch * patch, t.hidden, bias=True)
    rows, columns = v.need("init_pos_emb_height"), v.need("init_pos_emb_width")
    b.add(f"{path}.patch_embed.pos_emb.weight", rows * columns * t.hidden)
    for index in range(t.layers):
        block = f"{path}.encoder.blocks.{index}"
        b.norm(f"{block}.norm0", t.hidden, bias=True)
        b.norm(f"{block}.norm1", t.hidden, bias=True)
        b.column(f"{block}.mlp.fc0", t.hidden, (t.inner,), bias=True)
        b.row(f"{block}.mlp.fc1", t.inner, t.hidden, bias=True)
        b.column(f"{block}.wqkv", t.hidden, (t.hidden,) * 3, ("wqkv",), bias=True)
        b.row(f"{block}.wo", t.hidden, t.hidden, bias=True)
    b.norm(f"{path}.encoder.final_layernorm", t.hidden, bias=True)


def whisper_encoder(b: Builder, a: Fields, path: str) -> None:
    """transformers' own encoder: nothing in it is fused or quantized."""
    width, inner = a.need("d_model"), a.need("encoder_ffn_dim")
    layers = a.need("encoder_layers")
    if layers > 1024:
        raise Unreadable(f"encoder_layers is {layers}: no tower has that many")
    b.plain(f"{path}.conv1", a.need("num_mel_bins") * 3, width, bias=True)
    b.plain(f"{path}.conv2", width * 3, width, bias=True)
    b.add(f"{path}.embed_positions.weight", a.need("max_source_positions") * width)
    for index in range(layers):
        layer = f"{path}.layers.{index}"
        for name in ("k_proj", "v_proj", "q_proj", "out_proj"):
            b.plain(f"{layer}.self_attn.{name}", width, width, bias=name != "k_proj")
        b.norm(f"{layer}.self_attn_layer_norm", width, bias=True)
        b.plain(f"{layer}.fc1", width, inner, bias=True)
        b.plain(f"{layer}.fc2", inner, width, bias=True)
        b.norm(f"{layer}.final_layer_norm", width, bias=True)
    b.norm(f"{path}.layer_norm", width, bias=True)
