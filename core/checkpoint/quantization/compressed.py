"""compressed-tensors: config groups with targets, weights and activations.

Source: vLLM 0.33 `quantization/compressed_tensors/compressed_tensors.py` (`_get_scheme_from_parts`) and `utils.py`
(`find_matched_target`): a module name wins over a class name; "Linear" is the class of every linear layer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from core.checkpoint.fields import Fields
from core.checkpoint.quantization.eight_bit import PerBlock, PerChannel, PerTensor
from core.checkpoint.quantization.fp4 import PackedNvfp4
from core.checkpoint.quantization.int4 import PackedInt
from core.checkpoint.quantization.match import Names
from core.checkpoint.quantization.scheme import PLAIN, Scheme

_CLASSES: Final = frozenset(("Linear", "FusedMoE", "RoutedExperts"))


@dataclass(frozen=True, slots=True, eq=False)
class Compressed:
    pick: Callable[[tuple[str, ...]], Scheme]
    fp8_cache: bool
    refused: str
    unknown: str


def compressed_tensors(fields: Fields) -> Compressed:
    layout = fields.text("format")
    groups = [Fields(cast("Mapping[str, Any]", group)) for group in _groups(fields)]
    schemes = [(entry, _scheme(entry, _weights(entry), entry.text("format") or layout)) for entry in groups]
    unknown = refused = ""
    if any(scheme is None for _, scheme in schemes):
        unknown = f"compressed-tensors format {layout or '?'!r} with these weights is not modelled"
    elif not schemes:
        unknown = "compressed-tensors without usable config_groups"
    if any(_weights(entry).text("actorder") in ("group", "dynamic") for entry in groups):
        refused = "Compressed-tensors group/dynamic activation ordering is no longer supported."
    known = [(entry, scheme) for entry, scheme in schemes if scheme is not None]
    return Compressed(_picker(fields, known), _fp8_cache(fields), refused, unknown)


def _groups(fields: Fields) -> list[object]:
    return [group for group in (fields.mapping("config_groups") or {}).values() if isinstance(group, Mapping)]


def _weights(entry: Fields) -> Fields:
    return Fields(entry.mapping("weights") or {})


def _picker(fields: Fields, schemes: list[tuple[Fields, Scheme]]) -> Callable[[tuple[str, ...]], Scheme]:
    ignored = Names(fields.strings("ignore"))
    named: list[tuple[Names, Scheme]] = []
    general: Scheme = PLAIN
    for entry, scheme in schemes:
        targets = entry.strings("targets")
        if _CLASSES & set(targets):
            general = scheme
        if rest := [target for target in targets if target not in _CLASSES]:
            named.append((Names(rest), scheme))

    def pick(paths: tuple[str, ...]) -> Scheme:
        if any(path in ignored for path in paths):
            return PLAIN
        for names, scheme in named:
            if any(path in names for path in paths):
                return scheme
        return general

    return pick


def _scheme(entry: Fields, weights: Fields, layout: str) -> Scheme | None:
    bits, kind, strategy = weights.integer("num_bits"), weights.text("type"), weights.text("strategy")
    inputs = entry.mapping("input_activations")
    group = weights.integer("group_size", minimum=-1) or 0
    if kind == "float" and bits == 4 and group == 16:
        return PackedNvfp4(group, weight_only=inputs is None)
    if layout in ("pack-quantized", "pack_quantized") and kind == "int" and bits in (4, 8):
        return PackedInt(bits, group if strategy == "group" else 0, zeros=not weights.flag("symmetric", default=True))
    if bits == 8 and strategy == "block" and kind == "float":
        block = weights.integers("block_structure")
        size = block if len(block) == 2 and min(block) > 0 else (128, 128)
        return PerBlock(size[0], size[1], scale="weight_scale")
    if bits == 8 and kind in ("float", "int"):
        item = "int8" if kind == "int" else "float8_e4m3fn"
        if strategy == "channel":
            return PerChannel(item)
        if strategy == "tensor":
            static = inputs is not None and not Fields(inputs).flag("dynamic")
            return PerTensor(static, item)
    return None


def _fp8_cache(fields: Fields) -> bool:
    scheme = fields.mapping("kv_cache_scheme")
    if scheme is None:
        return False
    entry = Fields(scheme)
    return entry.integer("num_bits") == 8 and entry.text("type") == "float"
