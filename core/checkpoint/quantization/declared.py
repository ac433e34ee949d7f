"""The quantization that a checkpoint declares, as vLLM 0.32/0.33 understands it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from core.checkpoint.fields import Fields
from core.checkpoint.quantization.compressed import compressed_tensors
from core.checkpoint.quantization.eight_bit import PerBlock, PerTensor
from core.checkpoint.quantization.fp4 import Mxfp4, Nvfp4
from core.checkpoint.quantization.int4 import Awq, Gptq
from core.checkpoint.quantization.match import Names, bare
from core.checkpoint.quantization.scheme import PLAIN, Rows, Scheme

# Scales that the KV cache quantization of these methods adds to every attention layer.
_NATIVE_SCALES: Final = ("q_scale", "k_scale", "v_scale", "prob_scale")
_PACKED_SCALES: Final = ("k_scale", "v_scale", "q_scale")
_PACKED_ZEROS: Final = ("k_zero_point", "v_zero_point", "q_zero_point")
# vLLM 0.32 (config/model.py _verify_quantization) knows these too, but their layouts are not modelled here.
_UNMODELLED: Final = frozenset(
    (
        *("fbgemm_fp8", "fp_quant", "modelopt_mxfp8", "humming", "experts_int8", "quark", "moe_wna16", "torchao"),
        *("inc", "online", "deepseek_v4_fp8", "mxfp8", "fp8_per_tensor", "fp8_per_block", "fp8_per_channel"),
        *("int8_per_channel_weight_only", "nvfp4_per_token"),
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Quantization:
    """`method`: vLLM's name, "" for none. `pick`: the scheme for a module's paths (one per fused shard).

    `cache_dtype`: the KV dtype that the checkpoint brings ("fp8_e4m3", "nvfp4") and `cache_dtype_global` whether vLLM
    knows it before it aligns block sizes (ModelOpt) or only inside the attention layer (compressed-tensors).
    `refused`: why vLLM would not load it. `unknown`: why the sizes are estimates.
    """

    method: str = ""
    pick: Callable[[tuple[str, ...]], Scheme] = field(default=lambda paths: PLAIN)
    cache_dtype: str = ""
    cache_dtype_global: bool = False
    attention_scales: str = ""
    refused: str = ""
    unknown: str = ""
    lm_head: bool = False

    def scale_rows(self, dtype: str) -> Rows:
        if self.attention_scales == "native":
            return tuple((name, 1, dtype) for name in _NATIVE_SCALES)
        if self.attention_scales == "packed":
            scales = tuple((name, 1, "float32") for name in _PACKED_SCALES)
            return (*scales, *((name, 1, dtype) for name in _PACKED_ZEROS))
        return ()


def read_quantization(
    declared: Mapping[str, Any] | None, problems: list[str], quantized: frozenset[str] | None = None
) -> Quantization:
    """Args: `quantized`: the modules that have packed weights in the files, where their headers are known."""
    if declared is None:
        return Quantization()
    fields = Fields(declared, problems=problems)
    inner = fields.mapping("quantization")
    if inner is not None:
        fields = Fields({**declared, **inner}, problems=problems)
    method = fields.text("quant_method").lower().replace("compressed_tensors", "compressed-tensors")
    algorithm = fields.text("quant_algo").upper()
    if not method and algorithm:
        method = "modelopt"
    reader = _READERS.get(method.removeprefix("auto_").removesuffix("_marlin"))
    if reader is not None:
        return reader(fields, quantized)
    if method in _UNMODELLED:
        return Quantization(method, unknown=f"the layout of quantization {method!r} is not modelled")
    if not method:
        return Quantization("?", unknown="a quantization_config without quant_method")
    return Quantization(
        method,
        refused=f"Unknown quantization method: {method}",
        unknown=f"vLLM does not know quantization {method!r}",
    )


def _outside(names: Names, scheme: Scheme) -> Callable[[tuple[str, ...]], Scheme]:
    return lambda paths: PLAIN if any(path in names for path in paths) else scheme


def _in_files(
    pick: Callable[[tuple[str, ...]], Scheme], quantized: frozenset[str] | None
) -> Callable[[tuple[str, ...]], Scheme]:
    """GPTQ and AWQ: vLLM looks into the headers for what is really packed (`maybe_update_config`)."""
    if not quantized:
        return pick
    known = frozenset(bare(name) for name in quantized)
    return lambda paths: pick(paths) if any(path in known or _inside(path, known) for path in paths) else PLAIN


def _inside(path: str, known: frozenset[str]) -> bool:
    return path.endswith(".experts") and any(name.startswith(f"{path}.") for name in known)


def _gptq(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    bits = fields.integer("bits", "w_bit", default=4) or 4
    group = fields.integer("group_size", "q_group_size", minimum=-1, default=128)
    skipped = [key[2:] for key in (fields.mapping("dynamic") or {}) if key.startswith("-:")]
    scheme = Gptq(bits, max(0, group or 0), fields.flag("sym", default=True))
    pick = _outside(Names(f"re:{expression}" for expression in skipped), scheme)
    refused = ""
    if fields.flag("desc_act") and (group or 0) > 0 and not fields.flag("static_groups"):
        refused = "GPTQ group activation ordering (desc_act=True) is no longer supported."
    return Quantization(
        "gptq", _in_files(pick, quantized), refused=refused, lm_head=fields.flag("lm_head"), unknown=_bits(bits)
    )


def _awq(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    bits = fields.integer("bits", "w_bit", default=4) or 4
    group = fields.integer("group_size", "q_group_size", minimum=1, default=128) or 128
    names = Names(fields.strings("modules_to_not_convert"), substring=True)
    pick = _in_files(_outside(names, Awq(bits, group, fields.flag("zero_point", default=True))), quantized)
    return Quantization("awq", pick, lm_head=fields.flag("lm_head"), unknown=_bits(bits))


def _bits(bits: int) -> str:
    return "" if bits in (4, 8) else f"{bits}-bit integer weights are not modelled"


def _fp8(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    block = fields.integers("weight_block_size")
    static = fields.text("activation_scheme") == "static"
    scheme: Scheme = PerBlock(block[0], block[1]) if len(block) == 2 and min(block) > 0 else PerTensor(static)
    ignored = fields.strings("ignored_layers") or fields.strings("modules_to_not_convert")
    return Quantization("fp8", _outside(Names(ignored), scheme), attention_scales="native")


def _modelopt(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    algorithm = fields.text("quant_algo").upper()
    group = fields.integer("group_size", minimum=1, default=16) or 16
    names = Names((*fields.strings("ignore"), *fields.strings("exclude_modules")), substring=True)
    pick: Callable[[tuple[str, ...]], Scheme]
    if algorithm == "MIXED_PRECISION":
        pick = _mixed(fields, group)
    else:
        scheme = _modelopt_scheme(algorithm, group)
        if scheme is None:
            return Quantization("modelopt", unknown=f"ModelOpt {algorithm or 'without quant_algo'} is not modelled")
        pick = _outside(names, scheme)
    return Quantization(
        "modelopt",
        lambda paths: PLAIN if any(_old_tower(path) for path in paths) else pick(paths),
        cache_dtype=_modelopt_cache(fields),
        cache_dtype_global=True,
        # Mixed precision leaves the KV cache method to its sub-configs: no scales without a KV scheme.
        attention_scales="native" if algorithm != "MIXED_PRECISION" else "",
        lm_head=True,
    )


def _old_tower(path: str) -> bool:
    return "vision_tower" in path or "vision_model" in path


def _modelopt_scheme(algorithm: str, group: int) -> Scheme | None:
    if algorithm == "FP8":
        return PerTensor(static=True)
    if algorithm in ("NVFP4", "W4A16_NVFP4"):
        return Nvfp4(group, weight_only=algorithm != "NVFP4")
    if algorithm in ("FP8_PB_WO", "FP8_BLOCK_SCALES"):
        return PerBlock(scale="weight_scale")
    return None


def _mixed(fields: Fields, group: int) -> Callable[[tuple[str, ...]], Scheme]:
    """Layer by layer: `quantized_layers` names the algorithm of each module."""
    algorithms: dict[str, str] = {}
    for name, entry in (fields.mapping("quantized_layers") or {}).items():
        if isinstance(entry, Mapping):
            algorithm = cast("Mapping[str, Any]", entry).get("quant_algo")
            algorithms[bare(str(name))] = algorithm.upper() if isinstance(algorithm, str) else ""
    parents = {name.rsplit(".", 1)[0]: algorithm for name, algorithm in algorithms.items()}

    def pick(paths: tuple[str, ...]) -> Scheme:
        for path in paths:
            algorithm = algorithms.get(path) or (parents.get(path, "") if path.endswith("experts") else "")
            if scheme := _modelopt_scheme(algorithm, group):
                return scheme
        return PLAIN

    return pick


def _modelopt_cache(fields: Fields) -> str:
    scheme = fields.raw("kv_cache_scheme")
    if isinstance(scheme, Mapping):
        entry = Fields(cast("Mapping[str, Any]", scheme))
        if entry.text("type") != "float":
            return ""
        if entry.integer("num_bits") == 8 and not entry.flag("dynamic", default=True):
            return "fp8_e4m3"
        return "nvfp4" if entry.integer("num_bits") == 4 else ""
    name = scheme if isinstance(scheme, str) else fields.text("kv_cache_quant_algo")
    return {"fp8": "fp8_e4m3", "nvfp4": "nvfp4"}.get(name.lower(), "")


def _mxfp4(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    return Quantization("mxfp4", _outside(Names(()), Mxfp4()))


def _compressed(fields: Fields, quantized: frozenset[str] | None) -> Quantization:
    found = compressed_tensors(fields)
    return Quantization(
        "compressed-tensors",
        found.pick,
        cache_dtype="fp8" if found.fp8_cache else "",
        attention_scales="packed",
        refused=found.refused,
        unknown=found.unknown,
    )


_READERS: Final[Mapping[str, Callable[[Fields, frozenset[str] | None], Quantization]]] = {
    "gptq": _gptq,
    "awq": _awq,
    "fp8": _fp8,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "modelopt_mixed": _modelopt,
    "mxfp4": _mxfp4,
    "gpt_oss_mxfp4": _mxfp4,
    "compressed-tensors": _compressed,
}
