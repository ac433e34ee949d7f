"""The planner's numbers against those that vLLM's own code produced (tests/data/README.md tells how)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.checkpoint.inventory import Inventory
from core.checkpoint.tensors import Part
from core.planner.amounts import Certainty
from core.planner.speed import decode_reads
from tests.support.plans import answers, config, plan, published, refusal_numbers

TRUTH = answers("vllm_kv_truth_8k")["rows"]
BUILT = [row for row in TRUTH if "error" not in row]
OPTIONS = [(run, name) for run in answers("vllm_kv_options")["runs"] for name in run["rows"]]
QUANTIZED = answers("vllm_quantized")
ARCHITECTURES = answers("vllm_architectures")["rows"]


@pytest.mark.parametrize("row", BUILT, ids=lambda row: row["config"])
def test_published_configs_at_8k(row: dict[str, Any]) -> None:
    made = plan(
        published(row["config"]),
        context=row["max_model_len"],
        avail=row["avail_bytes"],
        offload_gib=8,
        ple_in_ram=False,
    )
    assert made.weights.amount.certainty is Certainty.EXACT
    assert made.weights.bytes == row["weight_bytes"]
    assert round(made.weights.allocated_bytes / 2**30, 4) == row["model_loading_gib"]
    assert made.resolved.max_num_batched_tokens == row["max_num_batched_tokens"]
    assert made.kv.bytes_per_block == row["bytes_per_block"]
    assert made.kv.blocks_per_request == row["blocks_per_request"]
    assert made.kv.bytes_one_request == row["kv_bytes_one_request"]
    assert (made.kv.num_blocks, made.kv.capacity_tokens) == (row["num_blocks"], row["capacity_tokens"])
    assert made.kv.concurrency == row["max_concurrency"]
    assert made.kv.refused is row["refused"] is None
    assert made.offload.offloaded_bytes == row["offload8gib"]["offloaded"]
    assert made.offload.pinned_bytes == row["offload8gib"]["pinned_ram"]
    assert made.offload.ceiling_bytes == row["offload8gib"]["eligible"]


@pytest.mark.parametrize("row", BUILT, ids=lambda row: row["config"])
def test_bytes_by_dtype_and_bytes_that_a_step_reads(row: dict[str, Any]) -> None:
    checkpoint = published(row["config"])
    made = plan(checkpoint, context=row["max_model_len"], avail=row["avail_bytes"])
    inventory = made.weights.inventory
    assert isinstance(inventory, Inventory)
    theirs: dict[str, int] = {}
    for name, (_, size) in row["weights_by_dtype"].items():
        dtype = name.split("/")[1]
        theirs[dtype] = theirs.get(dtype, 0) + size
    ours = dict(inventory.by_dtype)
    extra = inventory.bytes_per_batched_token * made.resolved.max_num_batched_tokens
    if extra:
        ours["int32"] = ours.get("int32", 0) + extra
    assert {k: v for k, v in ours.items() if v} == theirs
    # The measure counts the table of a tied model as a look-up where the config forgets to say that it is tied.
    table = 0 if made.weights.by_part[Part.LM_HEAD] else made.weights.by_part[Part.EMBEDDING]
    read = decode_reads(checkpoint, made.weights).total
    assert any(read == pytest.approx(row["decode_read_bytes"] + more, rel=0.02) for more in (0, table))


@pytest.mark.parametrize("row", [row for row in TRUTH if "error" in row], ids=lambda row: row["config"])
def test_what_vllm_could_not_build_is_an_estimate_with_a_reason(row: dict[str, Any]) -> None:
    made = plan(published(row["config"]), context=8192, avail=4 * 2**30)
    assert made.weights.amount.certainty is Certainty.ESTIMATED
    assert made.weights.amount.reason
    assert made.kv_amount.certainty in (Certainty.ESTIMATED, Certainty.UNKNOWN)
    assert made.kv_amount.reason


@pytest.mark.parametrize(("run", "name"), OPTIONS, ids=lambda value: value if isinstance(value, str) else value["name"])
def test_published_configs_with_other_options(run: dict[str, Any], name: str) -> None:
    row = run["rows"][name]
    hardware: dict[str, Any] = {
        "capability": tuple(run.get("capability", (8, 9))),
        "vram_gib": run.get("vram_gib", 24),
        "platform": run.get("platform", "cuda"),
    }
    made = plan(published(name), context=row["context"], avail=row["avail"], **hardware, **run["options"])
    assert made.resolved.max_num_batched_tokens == row["batched"]
    assert made.weights.bytes == row["weight_bytes"]
    assert refusal_numbers(made.kv.refused) == row["refused"]
    if row["refused"] is None:
        assert made.kv.bytes_per_block == row["bytes_per_block"]
        assert made.kv.blocks_per_request == row["blocks_per_request"]
        assert made.kv.capacity_tokens == row["capacity_tokens"]


def _quantized(row: dict[str, Any]) -> Checkpoint:
    values = config(row["base"])
    values["quantization_config"] = QUANTIZED["quantizations"][row["quantization"]]
    if row["half"]:
        values.pop("dtype", None)
        values["torch_dtype"] = "float16"
        if "text_config" in values:
            values["text_config"]["dtype"] = "float16"
    return read_checkpoint(json.loads(json.dumps(values)))


def _check_ranks(checkpoint: Checkpoint, row: dict[str, Any]) -> None:
    """One rank of several; those that vLLM refused are not in the data."""
    for ranks, said in row["ranks"].items():
        split = plan(checkpoint, context=row["context"], tensor_parallel=int(ranks), offload_gib=8)
        assert split.weights.bytes == said["weight_bytes"]
        assert (split.offload.offloaded_bytes, split.offload.pinned_bytes) == (said["offloaded"], said["pinned"])
        if said["bytes_per_block"] is not None:
            assert split.kv.bytes_per_block == said["bytes_per_block"]


@pytest.mark.parametrize("row", QUANTIZED["rows"], ids=lambda row: f"{row['base']}-{row['quantization']}")
def test_quantizations(row: dict[str, Any]) -> None:
    checkpoint = _quantized(row)
    made = plan(checkpoint, context=8192, avail=4 * 2**30, offload_gib=8)
    assert made.weights.bytes == row["weight_bytes"]
    assert made.weights.amount.certainty is Certainty.EXACT
    assert made.kv.bytes_per_block == row["bytes_per_block"]
    assert made.kv.blocks_per_request == row["blocks_per_request"]
    assert (made.offload.offloaded_bytes, made.offload.pinned_bytes) == (row["offloaded"], row["pinned"])
    _check_ranks(checkpoint, {"context": 8192, **row})


@pytest.mark.parametrize("row", ARCHITECTURES, ids=lambda row: row["config"]["architectures"][0])
def test_architectures(row: dict[str, Any]) -> None:
    checkpoint = read_checkpoint(row["config"])
    _check_ranks(checkpoint, row)
    card = {name: row[name] for name in ("capability", "vram_gib") if name in row}
    made = plan(checkpoint, context=row["context"], avail=row["avail"], offload_gib=8, **card)
    assert made.weights.bytes == row["weight_bytes"]
    assert (made.offload.offloaded_bytes, made.offload.pinned_bytes) == (row["offloaded"], row["pinned"])
    assert refusal_numbers(made.kv.refused) == row["refused"]
    if row["refused"] is None:
        assert (made.kv.bytes_per_block, made.kv.blocks_per_request) == (
            row["bytes_per_block"],
            row["blocks_per_request"],
        )
