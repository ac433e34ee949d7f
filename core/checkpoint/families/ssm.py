"""State space models and their hybrids with attention: Mamba 1 and 2, Jamba, Nemotron-H, Granite 4, Falcon-H1.

Sources: vLLM 0.32 `models/{mamba,mamba2,jamba,nemotron_h,granitemoehybrid,falcon_h1}.py`,
`layers/mamba/mamba_mixer{,2}.py`, `layers/mamba/mamba_utils.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from core.checkpoint.caches import CacheKind, CacheLayer, State
from core.checkpoint.config import Config, tied
from core.checkpoint.families.blocks import layer, layer_count, stated
from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.tensors import Builder

FP32: Final = "float32"


@dataclass(frozen=True, slots=True)
class Mixer2:
    """The widths of one Mamba 2 mixer."""

    hidden: int
    inner: int
    groups: int
    heads: int
    head: int
    state: int
    kernel: int
    conv_bias: bool = True
    proj_bias: bool = False
    norm: bool = True

    @property
    def conv(self) -> int:
        return self.inner + 2 * self.groups * self.state

    def ranked(self, tp: int) -> int:
        """Groups once they are spread over the ranks: at least one on each."""
        return self.groups if self.groups % tp == 0 else tp


def mixer2(b: Builder, path: str, m: Mixer2) -> None:
    heads = b.split(m.heads, "mamba heads")
    groups = m.ranked(b.tp)
    conv = (m.inner + 2 * groups * m.state) // b.tp
    b.add(f"{path}.A", heads, FP32)
    b.add(f"{path}.D", heads)
    b.add(f"{path}.dt_bias", heads)
    b.add(f"{path}.conv1d.weight", conv * m.kernel)
    if m.conv_bias:
        b.add(f"{path}.conv1d.bias", conv)
    inner, state = b.split(m.inner, "mamba width"), groups * m.state // b.tp
    b.linear(f"{path}.in_proj", m.hidden, (inner, inner, state, state, heads), bias=m.proj_bias)
    b.row(f"{path}.out_proj", m.inner, m.hidden, bias=m.proj_bias)
    if m.norm:
        b.norm(f"{path}.norm", inner)
    b.buffer(f"{path}.conv_weights", conv * m.kernel)


def mixer2_cache(m: Mixer2, tp: int) -> CacheLayer:
    conv = State((m.inner + 2 * m.ranked(tp) * m.state) // tp * (m.kernel - 1), ssm=False)
    return CacheLayer(
        CacheKind.STATE, states=(conv, State(m.heads // tp * m.head * m.state, ssm=True)), flavour="mamba2"
    )


@dataclass(frozen=True, slots=True)
class Mixer1:
    """The widths of one Mamba 1 mixer. `norms`: dt, B and C are normalized (Jamba, Falcon Mamba)."""

    hidden: int
    inner: int
    rank: int
    state: int
    kernel: int
    conv_bias: bool
    proj_bias: bool
    norms: bool


def mixer1(b: Builder, path: str, m: Mixer1) -> None:
    inner = b.split(m.inner, "mamba width")
    b.add(f"{path}.A", inner * m.state, FP32)
    b.add(f"{path}.D", inner)
    b.add(f"{path}.conv1d.weight", inner * m.kernel)
    if m.conv_bias:
        b.add(f"{path}.conv1d.bias", inner)
    b.column(f"{path}.in_proj", m.hidden, (m.inner, m.inner), bias=m.proj_bias)
    b.row(f"{path}.x_proj", m.inner, m.rank + 2 * m.state)
    b.column(f"{path}.dt_proj", m.rank, (m.inner,))
    b.add(f"{path}.dt_proj.bias", inner)
    b.row(f"{path}.out_proj", m.inner, m.hidden, bias=m.proj_bias)
    if m.norms:
        for name, size in (("dt", m.rank), ("b", m.state), ("c", m.state)):
            b.norm(f"{path}.{name}_layernorm", size)


def mixer1_cache(m: Mixer1, tp: int) -> CacheLayer:
    inner = m.inner // tp
    states = (State(inner * (m.kernel - 1), ssm=False), State(inner * m.state, ssm=True))
    return CacheLayer(CacheKind.STATE, states=states, flavour="mamba1")


def _backbone(c: Config, b: Builder, hidden: int, mixer: Callable[[str], None]) -> None:
    """A stack of mixers and nothing else; `mixer` builds the one at a path."""
    vocab = c.text.need("vocab_size")
    b.embedding("backbone.embeddings", vocab, hidden)
    for index in range(layer_count(c.text)):
        with layer(b):
            mixer(f"backbone.layers.{index}.mixer")
            b.norm(f"backbone.layers.{index}.norm", hidden)
    b.norm("backbone.norm_f", hidden)
    if not tied(c):
        b.lm_head("lm_head", vocab, hidden)


@dataclass(frozen=True, slots=True)
class Mamba1:
    """Mamba and Falcon Mamba: no attention at all. `normed`: Falcon normalizes dt, B and C without weights."""

    def mixer(self, text: Fields) -> Mixer1:
        hidden = stated(text, "hidden_size")
        inner = text.integer("intermediate_size", minimum=1) or hidden * (text.integer("expand", minimum=1) or 2)
        return Mixer1(
            hidden,
            inner,
            text.integer("time_step_rank", minimum=1) or -(-hidden // 16),
            text.need("state_size"),
            text.need("conv_kernel"),
            text.flag("use_conv_bias", default=True),
            text.flag("use_bias"),
            norms=False,
        )

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return (mixer1_cache(self.mixer(c.text), tp),) * layer_count(c.text)

    def tensors(self, c: Config, b: Builder, root: str = "backbone") -> None:
        m = self.mixer(c.text)
        _backbone(c, b, m.hidden, lambda path: mixer1(b, path, m))


@dataclass(frozen=True, slots=True)
class Mamba2:
    def mixer(self, text: Fields) -> Mixer2:
        hidden = stated(text, "hidden_size")
        inner = text.integer("intermediate_size", minimum=1) or hidden * (text.integer("expand", minimum=1) or 2)
        heads, head = text.need("num_heads"), text.need("head_dim")
        if heads * head != inner:
            raise Unreadable(f"num_heads x head_dim ({heads} x {head}) is not the inner width {inner}")
        return Mixer2(
            hidden,
            inner,
            text.need("n_groups"),
            heads,
            head,
            text.need("state_size"),
            text.need("conv_kernel"),
            text.flag("use_conv_bias", default=True),
            text.flag("use_bias"),
        )

    def caches(self, c: Config, tp: int) -> tuple[CacheLayer, ...]:
        return (mixer2_cache(self.mixer(c.text), tp),) * layer_count(c.text)

    def tensors(self, c: Config, b: Builder, root: str = "backbone") -> None:
        m = self.mixer(c.text)
        _backbone(c, b, m.hidden, lambda path: mixer2(b, path, m))


MAMBA: Final = Mamba1()
MAMBA2: Final = Mamba2()
