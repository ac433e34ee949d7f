"""Listings of files, headers handed in as bytes, quantization lists."""

from __future__ import annotations

import json

import pytest

from core.checkpoint.fields import Fields, Unreadable
from core.checkpoint.files import WeightFormat
from core.checkpoint.listing import Kind, read_listing
from core.checkpoint.quantization.match import Names
from core.checkpoint.safetensors_header import BrokenFile, header_length, parse_header
from core.checkpoint.tensors import Part
from core.checkpoint.weights_on_disk import part_of, weights_on_disk


def test_what_is_needed_besides_the_weights() -> None:
    sizes = {
        "config.json": 1,
        "tokenizer.json": 20,
        "model.safetensors": 100,
        "model.py": 3,
        "README.md": 2,
        "pic.png": 7,
        "original/params.json": 5,
        "onnx/model.onnx": 90,
        "flax_model.msgpack": 100,
    }
    listing = read_listing(sizes)
    assert listing.kind is Kind.CHECKPOINT
    assert listing.format is WeightFormat.SAFETENSORS
    assert listing.others == ("README.md", "config.json", "model.py", "tokenizer.json")
    assert (listing.weight_bytes, listing.download_bytes, listing.ignored_bytes) == (100, 126, 190)


def test_a_size_that_is_not_known_is_not_zero() -> None:
    listing = read_listing({"config.json": 1, "model.safetensors": None})
    assert listing.weight_bytes is None
    assert listing.download_bytes is None


def test_an_adapter_is_no_checkpoint() -> None:
    listing = read_listing({"adapter_config.json": 1, "adapter_model.safetensors": 9, "adapter_model.bin": 9})
    assert listing.kind is Kind.ADAPTER
    assert (listing.weights, listing.weight_bytes) == (("adapter_model.safetensors",), 9)


def test_nothing_that_vllm_could_load() -> None:
    assert read_listing({"model.onnx": 5, "weights.pth": 7}).kind is Kind.NOTHING
    assert read_listing({}).kind is Kind.NOTHING


def test_files_without_an_index_are_all_loaded() -> None:
    listing = read_listing({"config.json": 1, "a.safetensors": 2, "b.safetensors": 3})
    assert listing.weight_bytes == 5
    assert any("without an index" in warning for warning in listing.warnings)


def test_a_header_from_ranged_bytes() -> None:
    raw = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "model.embed_tokens.weight": {"dtype": "BF16", "shape": [8, 4], "data_offsets": [0, 64]},
            "model.layers.0.mlp.experts.0.up_proj.weight": {
                "dtype": "F8_E4M3",
                "shape": [8, 4],
                "data_offsets": [64, 96],
            },
            "mtp.layers.0.weight": {"dtype": "BF16", "shape": [4], "data_offsets": [96, 104]},
            "model.layers.0.self_attn.rotary_emb.inv_freq": {"dtype": "F32", "shape": [2], "data_offsets": [104, 112]},
        }
    ).encode()
    assert header_length(len(raw).to_bytes(8, "little")) == len(raw)
    disk = weights_on_disk([parse_header(raw)])
    assert disk.total_bytes == 112
    assert disk.loaded_bytes == 96
    assert disk.by_dtype == {"bfloat16": 72, "float8_e4m3fn": 32, "float32": 8}
    assert (disk.by_part[Part.EMBEDDING], disk.by_part[Part.EXPERTS]) == (64, 32)
    assert disk.main_dtype == "bfloat16"


@pytest.mark.parametrize("start", [b"", b"version ", (1 << 60).to_bytes(8, "little")])
def test_what_is_no_header(start: bytes) -> None:
    with pytest.raises(BrokenFile):
        header_length(start)


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_header(raw: bytes) -> None:
    with pytest.raises(BrokenFile):
        parse_header(raw)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("model.language_model.embed_tokens_per_layer.weight", Part.PLE),
        ("vision_tower.encoder.layers.0.mlp.fc1.weight", Part.TOWERS),
        ("lm_head.weight", Part.LM_HEAD),
        ("model.layers.3.mlp.experts.7.w1.weight", Part.EXPERTS),
        ("transformer.wte.weight", Part.EMBEDDING),
        ("model.layers.3.self_attn.q_proj.weight", Part.LAYERS),
        ("model.norm.weight", Part.OTHER),
    ],
)
def test_parts_by_name(name: str, part: Part) -> None:
    assert part_of(name) is part


def test_lists_of_modules_ignore_the_prefix() -> None:
    names = Names(["model.language_model.layers.1.mlp.gate", "backbone.layers.2.*", "re:.*visual.*", "lm_head", "re:("])
    assert "layers.1.mlp.gate" in names
    assert "layers.2.mixer.in_proj" in names
    assert "visual.blocks.0.attn.qkv" in names
    assert "lm_head" in names
    assert "layers.1.mlp.gate_proj" not in names
    assert "layers.11.mlp.gate" not in names
    assert "layers.1.mlp.gate_proj" in Names(["mlp.gate"], substring=True)


def test_fields_take_no_wrong_types() -> None:
    fields = Fields({"a": "3", "b": True, "c": 4.0, "d": 10**30, "e": float("nan"), "f": -1, "g": [1, "x"]})
    assert [fields.integer(name) for name in "abcdefg"] == [None, None, 4, None, None, None, None]
    assert fields.integer("a", "c") == 4
    assert fields.number("e") is None
    assert fields.integers("g") == ()
    assert len(fields.problems) == 8
    with pytest.raises(Unreadable, match="no usable z"):
        fields.need("z")


def test_null_is_an_answer_and_absence_takes_the_default() -> None:
    defaults = {"head_dim": 256}
    assert Fields({}, defaults).integer("head_dim") == 256
    assert Fields({"head_dim": None}, defaults).integer("head_dim") is None
    assert not Fields({}, defaults).stated("head_dim")
    assert Fields({"n_embd": 5}, {}, {"hidden_size": "n_embd"}).integer("hidden_size") == 5
