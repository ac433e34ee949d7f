"""The menu entry: valid, complete, really starts this installation, leaves nothing."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.desktop import entry
from core.desktop.exec_line import exec_line, parse_exec_line
from core.errors import AppError
from core.version import __version__

ODD_FOLDER = '50% of $HOME\'s "cargo" \\ `here`; ~(a&b)'


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "data home"
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    return home


def read_entry(path: Path) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[method-assign, assignment] # keys keep their case
    parser.read(path, encoding="utf-8")
    return parser["Desktop Entry"]


def starter_script(folder: Path) -> Path:
    """An executable that prints its arguments, one a line."""
    folder.mkdir(parents=True)
    script = folder / "star ter"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    script.chmod(0o755)
    return script


def test_installs_a_valid_entry_and_icon_and_removes_both_whole(data_home: Path) -> None:
    installed = entry.install()

    assert installed == (
        data_home / "applications" / "stowage.desktop",
        data_home / "icons" / "hicolor" / "scalable" / "apps" / "stowage.svg",
    )
    validated = subprocess.run(["desktop-file-validate", installed[0]], capture_output=True, text=True, check=False)
    assert (validated.returncode, validated.stdout) == (0, "")
    values = read_entry(installed[0])
    assert values["Terminal"] == "false"
    assert values["StartupWMClass"] == values["Icon"] == "stowage"
    assert {"Name[ru]", "Comment", "Comment[ru]"} <= set(values)
    assert installed[1].read_bytes() == entry.ICON.read_bytes()
    assert installed[0].stat().st_mode & 0o777 == 0o644

    assert entry.remove() == installed
    assert list(data_home.iterdir()) == []
    assert entry.remove() == ()


def test_what_others_keep_there_stays(data_home: Path) -> None:
    other = data_home / "applications" / "other.desktop"
    other.parent.mkdir(parents=True)
    other.write_text("theirs")
    entry.install()
    entry.remove()
    assert [path for path in data_home.rglob("*") if path.is_file()] == [other]


def test_the_exec_line_starts_this_installation(data_home: Path, tmp_path: Path) -> None:
    line = read_entry(entry.install()[0])["Exec"]
    command = [*parse_exec_line(line), "--version"]
    assert command[0] == sys.executable
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"stowage {__version__}"), done.stderr


@pytest.mark.parametrize("folder", ["plain", "with space", "100%", "50%20off", ODD_FOLDER])
def test_any_path_survives_the_way_through_the_file(data_home: Path, tmp_path: Path, folder: str) -> None:
    script = starter_script(tmp_path / folder)
    command = [str(script), str(tmp_path / folder / "stowage start.py"), "$HOME", "%f", "ünïcode", ""]

    path = tmp_path / "stowage.desktop"
    path.write_text(entry.entry_text(command), encoding="utf-8")

    subprocess.run(["desktop-file-validate", path], check=True)
    parsed = parse_exec_line(read_entry(path)["Exec"])
    assert parsed[-len(command) :] == command
    done = subprocess.run(parsed, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == command[1:]


def test_glib_understands_an_odd_path(data_home: Path, tmp_path: Path) -> None:
    """`gio launch` is what GNOME's menu does with an entry."""
    script = starter_script(tmp_path / ODD_FOLDER)
    said = tmp_path / "said"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{said}.part"\nmv "{said}.part" "{said}"\n')
    path = tmp_path / "stowage.desktop"
    path.write_text(entry.entry_text([str(script), "a b", "100%", "$x"]), encoding="utf-8")
    subprocess.run(["gio", "launch", path], check=True, timeout=30)
    subprocess.run(["timeout", "20", "sh", "-c", 'until [ -e "$0" ]; do sleep 0.02; done', said], check=True)
    assert said.read_text() == "a b\n100%\n$x\n"


@pytest.mark.parametrize("bad", ["a\nb", "a\x07b"])
def test_a_path_that_no_entry_can_hold_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="control"):
        exec_line(["/bin/true", bad])
    with pytest.raises(AppError) as refused:
        entry.entry_text(["/bin/true", bad])
    assert refused.value.code == "desktop.invalid"


def test_a_program_that_cannot_start_is_refused() -> None:
    with pytest.raises(AppError) as refused:
        entry.entry_text(["/nowhere/python"])
    assert refused.value.code == "desktop.invalid"


@pytest.mark.parametrize("line", ['"open', "a %f", "a %"])
def test_a_malformed_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"quote|field code"):
        parse_exec_line(line)


def test_a_place_that_takes_no_files_is_reported_and_left_as_it_was(data_home: Path) -> None:
    data_home.mkdir()
    (data_home / "applications").write_text("a file where a folder belongs")
    with pytest.raises(AppError) as refused:
        entry.install()
    assert refused.value.code == "desktop.not_writable"
    assert str(refused.value.facts["path"]).startswith(str(data_home))
    assert os.listdir(data_home) == ["applications"]
