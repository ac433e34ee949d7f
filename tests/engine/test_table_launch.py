"""A per-layer table that a launch keeps off the device: what is proven of it, counted, remembered, or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.finding import Finding, Verdict
from core.engine.launch_events import ProofChanged, VitalsChanged
from core.engine.options import LaunchOptions, Place
from core.errors import AppError
from core.events import ServerState, ServerStatus
from core.ledger.record import LaunchRecord, Outcome
from core.paths import Paths
from core.planning.choices import Choices
from core.services import Services
from tests.support.fake_engine import make_checkpoint
from tests.support.launching import CONFIG, Launching, asked, make_launching
from tests.support.serving import until

GEMMA = CONFIG | {
    "architectures": ["Gemma3nForCausalLM"], "model_type": "gemma3n_text", "num_hidden_layers": 2, "head_dim": 16,
    "hidden_size_per_layer_input": 32, "vocab_size_per_layer_input": 64, "num_kv_shared_layers": 0,
    "sliding_window": 512, "layer_types": ["sliding_attention", "full_attention"],
}  # fmt: skip


@pytest.fixture
def launching(home: Paths, tmp_path: Path) -> Launching:
    made = make_launching(home, tmp_path)
    model = make_checkpoint(tmp_path / "models" / "Tables-1B", config=GEMMA)
    (model / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}', encoding="utf-8")
    return replace(made, model=model)


def choices(place: Place, **more: object) -> Choices:
    return Choices(context=512, enforce_eager=True, more=LaunchOptions(ple=place, **more))  # type: ignore[arg-type]


async def launched(services: Services, launching: Launching, place: Place = "disk") -> Finding | None:
    await services.launch(str(launching.model), choices=choices(place))
    findings = await services.care.proven()
    return next((finding for finding in findings if finding.option.startswith("ple_")), None)


async def written(services: Services) -> LaunchRecord:
    records = await services.launches.history(1)
    while not records or records[0].outcome is Outcome.STARTING or not records[0].proof:
        records = await services.launches.history(1)
    return records[0]


def test_a_table_on_disk_is_proven_counted_and_remembered(launching: Launching) -> None:
    launching.engine.behave("--counters")

    async def work(services: Services) -> tuple[Finding | None, LaunchRecord, str]:
        await services.care.show_vitals(True)
        finding = await launched(services, launching)
        before = await services.care.table_rows()
        await asked(services, "one two three")
        rows = await services.care.table_rows()
        assert before is not None
        assert rows is not None
        assert rows.rows - before.rows == 3 + 4
        assert rows.hit_share == 0.5

        def seen() -> bool:
            told = [event.vitals.table for event in launching.heard if isinstance(event, VitalsChanged)]
            return bool(told) and told[-1] == rows

        await until(seen, "the rows in the vitals")
        return finding, await written(services), await services.care.report()

    finding, record, report = launching.run(work)
    assert finding is not None
    assert (finding.option, finding.verdict, finding.found) == ("ple_disk", Verdict.TOOK_EFFECT, "5.25 GiB")
    assert "placement=disk, cache=256 MiB" in finding.evidence[0]
    assert finding.evidence[1].startswith("stowage-ple: lookups +2, rows +")
    assert record.proof["ple_disk"] == "took_effect"
    assert "STOWAGE_PLE=disk" in record.command
    assert record.choices["more"]["ple"] == "disk"
    assert "| Per-layer table on disk | True | took effect | 5.25 GiB |" in report


def test_until_a_row_was_asked_for_it_cannot_be_told_and_the_first_answer_shows_it(launching: Launching) -> None:
    launching.engine.behave("--counters", "--chat-only")

    async def work(services: Services) -> None:
        await services.care.show_vitals(True)
        finding = await launched(services, launching, "ram")
        assert finding is not None
        assert (finding.verdict, finding.reason, finding.advice) == (Verdict.CANNOT_TELL, "no_row_yet", "ask_something")
        await asked(services, "one two three")
        await until(lambda: verdicts()[-1] is Verdict.TOOK_EFFECT, "the verdict of the answer")

    def verdicts() -> list[Verdict]:
        told = [event for event in launching.heard if isinstance(event, ProofChanged)]
        return [finding.verdict for event in told for finding in event.findings if finding.option == "ple_ram"]

    launching.run(work)


@pytest.mark.parametrize(
    ("mode", "reason"), [("silent", "plugin_silent"), ("given-up", "plugin_gave_up"), ("in-ram", "table_in_ram")]
)
def test_a_table_that_went_elsewhere_had_no_effect_and_says_why(launching: Launching, mode: str, reason: str) -> None:
    launching.engine.behave("--counters", "--table", mode)
    finding = launching.run(lambda services: launched(services, launching))
    assert finding is not None
    assert (finding.verdict, finding.reason) == (Verdict.NO_EFFECT, reason)
    if mode != "silent":
        assert "stowage-ple: " in finding.evidence[0]


def test_without_a_wish_the_server_knows_nothing_of_the_plugin(launching: Launching) -> None:
    launching.engine.behave("--counters")

    async def work(services: Services) -> None:
        assert await launched(services, launching, "auto") is None
        assert await services.care.table_rows() is None
        assert not any("stowage-ple" in line for line in services.log_tail())

    launching.run(work)


def test_what_cannot_be_is_refused_before_anything_starts(launching: Launching) -> None:
    async def work(services: Services) -> None:
        with pytest.raises(AppError) as caught:
            await services.launch(str(launching.model), choices=choices("disk", load_format="dummy"))
        assert (caught.value.code, caught.value.facts) == ("option.tables_load_format", {"value": "dummy"})

    launching.run(work)
    states = {event.state for event in launching.heard if isinstance(event, ServerStatus)}
    assert states == {ServerState.IDLE}
