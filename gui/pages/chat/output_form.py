"""What the answer must look like: free, or held to a schema, an expression, a grammar; checked while it is typed."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from core.chat.params import OutputFormat, OutputKind, Params
from gui.theme import FIELD_HEIGHT, STEP, fixed_font
from gui.widgets.calm_inputs import CalmComboBox
from gui.widgets.cards import column
from gui.widgets.texts import quiet, set_property

KINDS: tuple[OutputKind | None, ...] = (None, "json", "json_schema", "regex", "grammar", "choice")


def trouble_with(kind: OutputKind | None, text: str) -> tuple[str, dict[str, object]]:
    """A word id for what is wrong with the text and its facts; "" when nothing is."""
    if kind is None or kind == "json":
        return "", {}
    if not text.strip():
        return "empty", {}
    if kind == "json_schema":
        return _schema_trouble(text)
    if kind == "regex":
        try:
            re.compile(text)
        except re.error as error:
            return "regex", {"place": (error.pos or 0) + 1}
    if kind == "grammar" and not re.search(r"^\s*root\s*::=", text, re.MULTILINE):
        return "grammar", {}
    return "", {}


def _schema_trouble(text: str) -> tuple[str, dict[str, object]]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return "json", {"line": error.lineno, "column": error.colno}
    return ("", {}) if isinstance(found, dict) else ("object", {})


class OutputForm(QWidget):
    """`edited` after each change. A text with a mistake is shown as one and not used."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._kind = CalmComboBox(shrinks=True)
        self._text = QPlainTextEdit()
        self._verdict = quiet()
        self._quiet = False
        names = {
            None: self.tr("Free text"),
            "json": self.tr("JSON"),
            "json_schema": self.tr("JSON that fits a schema"),
            "regex": self.tr("Regular expression"),
            "grammar": self.tr("Grammar (EBNF)"),
            "choice": self.tr("One of these lines"),
        }
        self._kind.setObjectName("outputKind")
        self._kind.setFixedHeight(FIELD_HEIGHT)
        self._kind.setAccessibleName(self.tr("Form of the answer"))
        for kind in KINDS:
            self._kind.addItem(names[kind], kind)
        self._text.setObjectName("outputText")
        self._text.setAccessibleName(self.tr("Schema, expression or grammar"))
        self._text.setTabChangesFocus(True)
        self._text.setFont(fixed_font())
        self._text.setFixedHeight(15 * STEP)
        self._verdict.setObjectName("outputVerdict")
        layout = column(self, spacing=STEP // 2)
        layout.addWidget(self._kind)
        layout.addWidget(self._text)
        layout.addWidget(self._verdict)
        self._kind.currentIndexChanged.connect(self._changed)
        self._text.textChanged.connect(self._changed)
        self._arrange()

    @property
    def kind(self) -> OutputKind | None:
        return self._kind.currentData()

    def show_params(self, params: Params) -> None:
        output = params.output
        if output is None and self.kind is not None and trouble_with(self.kind, self._text.toPlainText())[0]:
            return  # being typed: not in force yet
        self._quiet = True
        self._kind.setCurrentIndex(KINDS.index(output.kind if output is not None else None))
        if output is not None and output.text != self._text.toPlainText():
            self._text.setPlainText(output.text)
        self._quiet = False
        self._arrange()

    def apply_to(self, params: Params) -> Params:
        kind, text = self.kind, self._text.toPlainText()
        if kind is None or trouble_with(kind, text)[0]:
            return replace(params, output=None)
        return replace(params, output=OutputFormat(kind, "" if kind == "json" else text))

    def _changed(self) -> None:
        self._arrange()
        if not self._quiet:
            self.edited.emit()

    def _arrange(self) -> None:
        kind = self.kind
        self._text.setVisible(kind not in (None, "json"))
        self._text.setPlaceholderText(self._example(kind))
        trouble, facts = trouble_with(kind, self._text.toPlainText())
        words = {
            "": self.tr("✓ In force for the next answer.") if kind is not None else "",
            "empty": self.tr("Nothing is in force yet."),
            "json": self.tr("✗ No JSON: see line {line}, column {column}. Not in force."),
            "object": self.tr("✗ A schema is an object: {…}. Not in force."),
            "regex": self.tr("✗ The expression breaks at character {place}. Not in force."),
            "grammar": self.tr("✗ A grammar needs a rule called root: root ::= … Not in force."),
        }[trouble]
        for name, value in facts.items():
            words = words.replace(f"{{{name}}}", str(value))
        self._verdict.setText(words)
        self._verdict.setVisible(bool(words))
        set_property(self._verdict, "tone", "bad" if trouble not in ("", "empty") else "quiet")

    def _example(self, kind: OutputKind | None) -> str:
        return {
            "json_schema": '{"type": "object", "properties": {"city": {"type": "string"}}}',
            "regex": r"\d{4}-\d{2}-\d{2}",
            "grammar": 'root ::= "yes" | "no"',
            "choice": self.tr("yes\nno"),
        }.get(kind or "", "")
