"""The cards that ask for a path: of an engine, of a model."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from gui.pages.engines.adder import AddEngine
from gui.pages.models.add_folder import AddFolder
from gui.widgets.path_card import PathCard


@pytest.mark.parametrize(("card", "kind"), [(AddEngine, "engine"), (AddFolder, "folder")])
def test_a_path_is_given_as_it_was_meant(qapp: QApplication, card: type[PathCard], kind: str) -> None:
    made = card()  # type: ignore[call-arg]
    given: list[str] = []
    made.given.connect(given.append)
    field = made.findChild(QLineEdit, f"{kind}Path")
    add = made.findChild(QPushButton, f"add{kind.capitalize()}Button")
    other = made.findChild(QPushButton, f"browse{kind.capitalize()}Button")
    assert field is not None
    assert add is not None
    assert other is not None
    assert field.accessibleName()
    assert add.accessibleName() != add.text()
    assert other.accessibleName() == other.text() != ""
    assert not add.isEnabled()
    for typed in ("/x/my engine", ' "/x/my engine" ', "file:///x/my engine"):
        field.setText(typed)
        assert add.isEnabled()
        add.click()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert given == ["/x/my engine"] * 4
    made.show_busy(True)
    assert (add.isEnabled(), field.isEnabled()) == (False, False)
    made.show_busy(False)
    assert add.isEnabled()
    field.setText("  ")
    assert not add.isEnabled()
