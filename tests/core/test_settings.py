"""Settings survive everything a disk and an older or newer Stowage can do to them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from core.settings import VERSION, Settings, SettingsStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def test_defaults_without_a_file_and_nothing_written(file: Path) -> None:
    store = SettingsStore(file)
    assert store.current == Settings()
    assert store.problems == []
    assert not file.exists()


def test_a_change_is_there_for_the_next_start(file: Path) -> None:
    SettingsStore(file).change(language="ru", cpu_kv_cache_gib=4)
    again = SettingsStore(file)
    assert (again.current.language, again.current.cpu_kv_cache_gib) == ("ru", 4)
    assert json.loads(file.read_text())["version"] == VERSION
    assert file.stat().st_mode & 0o077 == 0


def test_unknown_keys_are_kept_over_a_change(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({"version": VERSION, "from_the_future": {"a": [1]}, "theme": "dark"}))
    store = SettingsStore(file)
    store.change(language="ru")
    assert json.loads(file.read_text())["from_the_future"] == {"a": [1]}
    assert SettingsStore(file).current.theme == "dark"


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'"text"', b'{"version": "one"}', b"null"])
def test_a_corrupt_file_is_set_aside_and_the_backup_is_used(file: Path, damage: bytes) -> None:
    store = SettingsStore(file)
    store.change(language="ru")
    store.change(theme="dark")  # the backup now holds language=ru
    file.write_bytes(damage)
    again = SettingsStore(file)
    assert again.current.language == "ru"
    assert [problem.code for problem in again.problems] == ["settings.corrupt"]
    kept = Path(str(again.problems[0].facts["kept_as"]))
    assert kept.read_bytes() == damage
    again.change(theme="light")
    assert SettingsStore(file).problems == []


def test_one_bad_value_costs_that_value_only(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({"version": VERSION, "theme": "dark", "cpu_kv_cache_gib": "much"}))
    store = SettingsStore(file)
    assert store.current.theme == "dark"
    assert store.current.cpu_kv_cache_gib == Settings().cpu_kv_cache_gib
    assert [(p.code, p.facts["key"]) for p in store.problems] == [("settings.bad_value", "cpu_kv_cache_gib")]


def test_a_newer_file_is_read_and_never_overwritten(file: Path) -> None:
    file.parent.mkdir()
    newer = json.dumps({"version": VERSION + 1, "theme": "dark", "new_thing": True})
    file.write_text(newer)
    store = SettingsStore(file)
    assert store.current.theme == "dark"
    assert [p.code for p in store.problems] == ["settings.newer"]
    with pytest.raises(AppError) as caught:
        store.change(language="ru")
    assert caught.value.code == "settings.newer"
    assert file.read_text() == newer


def test_a_value_of_the_wrong_type_is_refused_and_nothing_changes(file: Path) -> None:
    store = SettingsStore(file)
    store.change(language="ru")
    before = file.read_bytes()
    with pytest.raises(AppError) as caught:
        store.change(theme="purple")
    assert caught.value.code == "settings.bad_value"
    assert store.current.theme == "system"
    assert file.read_bytes() == before


def test_a_disk_that_refuses_leaves_the_old_settings_in_force(file: Path) -> None:
    store = SettingsStore(file)
    store.change(language="ru")
    before = file.read_bytes()
    # A folder in the place of the backup makes the write fail for root too.
    backup = file.with_suffix(".backup.json")
    backup.unlink(missing_ok=True)
    backup.mkdir()
    (backup / "x").touch()
    with pytest.raises(AppError) as caught:
        store.change(theme="dark")
    assert caught.value.code == "settings.not_saved"
    assert store.current == SettingsStore(file).current
    assert file.read_bytes() == before
    assert not [name for name in os.listdir(file.parent) if name.endswith(".part")]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
    )
)
def test_no_json_document_is_ever_fatal(tmp_path_factory: pytest.TempPathFactory, document: object) -> None:
    file = tmp_path_factory.mktemp("s") / "settings.json"
    file.write_text(json.dumps(document))
    store = SettingsStore(file)
    assert isinstance(store.current, Settings)


def test_what_the_terminal_chose_beside_the_window_stays(file: Path) -> None:
    window, terminal = SettingsStore(file), SettingsStore(file)
    window.change(context_tokens=1024)
    terminal.change(engine="cpu-0.32.0")
    window.change(language="ru")
    kept = SettingsStore(file).current
    assert (kept.engine, kept.language) == ("cpu-0.32.0", "ru")
    assert window.current == kept
