"""The vision and audio towers of Gemma 3n and Gemma 4, which vLLM takes from timm and transformers.

They are whole on every rank and never quantized. Sources: timm 1.0 `mobilenetv5.py`, transformers 5.19
`modeling_gemma3n.py`, `modeling_gemma4.py`.
"""

from __future__ import annotations

from typing import Final

from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

FP32: Final = "float32"
MEL_BINS: Final = 128
# Each convolution of the subsampling halves the mel axis.
MEL_REDUCTION: Final = 4
CLIP_BOUNDS: Final = ("input_min", "input_max", "output_min", "output_max")


def mobilenet_v5(b: Builder, v: Fields, path: str) -> None:
    """The 300M encoder, the only one that Gemma 3n uses.

    Raises:
        Unreadable: another encoder.
    """
    name = v.text("architecture") or "mobilenetv5_300m_enc"
    if name != "mobilenetv5_300m_enc":
        raise Unreadable(f"the vision encoder {name} is not modelled")
    b.add(f"{path}.conv_stem.conv.weight", 64 * 3 * 9)
    b.add(f"{path}.conv_stem.conv.bias", 64)
    b.norm(f"{path}.conv_stem.bn", 64)
    for index, (wide, mid) in enumerate(((64, 256), (128, 512), (128, 512))):
        block = f"{path}.blocks.0.{index}"
        b.add(f"{block}.conv_exp.weight", wide * mid * 9)
        b.norm(f"{block}.bn1", mid)
        b.plain(f"{block}.conv_pwl", mid, 128)
        b.norm(f"{block}.bn2", 128)
    _bottleneck(b, f"{path}.blocks.1.0", 128, 768, 256, 3, 5)
    for index, kernel in enumerate((5, 3, 5, 3), 1):
        _bottleneck(b, f"{path}.blocks.1.{index}", 256, 1024, 256, kernel)
    _bottleneck(b, f"{path}.blocks.2.0", 256, 1536, 640, 5, 5)
    for index in range(1, 8):
        _bottleneck(b, f"{path}.blocks.2.{index}", 640, 2560, 640, 5)
    _bottleneck(b, f"{path}.blocks.2.8", 640, 640, 640)
    for index in range(9, 37, 2):
        _attention(b, f"{path}.blocks.2.{index}", 640, 768, 64, down=True)
        _bottleneck(b, f"{path}.blocks.2.{index + 1}", 640, 1280, 640)
    _bottleneck(b, f"{path}.blocks.3.0", 640, 3840, 1280, 5, 5)
    for index in range(1, 39, 2):
        _attention(b, f"{path}.blocks.3.{index}", 1280, 1536, 96, down=False)
        _bottleneck(b, f"{path}.blocks.3.{index + 1}", 1280, 2560, 1280)
    _pointwise(b, f"{path}.msfa.ffn.pw_exp", 640 + 1280, 3840)
    _pointwise(b, f"{path}.msfa.ffn.pw_proj", 3840, 2048)
    b.norm(f"{path}.msfa.norm", 2048)


def _pointwise(b: Builder, path: str, n_in: int, out: int) -> None:
    b.plain(f"{path}.conv", n_in, out)
    b.norm(f"{path}.bn", out)


def _depthwise(b: Builder, path: str, width: int, kernel: int) -> None:
    b.add(f"{path}.conv.weight", width * kernel * kernel)
    b.norm(f"{path}.bn", width)


def _bottleneck(b: Builder, path: str, n_in: int, mid: int, out: int, start: int = 0, middle: int = 0) -> None:
    """A universal inverted residual with depthwise kernels at the start and in the middle, where given."""
    if start:
        _depthwise(b, f"{path}.dw_start", n_in, start)
    _pointwise(b, f"{path}.pw_exp", n_in, mid)
    if middle:
        _depthwise(b, f"{path}.dw_mid", mid, middle)
    _pointwise(b, f"{path}.pw_proj", mid, out)
    b.add(f"{path}.layer_scale.gamma", out)


