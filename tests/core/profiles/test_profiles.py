"""Presets and the last good launch: saved, found, handed on, and never in the way of a start."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.engine.capabilities.model import Capabilities
from core.engine.options import LaunchOptions, Lora
from core.errors import AppError
from core.ledger.record import Identity, LaunchRecord, Outcome
from core.paths import Paths
from core.planning.choices import Choices
from core.profiles.profile import Profile
from core.profiles.profiles import Profiles
from core.profiles.store import decoded, encoded
from tests.support.builds import capabilities

FAST = Choices(context=8192, max_num_seqs=2, more=LaunchOptions(loras=(Lora("poet", "/x"),), seed=4))


async def never(_model: str) -> LaunchRecord | None:
    return None


async def newest(_engine: str | None) -> Capabilities:
    return capabilities("0.33.0")


def profiles(
    home: Paths,
    last: Callable[[str], Awaitable[LaunchRecord | None]] = never,
    build: Callable[[str | None], Awaitable[Capabilities]] = newest,
) -> Profiles:
    home.ensure()
    return Profiles(home, last, build)


def record(**choices: Any) -> LaunchRecord:
    identity = Identity("", "", "cuda-0.17.1", "0.17.1", "cuda", "", "", eager=True)
    return LaunchRecord("1", 1.7e9, Outcome.READY, "m", identity, "", "", choices, "0.1")


def test_a_preset_outlives_the_app(home: Paths) -> None:
    asyncio.run(profiles(home).save("  fast \n", FAST, "m", "cuda 0.33.0"))
    (found,) = asyncio.run(profiles(home).all("m"))
    assert found == Profile("fast", FAST, "m", "cuda 0.33.0")
    assert asyncio.run(profiles(home).all("other")) == ()


def test_a_preset_for_any_model_leaves_out_what_belongs_to_one(home: Paths) -> None:
    mine = profiles(home)
    asyncio.run(mine.save("fast", FAST))
    recalled = asyncio.run(mine.recall("FAST", "other"))
    assert recalled.choices.more == LaunchOptions(seed=4)
    assert recalled.choices.context == 8192


def test_that_of_the_model_goes_before_that_for_any(home: Paths) -> None:
    mine = profiles(home)
    asyncio.run(mine.save("fast", Choices(context=1024)))
    asyncio.run(mine.save("Fast", Choices(context=2048), "m"))
    asyncio.run(mine.save("fast", Choices(context=4096), "m"))
    assert asyncio.run(mine.find("fast", "m")).choices.context == 4096
    assert asyncio.run(mine.find("fast", "n")).choices.context == 1024
    assert len(asyncio.run(mine.all("m"))) == 2
    asyncio.run(mine.remove("fast", "m"))
    assert asyncio.run(mine.find("fast", "m")).choices.context == 1024


def test_names_that_are_none_and_names_that_are_not_there(home: Paths) -> None:
    mine = profiles(home)
    with pytest.raises(AppError, match=r"profiles\.no_name"):
        asyncio.run(mine.save(" \n", FAST))
    with pytest.raises(AppError, match=r"profiles\.unknown"):
        asyncio.run(mine.recall("fast"))


def test_the_last_good_launch_comes_back_in_the_terms_of_the_engine(home: Paths) -> None:
    async def last(model: str) -> LaunchRecord | None:
        return record(context=2048, extra_args=["--swap-space", "4"], more={"seed": 3}, odd=1) if model == "m" else None

    mine = profiles(home, last)
    recalled = asyncio.run(mine.last("m"))
    assert recalled is not None
    assert recalled.choices == Choices(context=2048, more=recalled.choices.more)
    assert (recalled.choices.more.prompt_cache.ram_gib, recalled.choices.more.seed) == (4, 3)
    assert [remark.flag for remark in recalled.remarks] == ["--swap-space"]
    assert (recalled.began_at, recalled.engine) == (1.7e9, "cuda-0.17.1")
    assert asyncio.run(mine.last("n")) is None


def test_an_engine_that_cannot_be_read_changes_nothing(home: Paths) -> None:
    async def unreadable(_engine: str | None) -> Capabilities:
        raise AppError("engine.unreadable", path="x")

    async def last(_model: str) -> LaunchRecord | None:
        return record(more={"extra": ["--swap-space", "4"]})

    recalled = asyncio.run(profiles(home, last, unreadable).last("m"))
    assert recalled is not None
    assert recalled.choices.more.extra == ("--swap-space", "4")


_names = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=20)


@given(st.lists(st.builds(Profile, _names, st.just(FAST), model=_names, engine=_names), max_size=4).filter(bool))
def test_what_is_handed_on_arrives(sent: list[Profile]) -> None:
    arrived, notes = decoded(encoded(sent))
    assert (list(arrived), notes) == (sent, ())


def test_export_and_import_between_two_computers(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    mine = profiles(home)
    asyncio.run(mine.save("fast", FAST, "m"))
    asyncio.run(mine.save("slow", Choices(offload_gib=2)))
    asyncio.run(mine.export(str(file)))
    other = Profiles(Paths(*(tmp_path / name for name in "abcdef")), never, newest)
    imported = asyncio.run(other.import_file(str(file)))
    assert imported.names == ("fast", "slow")
    assert asyncio.run(other.all()) == asyncio.run(mine.all())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "profiles.unreadable"),
        ("[1]", "profiles.unreadable"),
        ("{}", "profiles.unreadable"),
        ('{"profiles": []}', "profiles.unreadable"),
        ('{"profiles": [3]}', "profiles.unreadable"),
        ('{"profiles": [{"choices": {}}]}', "profiles.no_name"),
        ('{"version": 99, "profiles": [{"name": "x"}]}', "profiles.from_newer"),
        ("x" * (5 << 20), "profiles.unreadable"),
    ],
)
def test_files_that_hold_no_profiles(home: Paths, tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "f.json"
    file.write_text(text, encoding="utf-8")
    mine = profiles(home)
    with pytest.raises(AppError) as caught:
        asyncio.run(mine.import_file(str(file)))
    assert caught.value.code == code
    assert asyncio.run(mine.all()) == ()


def test_one_preset_alone_can_be_imported_and_bad_values_are_told(home: Paths, tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_text('{"name": "one", "choices": {"context": "x", "max_num_seqs": 3}}', encoding="utf-8")
    mine = profiles(home)
    imported = asyncio.run(mine.import_file(str(file)))
    assert [note.facts["key"] for note in imported.notes] == ["context"]
    assert asyncio.run(mine.find("one")).choices == Choices(max_num_seqs=3)


def test_a_damaged_file_is_set_aside_and_the_backup_is_used(home: Paths) -> None:
    mine = profiles(home)
    asyncio.run(mine.save("a", FAST))
    asyncio.run(mine.save("b", FAST))
    home.profiles_file.write_text("{", encoding="utf-8")
    again = profiles(home)
    assert [each.name for each in asyncio.run(again.all())] == ["a"]
    assert [problem.code for problem in again.problems] == ["profiles.corrupt"]
    assert any(name.startswith("profiles.json.broken") for name in os.listdir(home.config))


def test_what_the_terminal_saves_beside_the_window_is_not_lost(home: Paths) -> None:
    window, terminal = profiles(home), profiles(home)
    asyncio.run(window.save("a", FAST))
    asyncio.run(terminal.save("b", FAST))
    assert [each.name for each in asyncio.run(window.all())] == ["a", "b"]
    asyncio.run(window.save("c", FAST))
    asyncio.run(terminal.remove("a"))
    assert [each.name for each in asyncio.run(profiles(home).all())] == ["b", "c"]
    home.profiles_file.write_text("{", encoding="utf-8")
    home.profiles_file.with_suffix(".backup.json").write_text("{", encoding="utf-8")
    assert [each.name for each in asyncio.run(window.all())] == ["a", "b", "c"]


def test_what_is_not_understood_stays_in_the_file(home: Paths) -> None:
    home.ensure()
    strange = {"name": "later", "choices": {"context": 99, "beam": 2}, "colour": "red"}
    document = {"version": 1, "profiles": [strange, "no preset"], "shelf": 3}
    home.profiles_file.write_text(json.dumps(document), encoding="utf-8")
    asyncio.run(profiles(home).save("mine", FAST))
    written = json.loads(home.profiles_file.read_text(encoding="utf-8"))
    assert written["shelf"] == 3
    assert "no preset" in written["profiles"]
    later = next(each for each in written["profiles"] if isinstance(each, dict) and each["name"] == "later")
    assert (later["colour"], later["choices"]["beam"], later["choices"]["context"]) == ("red", 2, 99)


def test_a_file_of_a_later_stowage_is_not_overwritten(home: Paths) -> None:
    home.ensure()
    text = json.dumps({"version": 2, "profiles": [{"name": "a", "choices": {}}]})
    home.profiles_file.write_text(text, encoding="utf-8")
    mine = profiles(home)
    assert [each.name for each in asyncio.run(mine.all())] == ["a"]
    with pytest.raises(AppError, match=r"profiles\.newer"):
        asyncio.run(mine.save("b", FAST))
    assert home.profiles_file.read_text(encoding="utf-8") == text
