"""Hands for launches of the real engine in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit

from core.planning.choices import Choices
from gui.pages.launch.page import LaunchPage
from gui.widgets.banner import Banner
from tests.gui.conftest import Window

START_MS = 120_000


def launch(window: Window, choices: Choices) -> None:
    window.find(LaunchPage, "").options.take(choices)
    window.press("launchButton")


def until_ready(window: Window) -> None:
    window.until(lambda: window.sees("stopServerButton"), START_MS)


def until_fix(window: Window, kind: str) -> Banner:
    window.until(lambda: window.sees(f"fix-{kind}"), START_MS)
    return window.find(Banner, "errorBanner")


def ask(window: Window, text: str) -> None:
    """In the chat, key by key."""
    box = window.find(QPlainTextEdit, "chatInput")
    window.until(box.isEnabled)
    window.bot.keyClicks(box, text)
    window.bot.keyClick(box, Qt.Key.Key_Return)
