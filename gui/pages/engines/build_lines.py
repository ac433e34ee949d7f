"""What a build can do, and what changed between two, as lines of one table."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.engine.capabilities.difference import Change, Difference
from core.engine.capabilities.model import Capabilities, Row
from core.words import term


@dataclass(frozen=True, slots=True)
class Line:
    """`kind` is what lines are filtered by, as a word id; `kind_text` its word. `details` is shown when chosen."""

    kind: str
    kind_text: str
    name: str
    value: str = ""
    text: str = ""
    place: str = ""
    details: str = ""

    def holds(self, words: tuple[str, ...]) -> bool:
        """Whether every word (lower case) is in it somewhere."""
        whole = f"{self.name} {self.value} {self.text} {self.kind_text}".lower()
        return all(word in whole for word in words)


def build_lines(found: Capabilities, language: str) -> tuple[Line, ...]:
    return tuple(_of_row(row, found, language) for row in found.rows())


def change_lines(found: Difference, language: str) -> tuple[Line, ...]:
    """The options first, then names that came and went."""
    options = [_of_change(change, language) for change in found.options]
    names = [
        Line(what, term("capability_change", what, language), name, term("capability", kind, language))
        for kind, what, group in (
            ("architecture", "added", found.architectures_added),
            ("architecture", "removed", found.architectures_removed),
            ("quantization", "added", found.quantizations_added),
            ("quantization", "removed", found.quantizations_removed),
        )
        for name in group
    ]
    return (*options, *names)


def _of_row(row: Row, found: Capabilities, language: str) -> Line:
    kind = term("capability", row.kind, language)
    if row.kind == "noop":
        about = term("noop", row.name, language)
        return Line(row.kind, kind, row.text, "", about, row.place, about)
    return Line(row.kind, kind, row.name, row.value, _first(row.text), row.place, _details(row, found))


def _of_change(change: Change, language: str) -> Line:
    value = " → ".join(part for part in (change.before, change.after) if part)
    if change.what in ("ignored", "works"):
        value = term("noop", change.after or change.before, language)
    return Line(change.what, term("capability_change", change.what, language), change.flag, value)


def _details(row: Row, found: Capabilities) -> str:
    """Everything the source says about it."""
    option = found.option(row.name) if row.kind == "option" else None
    if option is None:
        return row.text
    facts = [
        QCoreApplication.translate("BuildLines", "Type: {type}").format(type=option.type or option.kind),
        QCoreApplication.translate("BuildLines", "Default: {value}").format(value=option.default or "–"),
    ]
    if option.choices:
        facts.append(
            QCoreApplication.translate("BuildLines", "Values: {values}").format(values=", ".join(option.choices))
        )
    if option.fields:
        facts.append(QCoreApplication.translate("BuildLines", "Keys: {keys}").format(keys=", ".join(option.fields)))
    if option.aliases or option.negative:
        names = (*option.aliases, *((option.negative,) if option.negative else ()))
        facts.append(QCoreApplication.translate("BuildLines", "Also: {names}").format(names=", ".join(names)))
    noop = found.ignored(option.flag)
    if noop is not None:
        facts.append(QCoreApplication.translate("BuildLines", "In this build it has no effect, or not all of it."))
    return "\n".join((" · ".join(facts), flowing(option.help))).strip()


def flowing(text: str) -> str:
    """The source's line breaks are for its editor: only paragraphs and lists keep theirs."""
    return re.sub(r"(?<!\n)\n(?!\s*(?:[-*•]|\n))", " ", text)


def _first(text: str) -> str:
    """The first sentence, on one line."""
    flat = " ".join(text.split())
    return flat.split(". ")[0].rstrip(".")
