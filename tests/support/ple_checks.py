"""Checks of the plugin's table, its rows, its cache and its file, run by the engine's Python."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

import numpy as np
import torch
from ple_checking import ENDING, NAME, ROWS, WIDTH, checkpoint, fails, folder, run_checks, table_of, values
from safetensors.torch import save_file
from stowage_ple.counters import Counters
from stowage_ple.file_rows import FileRows
from stowage_ple.row_cache import RowCache
from stowage_ple.settings import Settings
from stowage_ple.sources import DiskRows
from stowage_ple.table import PleTable
from stowage_ple.tensor_file import find_tensor


def check_rows_of_every_placement_are_the_tables() -> None:
    table = values()
    made = checkpoint("same", table)
    ids = torch.tensor([[5, 999, 5, 0], [0, 17, 500, 5]])
    for placement in ("ram", "disk"):
        found = table_of(made, placement)(ids)
        assert found.dtype == torch.bfloat16
        assert torch.equal(found, torch.nn.functional.embedding(ids, table)), placement


def check_every_type_of_file_gives_the_models_type() -> None:
    for number, dtype in enumerate((torch.float16, torch.float32, torch.bfloat16)):
        table = values(dtype)
        made = checkpoint(f"type{number}", table)
        ids = torch.arange(0, ROWS, 7)
        expected = torch.nn.functional.embedding(ids, table.to(torch.bfloat16))
        for placement in ("ram", "disk"):
            assert torch.equal(table_of(made, placement)(ids), expected), (dtype, placement)


def check_scaled_float8() -> None:
    for number, scale in enumerate((torch.tensor(0.25), torch.rand(ROWS, 1))):
        table = values(torch.float32).to(torch.float8_e4m3fn)
        made = checkpoint(f"fp8-{number}", table, **{NAME + "_scale": scale})
        ids = torch.tensor([1, 1, 998, 42])
        expected = (table.to(torch.float32) * scale)[ids].to(torch.bfloat16)
        for placement in ("ram", "disk"):
            assert torch.equal(table_of(made, placement)(ids), expected), (number, placement)


def check_batches_larger_than_the_cache() -> None:
    table = values()
    made = checkpoint("small-cache", table)
    lookup = table_of(made, "disk", cache_bytes=10 * WIDTH * 2)
    random = np.random.default_rng(1)
    for size in (1, 5, 9, 10, 11, 40, 3, 900, 2):
        ids = torch.from_numpy(random.integers(0, ROWS, size))
        assert torch.equal(lookup(ids), table[ids]), size


def check_no_cache_at_all() -> None:
    table = values()
    lookup = table_of(checkpoint("no-cache", table), "disk", cache_bytes=0)
    ids = torch.tensor([3, 3, 4])
    assert torch.equal(lookup(ids), table[ids])


def check_the_cache_keeps_what_was_used_last() -> None:
    cache = RowCache(100, 4, 3 * 4)
    row = np.arange(400, dtype=np.uint8).reshape(100, 4)

    def ask(*ids: int) -> list[int]:
        wanted = np.array(ids)
        out = np.zeros((len(ids), 4), np.uint8)
        missing = cache.take(wanted, out)
        out[missing] = row[wanted[missing]]
        cache.put(wanted[missing], out[missing])
        assert (out == row[wanted]).all()
        return wanted[missing].tolist()

    assert ask(1, 2, 3) == [1, 2, 3]
    assert ask(1) == []
    assert ask(3) == []
    assert ask(7) == [7]  # 2 goes
    assert ask(1, 3, 7) == []
    assert ask(2) == [2]


def check_counters_tell_hits_and_bytes() -> None:
    made = checkpoint("counted", values())
    place = find_tensor(made, ENDING)
    stats = folder("stats")
    counters = Counters({"placement": "disk"}, str(stats))
    file = FileRows(place.file, place.begin, WIDTH * 2, ROWS, 4)
    source = DiskRows(file, torch.bfloat16, RowCache(ROWS, WIDTH * 2, 1 << 20), counters)
    source.rows(torch.tensor([1, 2, 2, 3]))
    source.rows(torch.tensor([3, 4]))
    told = counters.snapshot()
    assert (told["lookups"], told["rows"], told["unique_rows"], told["hits"]) == (2, 6, 5, 1), told
    assert told["read_bytes"] == 4 * WIDTH * 2, told
    counters.write()
    (file_of_it,) = stats.glob(f"ple-{os.getpid()}-*.json")
    written = json.loads(file_of_it.read_text())
    assert (written["rows"], written["placement"]) == (6, "disk")


def check_a_file_that_is_cut_fails() -> None:
    made = checkpoint("cut", values())
    lookup = table_of(made, "disk", cache_bytes=0)
    lookup(torch.tensor([999]))
    file = made / "model.safetensors"
    os.truncate(file, file.stat().st_size - WIDTH * 2 - 5)
    fails(lambda: lookup(torch.tensor([999])), "changed while the model was running")


def check_a_file_that_is_written_over_fails() -> None:
    made = checkpoint("overwritten", values())
    lookup = table_of(made, "disk", cache_bytes=0)
    with (made / "model.safetensors").open("r+b") as opened:
        opened.seek(-4, os.SEEK_END)
        opened.write(b"\0\0\0\0")
    fails(lambda: lookup(torch.tensor([999])), "changed while the model was running")


def check_a_file_that_is_replaced_or_deleted_still_gives_the_old_rows() -> None:
    table = values()
    made = checkpoint("replaced", table)
    lookup = table_of(made, "disk", cache_bytes=0)
    other = checkpoint("replacement", torch.zeros(ROWS, WIDTH, dtype=torch.bfloat16))
    os.replace(other / "model.safetensors", made / "model.safetensors")
    ids = torch.tensor([1, 7])
    assert torch.equal(lookup(ids), table[ids])
    (made / "model.safetensors").unlink()
    assert torch.equal(lookup(ids), table[ids])


def check_a_short_file_fails_before_anything_runs() -> None:
    made = checkpoint("short", values())
    file = made / "model.safetensors"
    from safetensors import safe_open

    with safe_open(file, framework="pt") as opened:
        loaded = opened.get_tensor(NAME).clone()
    os.truncate(file, file.stat().st_size - 8)
    table = PleTable("short", ENDING, ROWS, WIDTH, torch.bfloat16, made, Settings("disk"))
    table.weight.weight_loader(table.weight, loaded)
    # Not readable in place: it lies in RAM, whole, and the log says so.
    assert torch.equal(table(torch.tensor([999])), loaded[[999]])


def check_another_tensor_than_the_loaders_is_not_taken() -> None:
    made = checkpoint("other", values())
    loaded = values() * 2
    table = PleTable("other", ENDING, ROWS, WIDTH, torch.bfloat16, made, Settings("disk"))
    table.weight.weight_loader(table.weight, loaded)
    assert torch.equal(table(torch.tensor([5])), loaded[[5]])


def check_weights_that_are_loaded_again() -> None:
    """As vLLM's reload does: the same file's stay on the disk, any others are taken from what is handed over."""
    table = values()
    made = checkpoint("again", table)
    lookup = table_of(made, "disk")
    ids = torch.tensor([3, 501, 999])
    assert torch.equal(lookup(ids), table[ids])
    lookup.weight.weight_loader(lookup.weight, table)
    assert (type(lookup._source), torch.equal(lookup(ids), table[ids])) == (DiskRows, True)
    trained = table.clone()
    trained[501] += 1  # a single row, not one of those that a first load would compare
    lookup.weight.weight_loader(lookup.weight, trained)
    assert torch.equal(lookup(ids), trained[ids])


def check_ids_of_any_integer_type_and_none_at_all() -> None:
    table = values()
    made = checkpoint("integers", table)
    for placement in ("ram", "disk"):
        lookup = table_of(made, placement)
        assert torch.equal(lookup(torch.tensor([7, 8], dtype=torch.int32)), table[[7, 8]])
        assert lookup(torch.empty(0, dtype=torch.int64)).shape == (0, WIDTH)
        assert lookup(torch.empty((2, 0), dtype=torch.int32)).shape == (2, 0, WIDTH)


def check_a_scale_that_comes_before_its_table() -> None:
    table, scale = values(torch.float32).to(torch.float8_e4m3fn), torch.rand(ROWS, 1)
    made = checkpoint("scale-first", table, **{NAME + "_scale": scale})
    for placement in ("ram", "disk"):
        lookup = PleTable(f"first-{placement}", ENDING, ROWS, WIDTH, torch.bfloat16, made, Settings(placement))
        lookup.weight_scale.weight_loader(lookup.weight_scale, scale)
        lookup.weight.weight_loader(lookup.weight, table)
        ids = torch.tensor([0, 42])
        assert torch.equal(lookup(ids), (table.to(torch.float32) * scale)[ids].to(torch.bfloat16)), placement


def check_loaders_that_fill_tensors_by_themselves_are_left_alone() -> None:
    from types import SimpleNamespace

    from stowage_ple.plugin import _obstacle

    def obstacle(load_format: str, **more: object) -> str:
        return _obstacle(SimpleNamespace(load_config=SimpleNamespace(load_format=load_format)), ROWS, WIDTH, more)

    for known in ("auto", "safetensors", "fastsafetensors", "runai_streamer", "LoadFormat.AUTO"):
        assert obstacle(known) == "", known
    for other in ("dummy", "sharded_state", "runai_streamer_sharded", "tensorizer", "ipc_cache", "new"):
        assert "load format" in obstacle(other), other
    assert "GGUF" in obstacle("auto", quant_config=type("GGUFConfig", (), {})())


def check_where_rows_are_looked_up_inside_the_graph() -> None:
    from types import SimpleNamespace

    from stowage_ple.architectures import gemma3n, gemma4
    from stowage_ple.plugin import _in_graph

    def inside(module: Any, prefix: str, *, pictures: bool) -> bool:
        model = SimpleNamespace(supports_multimodal_inputs=pictures)
        return _in_graph(module.ARCHITECTURE, SimpleNamespace(model_config=model), prefix)

    wrapped = "language_model.model.embed_tokens_per_layer"
    assert not inside(gemma4, wrapped, pictures=True)
    assert inside(gemma4, wrapped, pictures=False)
    assert inside(gemma4, "model.embed_tokens_per_layer", pictures=False)
    assert not inside(gemma3n, "language_model.model.per_layer_embed_tokens", pictures=False)


def check_ids_of_no_row_fail() -> None:
    lookup = table_of(checkpoint("ids", values()), "disk")
    for bad in (-1, ROWS):
        fails(lambda bad=bad: lookup(torch.tensor([0, bad])), "outside of")


def check_a_read_error_fails() -> None:
    lookup = table_of(checkpoint("error", values()), "disk", cache_bytes=0)
    os.close(lookup._source._file._fd)
    fails(lambda: lookup(torch.tensor([1])), "Bad file descriptor")


def check_many_threads_get_their_own_rows() -> None:
    table = values()
    lookup = table_of(checkpoint("threads", table), "disk", cache_bytes=50 * WIDTH * 2, threads=4)
    wrong: list[int] = []

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(60):
            ids = torch.from_numpy(random.integers(0, ROWS, random.integers(1, 120)))
            if not torch.equal(lookup(ids), table[ids]):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def check_a_sharded_checkpoint_is_read_from_its_shard() -> None:
    made = folder("shards")
    table = values()
    save_file({"model.norm.weight": torch.ones(8)}, made / "model-00001-of-00002.safetensors")
    save_file({NAME: table}, made / "model-00002-of-00002.safetensors")
    save_file({NAME: table * 0}, made / "stray.safetensors")
    index = {"weight_map": {"model.norm.weight": "model-00001-of-00002.safetensors"}}
    index["weight_map"][NAME] = "model-00002-of-00002.safetensors"
    (made / "model.safetensors.index.json").write_text(json.dumps(index))
    lookup = PleTable("shards", ENDING, ROWS, WIDTH, torch.bfloat16, made, Settings("disk"))
    lookup.weight.weight_loader(lookup.weight, table)
    assert torch.equal(lookup(torch.tensor([8])), table[[8]])
    assert type(lookup._source) is DiskRows


def check_the_graph_does_not_look_into_the_lookup() -> None:
    table = values()
    lookup = table_of(checkpoint("graph", table), "disk")
    compiled = torch.compile(lambda ids: lookup(ids) * 2, backend="aot_eager", fullgraph=True)
    ids = torch.tensor([4, 4, 9])
    assert torch.equal(compiled(ids), table[ids] * 2)


def check_a_table_that_was_never_loaded_fails() -> None:
    table = PleTable("empty", ENDING, ROWS, WIDTH, torch.bfloat16, folder("empty"), Settings("disk"))
    fails(lambda: table(torch.tensor([1])), "never loaded")


if __name__ == "__main__":
    run_checks(globals())
