"""What the headers of the weight files say: exact bytes by dtype and by part, before anything is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from core.checkpoint.safetensors_header import Tensor
from core.checkpoint.tensors import Part

# safetensors' names; 4-bit formats are packed in I32 or U8, so bytes are never parameters times bits.
DTYPES: Final = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}
_TOWER: Final = re.compile(r"(?:^|\.)(?:vision|visual|audio|multi_modal|mm_|embed_vision|embed_audio|image|connector)")
_HEAD: Final = re.compile(r"(?:^|\.)(?:lm_head|output_layer|embed_out)\.")
_EMBEDDING: Final = re.compile(r"(?:^|\.)(?:embed_tokens|wte|word_embeddings|embeddings?|tok_embeddings)\.weight$")
_PLE: Final = re.compile(r"embed_tokens_per_layer|ngram_embedding|engram")
_EXPERT: Final = re.compile(r"\.experts\.|\.expert_\d+\.")
_MTP: Final = re.compile(r"(?:^|\.)(?:mtp|nextn)(?:\.|_)")
_DROPPED: Final = re.compile(r"rotary_emb\.inv_freq$|(?:^|\.)masked_bias$")
_PACKED: Final = re.compile(r"\.(?:qweight|weight_packed)$")


@dataclass(frozen=True, slots=True)
class WeightsOnDisk:
    """Sizes in bytes. `dropped_bytes`: what vLLM does not load (MTP heads without speculation, stored rope
    frequencies). `main_dtype`: the dtype that holds most. `quantized`: modules with packed weights."""

    total_bytes: int
    by_dtype: Mapping[str, int]
    by_part: Mapping[Part, int]
    dropped_bytes: int
    main_dtype: str
    quantized: frozenset[str]
    files: int = 1
    has_lm_head: bool = True

    @property
    def loaded_bytes(self) -> int:
        return self.total_bytes - self.dropped_bytes


def weights_on_disk(headers: Iterable[Mapping[str, Tensor]]) -> WeightsOnDisk:
    """Args: one header per file that vLLM loads; a tensor named twice counts once."""
    tensors: dict[str, Tensor] = {}
    files = 0
    for header in headers:
        files += 1
        for name, tensor in header.items():
            tensors.setdefault(name, tensor)
    by_dtype: dict[str, int] = {}
    by_part = dict.fromkeys(Part, 0)
    dropped = 0
    quantized: set[str] = set()
    for name, tensor in tensors.items():
        size = max(0, tensor.data_offsets[1] - tensor.data_offsets[0])
        dtype = DTYPES.get(tensor.dtype, tensor.dtype.lower())
        by_dtype[dtype] = by_dtype.get(dtype, 0) + size
        if _MTP.search(name) or _DROPPED.search(name):
            dropped += size
        else:
            by_part[part_of(name)] += size
        if _PACKED.search(name):
            quantized.add(name.rsplit(".", 1)[0])
    return WeightsOnDisk(
        total_bytes=sum(by_dtype.values()),
        by_dtype=by_dtype,
        by_part=by_part,
        dropped_bytes=dropped,
        main_dtype=_main_dtype(by_dtype),
        quantized=frozenset(quantized),
        files=files,
        has_lm_head=any(_HEAD.search(name) for name in tensors),
    )


def part_of(name: str) -> Part:
    for pattern, part in (
        (_PLE, Part.PLE),
        (_TOWER, Part.TOWERS),
        (_HEAD, Part.LM_HEAD),
        (_EXPERT, Part.EXPERTS),
        (_EMBEDDING, Part.EMBEDDING),
    ):
        if pattern.search(name):
            return part
    return Part.LAYERS if re.search(r"\.(?:layers|h|blocks)\.\d+\.", name) else Part.OTHER


def _main_dtype(by_dtype: Mapping[str, int]) -> str:
    """The 16- or 32-bit dtype that holds most bytes: what vLLM falls back to when the config names none."""
    floats = {name: size for name, size in by_dtype.items() if name in ("float16", "bfloat16", "float32")}
    return max(floats, key=lambda name: floats[name]) if floats else ""