def _attention(b: Builder, path: str, width: int, query: int, key: int, *, down: bool) -> None:
    """Multi-query attention over pixels; `down`: keys and values are reduced by a depthwise 3 x 3 first."""
    b.norm(f"{path}.norm", width)
    b.plain(f"{path}.attn.query.proj", width, query)
    for name in ("key", "value"):
        if down:
            b.add(f"{path}.attn.{name}.down_conv.weight", width * 9)
            b.norm(f"{path}.attn.{name}.norm", width)
        b.plain(f"{path}.attn.{name}.proj", width, key)
    b.plain(f"{path}.attn.output.proj", query, width)
    b.add(f"{path}.layer_scale.gamma", width)


def gemma3n_audio(b: Builder, a: Fields, path: str) -> None:
    hidden, layers = a.need("hidden_size"), a.need("conf_num_hidden_layers")
    heads, kernel = a.need("conf_num_attention_heads"), a.need("conf_conv_kernel_size")
    channels = a.integers("sscp_conv_channel_size") or (128, 32)
    _subsampling(b, f"{path}.subsample_conv_projection", hidden, channels, ("conv_0", "conv_1"))
    chunk = a.integer("conf_attention_chunk_size") or 12
    context = chunk + (a.integer("conf_attention_context_left", minimum=1) or 13) - 1
    context += a.integer("conf_attention_context_right") or 0
    for index in range(layers):
        layer = f"{path}.conformer.{index}"
        _feed_forward(b, f"{layer}.ffw_layer_start", hidden)
        b.norm(f"{layer}.attention.pre_attn_norm", hidden)
        attention = f"{layer}.attention.attn"
        b.add(f"{attention}.per_dim_scale", hidden // heads)
        b.plain(f"{attention}.relative_position_embedding.pos_proj", hidden, hidden)
        for name in ("q_proj", "k_proj", "v_proj"):
            b.plain(f"{attention}.{name}", hidden, hidden)
        b.plain(f"{layer}.attention.post", hidden, hidden)
        b.norm(f"{layer}.attention.post_norm", hidden)
        b.norm(f"{layer}.lconv1d.pre_layer_norm", hidden)
        b.plain(f"{layer}.lconv1d.linear_start", hidden, 2 * hidden)
        b.add(f"{layer}.lconv1d.depthwise_conv1d.weight", hidden * kernel)
        b.norm(f"{layer}.lconv1d.conv_norm", hidden)
        b.plain(f"{layer}.lconv1d.linear_end", hidden, hidden)
        _feed_forward(b, f"{layer}.ffw_layer_end", hidden)
        b.norm(f"{layer}.norm", hidden)
        for part in ("", ".ffw_layer_start", ".attention", ".lconv1d", ".ffw_layer_end"):
            b.buffer(f"{layer}{part}.gradient_clipping", 1)
        b.buffer(f"{attention}.q_scale", 1)
        b.buffer(f"{attention}.local_causal_valid_mask", chunk * context, "bool")
        b.buffer(f"{attention}.softcap", 1, FP32)
        b.buffer(f"{attention}.relative_position_embedding.inv_timescales", hidden // 2, FP32)


def _subsampling(b: Builder, path: str, hidden: int, channels: tuple[int, ...], names: tuple[str, str]) -> None:
    if len(channels) != 2:
        raise Unreadable("the audio tower has other convolutions than those modelled")
    for name, n_in, out in zip(names, (1, channels[0]), channels, strict=True):
        b.add(f"{path}.{name}.conv.weight", n_in * out * 9)
        b.norm(f"{path}.{name}.norm", out)
    b.plain(f"{path}.input_proj_linear", channels[1] * (MEL_BINS // MEL_REDUCTION), hidden)


def _feed_forward(b: Builder, path: str, hidden: int) -> None:
    b.norm(f"{path}.pre_layer_norm", hidden)
    b.plain(f"{path}.ffw_layer_1", hidden, 4 * hidden)
    b.plain(f"{path}.ffw_layer_2", 4 * hidden, hidden)
    b.norm(f"{path}.post_layer_norm", hidden)


def gemma4_vision(b: Builder, v: Fields, path: str) -> None:
    hidden, inner, patch = v.need("hidden_size"), v.need("intermediate_size"), v.need("patch_size")
    heads = v.need("num_attention_heads")
    head = v.integer("head_dim", minimum=1) or hidden // heads
    keys = (v.integer("num_key_value_heads", minimum=1) or heads) * head
    b.add(f"{path}.patch_embedder.position_embedding_table", 2 * v.need("position_embedding_size") * hidden)
    b.plain(f"{path}.patch_embedder.input_proj", 3 * patch * patch, hidden)
    clipped = v.flag("use_clipped_linears")
    for index in range(v.need("num_hidden_layers")):
        layer = f"{path}.encoder.layers.{index}"
        for name, n_in, out in (
            ("q_proj", hidden, heads * head),
            ("k_proj", hidden, keys),
            ("v_proj", hidden, keys),
            ("o_proj", heads * head, hidden),
        ):
            _clippable(b, f"{layer}.self_attn.{name}", n_in, out, clipped=clipped)
        b.norm(f"{layer}.self_attn.q_norm", head)
        b.norm(f"{layer}.self_attn.k_norm", head)
        for name, n_in, out in (("gate_proj", hidden, inner), ("up_proj", hidden, inner), ("down_proj", inner, hidden)):
            _clippable(b, f"{layer}.mlp.{name}", n_in, out, clipped=clipped)
        for norm in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            b.norm(f"{layer}.{norm}_layernorm", hidden)
    if v.flag("standardize"):
        b.buffer(f"{path}.std_bias", hidden)
        b.buffer(f"{path}.std_scale", hidden)
    for name in ("inv_freq", "original_inv_freq"):
        b.buffer(f"{path}.encoder.rotary_emb.{name}", head // 4, FP32)


def _clippable(b: Builder, path: str, n_in: int, out: int, *, clipped: bool) -> None:
    b.plain(f"{path}.linear", n_in, out)
    if clipped:
        for bound in CLIP_BOUNDS:
            b.buffer(f"{path}.{bound}", 1)


def gemma4_audio(b: Builder, a: Fields, path: str) -> None:
    hidden, heads = a.need("hidden_size"), a.need("num_attention_heads")
    clipped, kernel = a.flag("use_clipped_linears"), a.need("conv_kernel_size")
    channels = a.integers("subsampling_conv_channels") or (128, 32)
    _subsampling(b, f"{path}.subsample_conv_projection", hidden, channels, ("layer0", "layer1"))
    b.buffer(f"{path}.rel_pos_enc.inv_timescales", hidden // 2)
    for index in range(a.need("num_hidden_layers")):
        layer = f"{path}.layers.{index}"
        for part in ("feed_forward1", "feed_forward2"):
            _clippable(b, f"{layer}.{part}.ffw_layer_1", hidden, 4 * hidden, clipped=clipped)
            _clippable(b, f"{layer}.{part}.ffw_layer_2", 4 * hidden, hidden, clipped=clipped)
            b.norm(f"{layer}.{part}.pre_layer_norm", hidden)
            b.norm(f"{layer}.{part}.post_layer_norm", hidden)
        b.add(f"{layer}.self_attn.per_dim_scale", hidden // heads)
        for name in ("q_proj", "k_proj", "v_proj", "post"):
            _clippable(b, f"{layer}.self_attn.{name}", hidden, hidden, clipped=clipped)
        b.plain(f"{layer}.self_attn.relative_k_proj", hidden, hidden)
        b.buffer(f"{layer}.self_attn.softcap", 1)
        _clippable(b, f"{layer}.lconv1d.linear_start", hidden, 2 * hidden, clipped=clipped)
        _clippable(b, f"{layer}.lconv1d.linear_end", hidden, hidden, clipped=clipped)
        b.add(f"{layer}.lconv1d.depthwise_conv1d.weight", hidden * kernel)
        b.norm(f"{layer}.lconv1d.pre_layer_norm", hidden)
        b.norm(f"{layer}.lconv1d.conv_norm", hidden)
        for norm in ("norm_pre_attn", "norm_post_attn", "norm_out"):
            b.norm(f"{layer}.{norm}", hidden)
    b.plain(f"{path}.output_proj", hidden, a.need("output_proj_dims"), bias=True)
