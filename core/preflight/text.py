"""The words of a remedy's button."""

from __future__ import annotations

from core import words
from core.preflight.finding import Remedy


def button_text(remedy: Remedy, language: str) -> str:
    """Levers are called as in the plan ("A context of 4096 tokens")."""
    group = "plan" if remedy.id.startswith("lever_") else "remedy"
    return words.term(group, remedy.id, language).format(value=remedy.value)
