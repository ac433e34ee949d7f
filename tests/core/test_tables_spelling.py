"""Where a per-layer table is to lie, written for the server: the plugin's variables, or a word of why not."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from core.engine.command import build_command, sheet_of, shown_command
from core.engine.options import LaunchOptions, LaunchRequest, Tables, Traits, Tuning
from core.engine.written_command import as_shell, as_unit, as_yaml
from core.events import EngineInfo, EngineState
from core.planner.options import Engine
from core.planning.choices import Choices, options_of, pulled, tuning_of
from core.planning.levers import CARRIED_OUT, launch_levers
from core.planning.option_facts import refused_tables, table_places
from tests.support import builds
from tests.support.plans import plan, published
from tests.support.plans import request as plan_request

GEMMA = Traits("Gemma4ForConditionalGeneration", tables="per_layer")
E4B = "google__gemma-4-E4B-it"
FOLDER = "/cache/ple/abc"


def launch(version: str = "0.33.0", traits: Traits = GEMMA, plugins: str = FOLDER, **more: Any) -> LaunchRequest:
    build = builds.build(version)
    engine = EngineInfo("e", EngineState.READY, build.text, build.platform, "/e/bin/python", "3.12", ours=True)
    options = LaunchOptions(**more)
    return LaunchRequest("m", "/m", engine, options=options, traits=traits, build=build, plugins=plugins)


def notes(asked: LaunchRequest) -> list[str]:
    return [note.code for note in sheet_of(asked).notes]


@pytest.mark.parametrize("version", ["0.30.0", "0.33.0", builds.CPU])
@pytest.mark.parametrize("place", ["ram", "disk"])
def test_the_plugin_is_put_on_the_import_path_and_told_where(version: str, place: str) -> None:
    env = sheet_of(launch(version, ple=place)).env
    assert (env["PYTHONPATH"], env["STOWAGE_PLE"], env["STOWAGE_PLE_CACHE_MIB"]) == (FOLDER, place, "256")


@pytest.mark.parametrize("place", ["auto", "device"])
def test_without_a_wish_there_is_nothing_of_it(place: str) -> None:
    asked = launch(ple=place)
    assert sheet_of(asked).env == {}
    assert notes(asked) == []


def test_what_a_person_put_on_the_import_path_stays_there() -> None:
    env = sheet_of(launch(ple="disk", env=(("PYTHONPATH", "/mine"),))).env
    assert env["PYTHONPATH"] == f"{FOLDER}{os.pathsep}/mine"


@pytest.mark.parametrize(
    ("version", "more", "code"),
    [
        ("0.28.0", {}, "option.tables_stay"),
        ("0.33.0", {"load_format": "tensorizer"}, "option.tables_load_format"),
        ("0.33.0", {"load_format": "safetensors"}, ""),
    ],
)
def test_what_cannot_be_is_said_and_refused(version: str, more: dict[str, Any], code: str) -> None:
    asked = launch(version, ple="disk", **more)
    assert notes(asked) == ([code] if code else [])
    assert ("STOWAGE_PLE" in sheet_of(asked).env) == (not code)
    refused = refused_tables(builds.build(version), GEMMA, asked.options)
    assert (refused.code if refused is not None else "") == code


def test_a_table_that_no_file_holds_in_place_goes_to_ram() -> None:
    bin_files = replace(GEMMA, safetensors=False)
    asked = launch(traits=bin_files, ple="disk")
    assert sheet_of(asked).env["STOWAGE_PLE"] == "ram"
    assert notes(asked) == ["option.no_tables_on_disk"]
    assert table_places(builds.build("0.33.0"), bin_files) == ("ram",)
    assert table_places(builds.build("0.33.0"), GEMMA) == ("ram", "disk")


@pytest.mark.parametrize(
    ("tables", "place", "code"),
    [
        ("", "disk", "option.no_tables"),
        ("", "auto", ""),
        ("ngram", "disk", "option.no_tables_on_disk"),
        ("ngram", "ram", ""),
        ("per_layer", "ram", ""),
    ],
)
def test_a_place_asked_for_by_name_is_refused_where_it_means_nothing(tables: Tables, place: Any, code: str) -> None:
    refused = refused_tables(builds.build("0.33.0"), Traits(tables=tables), LaunchOptions(ple=place))
    assert (refused.code if refused is not None else "") == code


def test_a_list_of_plugins_in_the_environment_does_not_shut_ours_out() -> None:
    asked = launch(ple="disk")
    assert build_command(asked, 1, "k", {"VLLM_PLUGINS": "mine"}).env["VLLM_PLUGINS"] == "mine,stowage_ple"
    assert build_command(asked, 1, "k", {"VLLM_PLUGINS": ""}).env["VLLM_PLUGINS"] == "stowage_ple"
    assert "VLLM_PLUGINS" not in build_command(asked, 1, "k", {}).env
    assert build_command(launch(), 1, "k", {"VLLM_PLUGINS": "mine"}).env["VLLM_PLUGINS"] == "mine"


def test_every_way_to_write_the_command_down_holds_the_variables() -> None:
    asked = launch(ple="disk")
    assert f"PYTHONPATH={FOLDER}" in shown_command(asked)
    for text in (shown_command(asked), as_shell(asked), as_unit(asked), as_yaml(asked)):
        assert "STOWAGE_PLE=disk" in text
        assert "STOWAGE_PLE_STATS" not in text  # of one launch


# ---- from the plan ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("platform", ["cuda", "cpu"])
@pytest.mark.parametrize(("place", "planned"), [("auto", "gpu"), ("device", "gpu"), ("ram", "ram"), ("disk", "disk")])
def test_the_choice_is_what_is_planned(platform: str, place: Any, planned: str) -> None:
    choices = Choices(more=LaunchOptions(ple=place))
    assert options_of(choices, Engine((0, 33, 0), platform)).ple_placement == planned


def test_the_levers_are_carried_out_and_set_the_choice() -> None:
    asked = plan_request(vram_gib=16, context=8192)
    found = launch_levers(published(E4B), asked, plan(published(E4B), vram_gib=16, context=8192))
    levers = {lever.id: lever for lever in found}
    assert [name for name in levers if name.startswith(("ple_", "cpu_"))] == ["ple_disk", "ple_ram", "cpu_offload_gb"]
    assert {"ple_disk", "ple_ram"} <= CARRIED_OUT
    for name, lever in levers.items():
        if name.startswith("ple_"):
            assert pulled(Choices(), lever) == Choices(more=LaunchOptions(ple=name.removeprefix("ple_")))  # type: ignore[arg-type]


def test_the_plans_own_variable_never_stands_without_the_plugin() -> None:
    """Old engines: the plan names the placement, and nothing there would read it."""
    made = plan(published(E4B), context=8192, ple_placement="disk")
    assert made.command.env == {"STOWAGE_PLE": "disk"}
    tuning = tuning_of(Choices(more=LaunchOptions(ple="disk")), made)
    assert tuning.env == Tuning().env
