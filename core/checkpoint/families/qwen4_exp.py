"""Qwen4Exp (Qwen3.8-Flash-Next): Gated DeltaNet with hyper-connections, sparse attention by an indexer, and n-gram
tables of per-layer embeddings. vLLM 0.32 `vllm/models/qwen4_exp/{nvidia,common}/`.

Its attention caches have pages of different sizes, packed side by side within a block (layout BLNHC).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, State, full
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import Dims, dims, layer, rope_table
from core.checkpoint.families.gdn import LINEAR, Gdn, delta, delta_cache, delta_types
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder, Part

# Raw keys carry three int64 rope positions when the model uses multimodal rope.
_ROPE_POSITIONS: Final = 12
_WITNESSES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_MOST_HEADS: Final = 256


class Qwen4Exp(Gdn):
    def __init__(self) -> None:
        super().__init__(moe=True)

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        d, text, g = dims(c), c.text, delta(c.text)
        found: list[CacheLayer] = []
        ple_ids = set(text.integers("ple_layer_ids"))
        for index, kind in enumerate(delta_types(c, d.layers)):
            if index + 1 in ple_ids:
                dilated = (text.need("ple_conv_kernel_size", minimum=2) - 1) * text.need("ngram_size")
                wide = d.hidden * text.need("hc_count")
                found.append(CacheLayer(CacheKind.STATE, states=(State(wide * dilated, ssm=False),), flavour="ple"))
            if kind == LINEAR:
                found.append(delta_cache(g, tp))
                continue
            if text.stated("indexer_n_heads"):
                found.extend(self._indexer_caches(c))
            found.append(full(d.kv_heads, d.head, tp))
        return tuple(found)

    def _indexer_caches(self, c: Config) -> tuple[CacheLayer, CacheLayer]:
        ratio, head = c.text.need("indexer_compress_ratio"), c.text.need("indexer_head_dim")
        raw = -(-head // 4) * 4 + _ROPE_POSITIONS if _multimodal_rope(c.text) else head
        return (
            CacheLayer(CacheKind.CIRCULAR, 1, raw, 0, ratio),
            CacheLayer(CacheKind.MLA, 1, head, 0, ratio, flavour="compressed"),
        )

    def tensors(self, c: Config, b: Builder, root: str = "model") -> None:
        d, text, g = dims(c), c.text, delta(c.text)
        b.embedding(f"{root}.embed_tokens", d.vocab, d.hidden)
        ple_ids = sorted(set(text.integers("ple_layer_ids")))
        for index, kind in enumerate(delta_types(c, d.layers)):
            path = f"{root}.layers.{index}"
            with layer(b):
                if index + 1 in ple_ids:
                    self._ple(c, b, f"{path}.ple", d, ple_ids.index(index + 1))
                if kind == LINEAR:
                    self.linear_attention(b, f"{path}.linear_attn", d.hidden, g)
                else:
                    self._sparse_attention(c, b, f"{path}.self_attn", d)
                self.mlp(c, b, f"{path}.mlp", d, index)
                for name in ("attn_hyper_connection", "mlp_hyper_connection"):
                    self._hyper(text, b, f"{path}.{name}", d.hidden, combine=True)
            if kind != LINEAR:
                rope_table(b, c, f"{path}.self_attn", d.head)
        self._hyper(text, b, f"{root}.hyper_connection_mixer", d.hidden, combine=False)
        if not tied(c):
            b.lm_head("lm_head", d.vocab, d.hidden)

    def _sparse_attention(self, c: Config, b: Builder, path: str, d: Dims) -> None:
        text = c.text
        if not text.stated("indexer_n_heads"):
            self.attention(c, b, path, d)
            return
        head, ratio = text.need("indexer_head_dim"), text.need("indexer_compress_ratio")
        index = (text.need("indexer_n_heads") + text.need("indexer_kv_heads")) * head
        query = b.split(d.heads, "num_attention_heads") * d.head * 2
        kv = max(1, d.kv_heads // b.tp) * d.head
        b.linear(f"{path}.qkv_proj", d.hidden, (query, kv, kv, index), ("q_proj", "k_proj", "v_proj"))
        b.row(f"{path}.o_proj", d.query, d.hidden)
        b.norm(f"{path}.q_norm", d.head)
        b.norm(f"{path}.k_norm", d.head)
        b.norm(f"{path}.indexer.q_layernorm", head)
        b.norm(f"{path}.indexer.k_layernorm", head)
        b.attention_buffers(path)
        b.per_batched_token(text.need("indexer_budget") + ratio, "int32")

    def _hyper(self, text: Fields, b: Builder, path: str, hidden: int, *, combine: bool) -> None:
        count, rank = text.need("hc_count"), text.need("hc_lowrank")
        wide = hidden * count
        b.norm(f"{path}.hc_norm", wide)
        if combine:
            out = rank + count + -(rank + count) % 16
            b.plain(f"{path}.input_mix_weight_down_block_inject", wide, out)
        else:
            b.plain(f"{path}.input_mix_weight_down", wide, rank)
        b.plain(f"{path}.input_mix_weight_up", rank, wide)

    def _ple(self, c: Config, b: Builder, path: str, d: Dims, order: int) -> None:
        text = c.text
        heads = (text.need("ngram_size", minimum=2) - 1) * text.need("heads_per_ngram")
        rows = table_rows(text.need("ngram_vocab_size_base"), heads, order)
        divisor = text.integer("make_ngram_vocab_size_divisible_by", minimum=1) or 128
        rows = -(-rows // divisor) * divisor
        embed, wide = text.need("ple_embed_dim"), d.hidden * text.need("hc_count")
        b.add(f"{path}.ple_embedding.ngram_embedding.weight", rows // b.tp * (embed // heads), part=Part.PLE)
        b.buffer(f"{path}.ple_embedding.layer_multipliers", text.need("ngram_size"), "int64")
        b.buffer(f"{path}.ple_embedding.ngram_heads_vocab_sizes", heads, "int64")
        b.buffer(f"{path}.ple_embedding.ngram_heads_offsets", heads, "int64")
        b.linear(f"{path}.kv_proj", embed, (wide, d.hidden), ("key_proj", "value_proj"))
        for norm in ("norm_key", "norm_query", "norm_conv"):
            b.norm(f"{path}.{norm}", wide)
        b.add(f"{path}.conv1d.weight", wide * text.need("ple_conv_kernel_size"))


def _multimodal_rope(text: Fields) -> bool:
    found = text.mapping("rope_parameters") or text.mapping("rope_scaling") or {}
    return bool(found.get("mrope_section"))


@lru_cache(maxsize=64)
def table_rows(base: int, heads: int, order: int) -> int:
    """Rows of one n-gram table: each head takes the next prime from `base` on, `order` tables having taken theirs."""
    if heads > _MOST_HEADS or order > _MOST_HEADS:
        raise Unreadable("more n-gram heads than any model has")
    total, prime = 0, base - 1
    for head in range((order + 1) * heads):
        prime = _next_prime(prime)
        if head >= order * heads:
            total += prime
    return total


def _next_prime(number: int) -> int:
    candidate = max(2, number + 1)
    while not _is_prime(candidate):
        candidate += 1
    return candidate


def _is_prime(number: int) -> bool:
    """Deterministic below 3.3 x 10^24 (Miller and Rabin with the first twelve primes)."""
    if number < 2:
        return False
    for prime in _WITNESSES:
        if number % prime == 0:
            return number == prime
    odd, shifts = number - 1, 0
    while odd % 2 == 0:
        odd, shifts = odd // 2, shifts + 1
    return all(_passes(number, witness, odd, shifts) for witness in _WITNESSES)


def _passes(number: int, witness: int, odd: int, shifts: int) -> bool:
    value = pow(witness, odd, number)
    if value in (1, number - 1):
        return True
    for _ in range(shifts - 1):
        value = value * value % number
        if value == number - 1:
            return True
    return False


QWEN4_EXP: Final = Qwen4Exp()
