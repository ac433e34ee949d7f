"""Folders as models: whole ones, and every way in which one is not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from core.checkpoint.folder import inspect_folder
from core.errors import AppError
from tests.support.checkpoints import safetensors, write_checkpoint


def refused(path: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        inspect_folder(path)
    return caught.value


def test_a_whole_checkpoint(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    model = inspect_folder(folder)
    assert (model.id, model.name, model.path, model.error) == (str(folder), "tiny", str(folder), None)
    assert model.size_bytes == (folder / "model.safetensors").stat().st_size
    assert (model.architecture, model.context_tokens) == ("LlamaForCausalLM", 2048)
    assert model.ready


def test_a_relative_path_has_an_absolute_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    assert inspect_folder(Path("tiny")).id == str(tmp_path / "tiny")


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"max_position_embeddings": 8, "text_config": {"max_position_embeddings": 4096}}, 4096),
        ({"llm_config": {"n_positions": 1024}}, 1024),
        ({"text_config": {"hidden_size": 8}, "max_position_embeddings": 512}, 512),
        ({"model_max_length": 10**30, "seq_length": 2048}, 2048),
        ({"max_position_embeddings": None}, 0),
        ({"max_position_embeddings": "many", "text_config": []}, 0),
        ({}, 0),
    ],
)
def test_the_context_comes_from_the_language_models_part(
    tmp_path: Path, config: dict[str, object], tokens: int
) -> None:
    folder = write_checkpoint(tmp_path / "tiny", config=config)
    assert inspect_folder(folder).context_tokens == tokens


def test_sharded_weights_by_their_index(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=3)
    # A stray file beside the shards is not loaded, so it does not count.
    (folder / "consolidated.safetensors").write_bytes(safetensors(4000))
    (folder / "pytorch_model.bin").write_bytes(b"PK" * 500)
    wanted = sum(path.stat().st_size for path in folder.glob("model-*.safetensors"))
    assert inspect_folder(folder).size_bytes == wanted


def test_mistrals_own_format(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / "model.safetensors").rename(folder / "consolidated.safetensors")
    (folder / "config.json").rename(folder / "params.json")
    (folder / "params.json").write_text('{"max_seq_len": 32768}')
    model = inspect_folder(folder)
    assert model.size_bytes == (folder / "consolidated.safetensors").stat().st_size
    assert model.context_tokens == 32768


def test_bin_weights_when_there_are_no_safetensors(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"PK" * 500)
    (folder / "training_args.bin").write_bytes(b"PK" * 50)
    # An index left over from weights that are not there any more.
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "gone.safetensors"}}')
    assert inspect_folder(folder).size_bytes == 1000


def test_a_snapshot_of_the_hub_has_the_models_name(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "models--org--small-model" / "snapshots" / "0123abc")
    assert inspect_folder(folder).name == "org/small-model"


def test_there_is_no_folder(tmp_path: Path) -> None:
    error = refused(tmp_path / "gone")
    assert (error.code, error.facts["path"]) == ("model.folder_missing", str(tmp_path / "gone"))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_no_checkpoint_without(tmp_path: Path, name: str) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / name).unlink()
    error = refused(folder)
    assert error.code == "model.not_a_checkpoint"
    assert error.facts["missing"] == ("*.safetensors" if name == "model.safetensors" else name)


def test_an_empty_folder_and_a_file(tmp_path: Path) -> None:
    assert refused(tmp_path).code == "model.not_a_checkpoint"
    (tmp_path / "notes.txt").write_text("x")
    assert refused(tmp_path / "notes.txt").code == "model.not_a_checkpoint"


def test_gguf_alone_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "small.Q4_1.gguf").write_bytes(b"GGUF")
    for path in (tmp_path, tmp_path / "small.Q4_1.gguf"):
        error = refused(path)
        assert (error.code, error.facts["file"]) == ("model.gguf_only", "small.Q4_1.gguf")


def test_an_adapter_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}")
    (tmp_path / "adapter_model.safetensors").write_bytes(safetensors(8))
    assert refused(tmp_path).code == "model.adapter_only"


def test_missing_shards_are_counted_and_named(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=6)
    for number in (2, 3, 5, 6):
        (folder / f"model-{number:05d}-of-00006.safetensors").unlink()
    error = refused(folder)
    assert (error.code, error.facts["count"]) == ("model.missing_shards", 4)
    assert error.facts["missing"] == (
        "model-00002-of-00006.safetensors, model-00003-of-00006.safetensors, model-00005-of-00006.safetensors, ..."
    )


def test_missing_shards_without_an_index_follow_from_the_names(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=3)
    (folder / "model.safetensors.index.json").unlink()
    assert inspect_folder(folder).ready
    (folder / "model-00001-of-00003.safetensors").unlink()
    assert refused(folder).facts["missing"] == "model-00001-of-00003.safetensors"


def test_an_index_without_any_shard(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=2)
    for path in folder.glob("*.safetensors"):
        path.unlink()
    error = refused(folder)
    assert (error.code, error.facts["count"]) == ("model.missing_shards", 2)


def test_a_link_to_nothing_is_a_missing_shard(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=2)
    shard = folder / "model-00002-of-00002.safetensors"
    shard.unlink()
    shard.symlink_to(tmp_path / "gone")
    assert refused(folder).code == "model.missing_shards"


WHOLE = safetensors(800)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (WHOLE[:-1], f"cut short: {len(WHOLE) - 1} bytes instead of {len(WHOLE)}"),
        (WHOLE[:20], "cut short: 20 bytes"),
        (WHOLE[:5], "no safetensors"),
        (WHOLE + b"x", "too long"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", "LFS pointer"),
        (b"<html>Not Found</html>" * 40, "no safetensors"),
        ((16).to_bytes(8, "little") + b'{"a": {"dtype": ' + b"0" * 100, "header is damaged"),
        ((2).to_bytes(8, "little") + b"[]", "header is damaged"),
    ],
)
def test_damaged_weights(tmp_path: Path, data: bytes, words: str) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(data)
    error = refused(folder)
    assert (error.code, error.facts["file"]) == ("model.broken_file", "model.safetensors")
    assert words in str(error.facts["reason"])


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff\xfe", b'{"architectures": '])
def test_damaged_config(tmp_path: Path, data: bytes) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / "config.json").write_bytes(data)
    error = refused(folder)
    assert (error.code, error.facts["file"]) == ("model.broken_file", "config.json")
    assert error.facts["reason"]


@pytest.mark.parametrize("index", ["", "{}", '{"weight_map": []}', '{"weight_map": {}}'])
def test_damaged_index(tmp_path: Path, index: str) -> None:
    folder = write_checkpoint(tmp_path / "tiny", shards=2)
    (folder / "model.safetensors.index.json").write_text(index)
    assert refused(folder).facts["file"] == "model.safetensors.index.json"


def test_empty_and_pointer_bin_files(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "tiny")
    (folder / "model.safetensors").unlink()
    for data in (b"", b"version https://git-lfs.github.com/spec/v1\n"):
        (folder / "pytorch_model.bin").write_bytes(data)
        assert refused(folder).code == "model.broken_file"


def test_weights_are_not_read(tmp_path: Path) -> None:
    """A sparse file of 50 GB is inspected at once."""
    folder = write_checkpoint(tmp_path / "tiny")
    size = 50 * 1024**3
    entry = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(entry).to_bytes(8, "little") + entry)
        os.truncate(file.fileno(), 8 + len(entry) + size)
    assert inspect_folder(folder).size_bytes == 8 + len(entry) + size


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / os.fsdecode(b"mo\xffdel"))
    error = refused(folder)
    assert (error.code, error.facts["reason"]) == ("model.broken_file", "its name is not UTF-8")
    str(error).encode("utf-8")
