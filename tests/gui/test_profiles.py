"""Remembered choices on the Launch page: as last time, presets, files of them, and flags that were pasted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QSpinBox

from core.engine.build import guessed
from core.engine.options import LaunchOptions as MoreOptions
from core.engine.options import Traits
from gui.dialogs.paste_flags import PasteFlags
from gui.dialogs.save_profile import SaveProfile
from gui.pages.launch.options import LaunchOptions
from gui.pages.launch.profile_presenter import ProfilePresenter
from gui.widgets.banner import Banner
from gui.widgets.one_line import OneLine
from tests.gui.conftest import Window, Windows
from tests.support.fake_engine import FakeEngine, make_checkpoint
from tests.support.small_vllm import package


class Page:
    """The Launch page with an engine and a model that were added."""

    def __init__(self, window: Window, engine: FakeEngine, model: Path) -> None:
        self.window, self.model = window, model
        window.add_engine(engine)
        window.add_model(model)
        window.go("launch")
        self.choose(model)

    def choose(self, model: Path) -> None:
        models = self.window.find(QComboBox, "modelBox")
        self.window.until(lambda: models.findData(str(model)) >= 0)
        place = models.findData(str(model))
        models.setCurrentIndex(place)
        # As a hand does it: the choice is remembered, and a list that comes late does not undo it.
        models.activated.emit(place)
        assert self.window.app.services is not None
        settings = self.window.app.services.settings
        self.window.until(lambda: settings.current.last_model == str(model))

    def set(self, name: str, value: int) -> None:
        self.window.find(QSpinBox, name).setValue(value)

    def value(self, name: str) -> int:
        return self.window.find(QSpinBox, name).value()

    @property
    def says(self) -> str:
        return self.window.find(OneLine, "profileSays").full_text

    def action(self, name: str) -> QAction:
        """Of the menu; by its text for a preset."""
        found = self.window.main.findChildren(QAction)
        return next(each for each in found if name in (each.objectName(), each.text()))

    @property
    def presets(self) -> list[str]:
        found = self.window.main.findChildren(QAction)
        return [each.text() for each in found if each.objectName().startswith("profile-")]

    def save(self, name: str, *, general: bool = False) -> None:
        self.action("saveProfile").trigger()
        self.window.find(QLineEdit, "profileName").setText(name)
        self.window.find(QCheckBox, "profileGeneral").setChecked(general)
        self.window.press("saveProfileButton")
        shown = f"{name} (every model)" if general else name
        self.window.until(lambda: shown in self.presets and not self.window.main.findChildren(SaveProfile))

    def launch_and_stop(self) -> None:
        self.window.press("launchButton")
        self.window.until(lambda: self.window.sees("stopServerButton"))
        self.window.press("stopServerButton")
        self.window.until(lambda: self.window.sees("launchButton"))


@pytest.fixture
def page(window: Window, engine: FakeEngine, model: Path) -> Page:
    return Page(window, engine, model)


def test_a_model_comes_back_as_it_was_launched_last(
    windows: Windows, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    other = make_checkpoint(tmp_path / "models" / "Other-1B")
    page = Page(windows.start(), engine, model)
    page.window.add_model(other)
    page.window.go("launch")
    page.choose(model)
    assert page.says == ""
    assert not page.window.sees("lastTimeButton")
    page.set("contextBox", 1024)
    page.set("requestsBox", 3)
    page.window.find(QLineEdit, "servedNameBox").setText("bob")
    page.launch_and_stop()
    page.window.until(lambda: page.says.startswith("As last time, "))
    page.choose(other)
    assert page.window.find(QLineEdit, "servedNameBox").text() == ""
    page.window.until(lambda: page.says == "")
    page.set("contextBox", 512)
    page.choose(model)
    page.window.until(lambda: page.says.startswith("As last time, "))
    assert (page.value("contextBox"), page.value("requestsBox")) == (1024, 3)
    assert page.window.find(QLineEdit, "servedNameBox").text() == "bob"
    windows.end(page.window)
    again = windows.start()
    again.until(lambda: again.find(OneLine, "profileSays").full_text.startswith("As last time, "))
    assert again.find(QLineEdit, "servedNameBox").text() == "bob"


def test_a_change_is_seen_and_can_be_taken_back(page: Page) -> None:
    page.set("contextBox", 1024)
    page.launch_and_stop()
    page.window.until(lambda: page.says.startswith("As last time, "))
    assert not page.window.sees("lastTimeButton")
    page.set("contextBox", 2048)
    assert page.says == "Changed since last time."
    page.window.press("lastTimeButton")
    assert page.value("contextBox") == 1024
    assert page.says.startswith("As last time, ")


def test_reset_goes_to_what_is_suggested(page: Page) -> None:
    page.set("contextBox", 512)
    page.set("requestsBox", 7)
    page.window.find(QLineEdit, "extraBox").setText("--nonsense")
    page.window.press("resetButton")
    page.window.until(lambda: page.says == "As suggested.")
    assert page.value("contextBox") == 2048  # the model's own, which is less than the usual
    assert page.value("requestsBox") == 0
    assert page.window.find(QLineEdit, "extraBox").text() == ""


def test_presets_are_saved_taken_and_removed(page: Page) -> None:
    page.set("contextBox", 1024)
    page.save("short")
    assert page.says == "Profile “short”."
    page.set("contextBox", 2048)
    page.save("for all", general=True)
    assert page.presets == ["short", "for all (every model)"]
    page.action("short").trigger()
    page.window.until(lambda: page.value("contextBox") == 1024)
    assert page.says == "Profile “short”."
    page.action("removeProfile").trigger()
    page.window.until(lambda: page.presets == ["for all (every model)"])
    assert page.value("contextBox") == 1024


def test_presets_travel_in_a_file(page: Page, tmp_path: Path) -> None:
    presenter = page.window.main.findChildren(ProfilePresenter)[0]
    page.set("contextBox", 1024)
    page.save("short")
    file = tmp_path / "out.json"
    presenter.export_to(str(file))
    page.window.until(file.exists)
    raw = json.loads(file.read_text(encoding="utf-8"))
    assert [each["name"] for each in raw["profiles"]] == ["short"]
    raw["profiles"][0] |= {"name": "other", "choices": {"context": 512, "max_num_seqs": "many"}}
    file.write_text(json.dumps(raw), encoding="utf-8")
    presenter.import_from(str(file))
    page.window.until(lambda: page.presets == ["short", "other"])
    notes = page.window.find(QLabel, "profileNotes").text()
    assert notes.startswith("Imported: other.\nThe value of max_num_seqs does not fit")
    page.action("other").trigger()
    page.window.until(lambda: page.value("contextBox") == 512)
    file.write_text("{", encoding="utf-8")
    presenter.import_from(str(file))
    page.window.until(lambda: any(each.isVisible() for each in page.window.main.findChildren(Banner)))


def test_an_answer_that_comes_late_overwrites_nothing(page: Page, tmp_path: Path) -> None:
    page.set("contextBox", 1024)
    page.launch_and_stop()
    page.window.until(lambda: page.says.startswith("As last time, "))
    other = make_checkpoint(tmp_path / "models" / "Other-1B")
    page.window.add_model(other)
    page.window.go("launch")
    page.choose(other)
    page.choose(page.model)
    page.set("contextBox", 2048)  # before the ledger answered
    page.window.until(lambda: page.window.sees("lastTimeButton"))
    assert page.value("contextBox") == 2048
    assert page.says == "Changed since last time."


def test_what_a_build_cannot_do_is_no_change_of_a_person(page: Page, tmp_path: Path) -> None:
    """The build is told after the model: what it takes off the form, or gives back, nobody touched."""
    page.set("contextBox", 1024)
    page.launch_and_stop()
    page.window.until(lambda: page.says.startswith("As last time, "))
    other = make_checkpoint(tmp_path / "models" / "Other-1B")
    page.window.add_model(other)
    page.window.go("launch")
    page.choose(other)
    page.window.until(lambda: page.says == "")
    page.set("contextBox", 512)
    options = page.window.main.findChildren(LaunchOptions)[0]
    card = guessed("0.32.0", "cuda")

    def stay(_before: object) -> None:
        if options.choice().choices.more.cpu_threads:
            options.show_build(card, Traits())

    options.more.take(MoreOptions(cpu_threads="0-1"))
    models = page.window.find(QComboBox, "modelBox")
    models.setCurrentIndex(models.findData(str(page.model)))
    assert options.choice().choices.more.cpu_threads == "0-1"
    # Before the ledger answered, and whatever the true engine says meanwhile.
    options.show_build(card, Traits())
    assert options.choice().choices.more.cpu_threads == ""
    options.refitted.connect(stay)
    page.window.until(lambda: page.says.startswith("As last time, "))
    options.refitted.disconnect(stay)
    assert page.value("contextBox") == 1024
    options.show_build(guessed("0.32.0", "cpu"), Traits())
    assert options.choice().choices.more.cpu_threads == "", "as last time, also where it could not be had"
    options.more.take(MoreOptions(cpu_threads="0-1"))
    assert page.says == "Changed since last time."
    page.save("bound")
    options.show_build(card, Traits())
    assert options.choice().choices.more.cpu_threads == ""
    assert page.says == "Profile “bound”."


def test_what_belonged_to_one_model_is_never_told_of_another(page: Page, tmp_path: Path) -> None:
    other = make_checkpoint(tmp_path / "models" / "Other-1B")
    page.window.add_model(other)
    page.window.go("launch")
    options = page.window.main.findChildren(LaunchOptions)[0]
    options.offload.set_value(2)
    page.window.find(QLineEdit, "servedNameBox").setText("bob")
    told: list[tuple[str, float, str]] = []

    def hear() -> None:
        choice = options.choice()
        told.append((choice.model_id, choice.choices.offload_gib, choice.choices.more.served_name))

    options.changed.connect(hear)
    models = page.window.find(QComboBox, "modelBox")
    models.setCurrentIndex(models.findData(str(other)))
    assert set(told) == {(str(other), 0.0, "")}


def test_pasted_flags_are_explained_and_taken(window: Window, tmp_path: Path, model: Path) -> None:
    engine = FakeEngine(tmp_path / "env")
    page = Page(window, engine, model)
    package(next(engine.folder.glob("lib/python3*/site-packages")))
    page.set("requestsBox", 3)
    window.press("pasteFlagsButton")
    dialog = window.find(PasteFlags, "pasteDialog")
    apply = window.find(QPushButton, "applyPasteButton")
    assert not apply.isEnabled()

    def lines() -> dict[str, str]:
        flags = [each for each in dialog.findChildren(QLabel) if each.objectName().startswith("pastedFlag-")]
        texts = {each.objectName(): each.text() for each in dialog.findChildren(QLabel)}
        shown = [each for each in flags if not each.isHidden()]
        return {each.text(): texts[each.objectName().replace("Flag", "Text")] for each in shown}

    text = window.find(QPlainTextEdit, "pasteText")
    text.setPlainText("vllm serve org/m --dtype half --swap-space 4 --names a b --dtpe half")
    window.until(lambda: len(lines()) == 4)
    assert list(lines()) == ["--dtype half", "--swap-space", "--names a b", "--dtpe"]
    assert lines()["--dtype half"] == "Becomes the choice “Compute in”."
    assert "Taken as a prompt cache in RAM of 4.0 GiB" in lines()["--swap-space"]
    assert "--dtype" in lines()["--dtpe"]
    assert "org/m" in window.find(QLabel, "pasteNote").text()
    text.setPlainText('vllm serve "open')
    window.until(lambda: not lines() and not apply.isEnabled())
    text.setPlainText("--dtype half --names a b")
    window.until(apply.isEnabled)
    apply.click()
    window.until(lambda: not any(each.isVisible() for each in window.main.findChildren(QDialog)))
    assert window.find(QComboBox, "dtypeBox").currentData() == "half"
    assert window.find(QLineEdit, "extraBox").text() == "--names a b"
    assert page.value("requestsBox") == 3
    assert "--dtype half --names a b" in window.find(QPlainTextEdit, "commandLine").toPlainText()
