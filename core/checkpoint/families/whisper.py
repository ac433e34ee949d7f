"""Whisper: an encoder of fixed length and a decoder with self and cross attention. vLLM 0.32 `models/whisper.py`."""

from __future__ import annotations

from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, full, kv_share
from core.checkpoint.config import MAX_LAYERS, Config
from core.checkpoint.families.blocks import QKV, layer
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder, Part


class Whisper:
    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        width, heads, layers = self._side(c.text, "decoder")
        kept = full(heads, width // heads, tp)
        cross = CacheLayer(CacheKind.CROSS, kv_share(heads, tp), width // heads, width // heads)
        return (kept, cross) * layers

    def _side(self, text: Fields, side: str) -> tuple[int, int, int]:
        """Width, heads and layers of the encoder or the decoder."""
        width, heads = text.need("d_model"), text.need(f"{side}_attention_heads")
        layers = text.need(f"{side}_layers")
        if layers > MAX_LAYERS or width % heads:
            raise Unreadable(f"{layers} layers and {heads} heads over {width} make no {side}")
        return width, heads, layers

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        text, root = c.text, "model"
        with b.within(Part.TOWERS, offloadable=False):
            self._encoder(text, b, f"{root}.encoder")
        width, _, layers = self._side(text, "decoder")
        path = f"{root}.decoder"
        # A plain table: not padded and whole on every rank.
        b.add(f"{path}.embed_tokens.weight", text.need("vocab_size") * width, part=Part.EMBEDDING)
        b.add(f"{path}.embed_positions.weight", text.need("max_target_positions") * width, part=Part.EMBEDDING)
        for index in range(layers):
            with layer(b):
                self._decoder_layer(b, f"{path}.layers.{index}", width, text.need("decoder_ffn_dim"))
        b.norm(f"{path}.layer_norm", width, bias=True)

    def _encoder(self, text: Fields, b: Builder, path: str) -> None:
        width, _, layers = self._side(text, "encoder")
        b.plain(f"{path}.conv1", text.need("num_mel_bins") * 3, width, bias=True)
        b.plain(f"{path}.conv2", width * 3, width, bias=True)
        for index in range(layers):
            block = f"{path}.layers.{index}"
            with b.within(Part.TOWERS, offloadable=True):
                self._self_attention(b, block, width)
                _mlp(b, block, width, text.need("encoder_ffn_dim"))
        b.norm(f"{path}.layer_norm", width, bias=True)
        b.add(f"{path}.embed_positions.weight", text.need("max_source_positions") * width)

    def _self_attention(self, b: Builder, path: str, width: int) -> None:
        b.column(f"{path}.self_attn.qkv_proj", width, (width,) * 3, QKV, bias=True)
        b.row(f"{path}.self_attn.out_proj", width, width, bias=True)
        b.norm(f"{path}.self_attn_layer_norm", width, bias=True)

    def _decoder_layer(self, b: Builder, path: str, width: int, inner: int) -> None:
        self._self_attention(b, path, width)
        b.attention_scales(f"{path}.self_attn.attn")
        b.column(f"{path}.encoder_attn.q_proj", width, (width,), ("q_proj",), bias=True)
        b.column(f"{path}.encoder_attn.kv_proj", width, (width, width), ("k_proj", "v_proj"), bias=True)
        b.row(f"{path}.encoder_attn.out_proj", width, width, bias=True)
        b.attention_scales(f"{path}.encoder_attn.attn")
        b.norm(f"{path}.encoder_attn_layer_norm", width, bias=True)
        _mlp(b, path, width, inner)


def _mlp(b: Builder, path: str, width: int, inner: int) -> None:
    b.column(f"{path}.mlp.fc1", width, (inner,), bias=True)
    b.row(f"{path}.mlp.fc2", inner, width, bias=True)
    b.norm(f"{path}.final_layer_norm", width, bias=True)


WHISPER: Final = Whisper()
