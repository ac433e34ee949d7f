"""Proof of the plugin's work from its log line and its counters."""

from __future__ import annotations

import json
import re
from pathlib import Path

from core.engine.ple_proof import Counted, KeptOff, kept_off, prove, read_counters, reason_against

NAME = "model.embed_tokens_per_layer"
# As vLLM 0.32 printed it with the plugin.
DISK = (
    f"(Worker pid=14035) INFO 11-30 02:29:51 [table.py:141] stowage-ple: {NAME}, 49152 x 11520, 1.05 GiB kept off the"
    " device: placement=disk, cache=256 MiB, file=model.safetensors"
)
RAM = (
    f"(Worker pid=7) INFO 11-30 [table.py:1] stowage-ple: {NAME}, 10 x 4, 0.00 GiB kept off the device: placement=ram,"
    " pinned=True"
)
FALLBACK = (
    "(Worker pid=7) WARNING 11-30 [table.py:1] stowage-ple: the table cannot be read in place (no safetensors files in"
    " /m); it goes into RAM instead"
)
INACTIVE = (
    f"(Worker pid=7) WARNING 11-30 [plugin.py:1] stowage-ple: inactive for {NAME}: GGUF keeps the table quantized"
)
CHANGED = (
    "(Worker pid=7) ERROR 11-30 [table.py:9] stowage-ple: /m/f changed while the model was running: restart the server"
)


def test_the_line_tells_table_placement_and_cache() -> None:
    assert kept_off(["noise", DISK]) == (KeptOff(NAME, 49152, 11520, 1.05, "disk", 256 << 20),)
    assert kept_off([RAM])[0].pinned is True


def test_each_worker_counts_and_a_second_load_does_not() -> None:
    assert len(kept_off([DISK, DISK.replace("14035", "2"), DISK])) == 2


def test_a_placement_is_proven_by_line_and_counters_together() -> None:
    assert prove("disk", [DISK], Counted()).proven is None
    assert prove("disk", [DISK], Counted(lookups=1)).proven is True
    assert prove("disk", ["nothing of the plugin"], Counted(lookups=1)).proven is False
    assert prove("gpu", [], Counted()).proven is True


def test_ram_instead_of_disk_is_no_proof_and_says_why() -> None:
    proof = prove("disk", [FALLBACK, RAM], Counted(lookups=5))
    assert (proof.found, proof.proven) == ("ram", False)
    assert "no safetensors files" in proof.reason


def test_reasons_are_the_plugins_own_words() -> None:
    assert reason_against([INACTIVE]) == "GGUF keeps the table quantized"
    assert reason_against([DISK, CHANGED]).endswith("restart the server")
    assert reason_against([DISK]) == ""


def test_counters_of_all_processes_are_added(tmp_path: Path) -> None:
    row = {"table": NAME, "placement": "disk", "lookups": 2, "rows": 9, "unique_rows": 8, "hits": 6}
    for pid in (1, 2):
        (tmp_path / f"ple-{pid}-0.json").write_text(json.dumps(row | {"read_bytes": 10, "read_s": 0.5, "lookup_s": 1}))
    (tmp_path / "ple-3-0.json").write_text('{"lookups": ')
    found = read_counters(tmp_path)
    assert found == Counted(4, 18, 16, 12, 20, 1.0, 2.0)
    assert found.hit_share == 0.75
    assert found.since(Counted(4, 18, 16, 12, 20, 1.0, 2.0)) == Counted()
    assert read_counters(tmp_path / "nowhere").hit_share is None


def test_the_plugins_texts_are_those_that_are_looked_for() -> None:
    """The plugin runs elsewhere; its sources are the one place where its words stand."""
    sources = "\n".join(
        path.read_text("utf-8") for path in (Path(__file__).parents[2] / "core/ple/stowage_ple").rglob("*.py")
    )
    assert "stowage-ple: %s, %d x %d, %.2f GiB kept off the device: placement=%s, %s" in sources
    assert 'stowage-ple: inactive for %s: %s"' in sources
    assert "stowage-ple: the table cannot be read in place (%s)" in sources
    for words in ("changed while the model was running", "was cut while the model was running", "ids outside of"):
        assert words in sources
    written = set(re.findall(r'^\s+"(\w+)": (?:round\()?self\.', sources, re.MULTILINE))
    assert written == set(Counted.__struct_fields__)
