"""The tensors that vLLM allocates for a model, in the order in which it registers them."""

from __future__ import annotations

import enum
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, NamedTuple

from core.checkpoint.fields import Refused, Unreadable
from core.checkpoint.quantization.declared import Quantization
from core.checkpoint.quantization.match import bare
from core.checkpoint.quantization.scheme import ITEM_BYTES, PLAIN, Experts, Rows, Scheme

VOCAB_PADDING: Final = 64
# The most tensors that are worth building; a config that asks for more is no model.
MAX_TENSORS: Final = 400_000


class Part(enum.StrEnum):
    """What a tensor belongs to, as shown in the plan."""

    EMBEDDING = "embedding"
    LM_HEAD = "lm_head"
    LAYERS = "layers"
    EXPERTS = "experts"
    PLE = "ple"
    TOWERS = "towers"
    BUFFERS = "buffers"
    OTHER = "other"


class Tensor(NamedTuple):
    """One parameter or buffer of one tensor parallel rank. `offloadable`: the walk of `--cpu-offload-gb` reaches it."""

    name: str
    bytes: int
    elements: int
    dtype: str
    part: Part
    offloadable: bool


def padded_vocab(rows: int) -> int:
    """vLLM pads vocabularies to a multiple of 64 (`vocab_parallel_embedding.DEFAULT_VOCAB_PADDING_SIZE`)."""
    return -(-rows // VOCAB_PADDING) * VOCAB_PADDING


class Builder:
    """Collects the tensors of one rank. Paths are vLLM's; `alias` gives a module its name in the checkpoint where that
    differs, for the lists of what is not quantized."""

    def __init__(self, dtype: str, quantization: Quantization, tp: int = 1) -> None:
        self.dtype = dtype
        self.quantization = quantization
        self.tp = tp
        self.tensors: list[Tensor] = []
        self._part = Part.OTHER
        self._offloadable: bool = False
        self._quantize: bool = True
        self._tables: set[tuple[object, ...]] = set()
        self._buffers: list[Tensor] = []
        # Bytes of buffers that vLLM sizes by max_num_batched_tokens, for one token.
        self.bytes_per_batched_token = 0
        # What stands before the output head's name in a multimodal model.
        self.head_lead = ""

    @contextmanager
    def within(self, part: Part, *, offloadable: bool, quantize: bool = True) -> Generator[None]:
        before = self._part, self._offloadable, self._quantize
        self._part, self._offloadable, self._quantize = part, offloadable, quantize
        try:
            yield
        finally:
            self._part, self._offloadable, self._quantize = before

    def add(self, name: str, elements: int, dtype: str = "", part: Part | None = None) -> None:
        if elements < 0:
            raise Unreadable(f"{name} would have a negative size")
        if len(self.tensors) >= MAX_TENSORS:
            raise Unreadable("more tensors than any model has")
        kind = dtype or self.dtype
        tensor = Tensor(name, elements * ITEM_BYTES[kind], elements, kind, part or self._part, self._offloadable)
        self.tensors.append(tensor)

    def buffer(self, name: str, elements: int, dtype: str = "") -> None:
        """Buffers stand after all parameters and are never offloaded."""
        kind = dtype or self.dtype
        part = Part.TOWERS if self._part is Part.TOWERS else Part.BUFFERS
        self._buffers.append(Tensor(name, elements * ITEM_BYTES[kind], elements, kind, part, False))

    def per_batched_token(self, elements: int, dtype: str) -> None:
        self.bytes_per_batched_token += elements * ITEM_BYTES[dtype]

    @contextmanager
    def unquantized(self, active: bool = True) -> Generator[None]:
        before = self._quantize
        self._quantize = before and not active
        try:
            yield
        finally:
            self._quantize = before

    def rope(self, name: str, rows: int, width: int, theta: float, dtype: str = "") -> None:
        """A cos/sin cache; layers with the same parameters share one (`get_rope`)."""
        key = (rows, width, theta, dtype)
        if key not in self._tables:
            self._tables.add(key)
            self.buffer(name, rows * width, dtype)

    def split(self, number: int, what: str) -> int:
        """`number` divided among the ranks.

        Raises:
            Refused: it does not divide; vLLM wants that it does.
        """
        if number % self.tp:
            raise Refused(f"{what} ({number}) cannot be divided by a tensor parallel size of {self.tp}")
        return number // self.tp

    def linear(
        self, path: str, n_in: int, outs: tuple[int, ...], shards: tuple[str, ...] = (), *, bias: bool = False
    ) -> None:
        """A linear layer of sizes already split. `shards`: the names of its parts in the checkpoint."""
        self._rows(path, self._scheme(path, shards).linear(n_in, outs, self.dtype))
        if bias:
            self.add(f"{path}.bias", sum(outs))

    def plain(self, path: str, n_in: int, out: int, *, bias: bool = False, dtype: str = "") -> None:
        """A linear layer that no scheme quantizes."""
        self.add(f"{path}.weight", n_in * out, dtype)
        if bias:
            self.add(f"{path}.bias", out)

    def column(
        self, path: str, n_in: int, outs: tuple[int, ...], shards: tuple[str, ...] = (), *, bias: bool = False
    ) -> None:
        """Split by outputs."""
        self.linear(path, n_in, tuple(self.split(out, path) for out in outs), shards, bias=bias)

    def row(self, path: str, n_in: int, out: int, shards: tuple[str, ...] = (), *, bias: bool = False) -> None:
        """Split by inputs; the bias is whole on every rank."""
        self.linear(path, self.split(n_in, path), (out,), shards, bias=bias)

    def experts(self, path: str, experts: Experts, *, alias: str = "") -> None:
        inner = self.split(experts.inner, path)
        local = Experts(experts.count, experts.hidden, inner, experts.gated)
        scheme = self._scheme(alias or path, ())
        with self.within(Part.EXPERTS, offloadable=self._offloadable):
            self._rows(f"{path}.routed_experts", scheme.experts(local, self.dtype))

    def norm(self, path: str, size: int, *, bias: bool = False) -> None:
        self.add(f"{path}.weight", size)
        if bias:
            self.add(f"{path}.bias", size)

    def attention_scales(self, path: str) -> None:
        """Parameters for a quantized KV cache, and the four fp32 scalars that every attention layer keeps."""
        if self._quantize:
            self._rows(path, self.quantization.scale_rows(self.dtype))
        self.attention_buffers(path)

    def attention_buffers(self, path: str) -> None:
        for name in ("_k_scale", "_v_scale", "_q_scale", "_prob_scale"):
            self.buffer(f"{path}.{name}", 1, "float32")

    def embedding(self, path: str, rows: int, width: int, part: Part = Part.EMBEDDING) -> None:
        with self.within(part, offloadable=False):
            self.add(f"{path}.weight", padded_vocab(rows) // self.tp * width)

    def lm_head(self, path: str, rows: int, width: int, *, bias: bool = False) -> None:
        local = padded_vocab(rows) // self.tp
        with self.within(Part.LM_HEAD, offloadable=False, quantize=self.quantization.lm_head):
            self.linear(f"{self.head_lead}{path}", width, (local,), ("lm_head",), bias=bias)

    def finish(self) -> tuple[Tensor, ...]:
        return (*self.tensors, *self._buffers)

    def _scheme(self, path: str, shards: tuple[str, ...]) -> Scheme:
        if not self._quantize:
            return PLAIN
        parent, _, own = bare(path).rpartition(".")
        lead = f"{parent}." if parent else ""
        return self.quantization.pick(tuple(f"{lead}{shard}" for shard in shards) if shards else (f"{lead}{own}",))

    def _rows(self, path: str, rows: Rows) -> None:
        for suffix, elements, dtype in rows:
            self.add(f"{path}.{suffix}", elements, dtype)
