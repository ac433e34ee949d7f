"""Lines to paste: what a shell, Python and a JavaScript reader make of them is what was meant."""

from __future__ import annotations

import ast
import json
import shlex

from core.engine.endpoint import Endpoint
from core.engine.sharing import own_address
from core.engine.snippets import snippets

TRICKY = Endpoint("http://127.0.0.1:8000", 'Ann\'s "model" $HOME', "k'e\"y$1")


def texts(*, show_key: bool) -> dict[str, str]:
    return {snippet.language: snippet.text for snippet in snippets(TRICKY, show_key=show_key)}


def test_the_key_stands_in_them_only_on_demand() -> None:
    assert all(TRICKY.api_key not in text and "STOWAGE_API_KEY" in text for text in texts(show_key=False).values())
    shown = texts(show_key=True)
    assert all("STOWAGE_API_KEY" not in text for text in shown.values())


def test_a_shell_reads_the_curl_line_as_it_was_meant() -> None:
    words = shlex.split(texts(show_key=True)["curl"].replace("\\\n", " "))
    assert words[:2] == ["curl", "http://127.0.0.1:8000/v1/chat/completions"]
    assert f"Authorization: Bearer {TRICKY.api_key}" in words
    assert json.loads(words[-1])["model"] == TRICKY.model
    hidden = shlex.split(texts(show_key=False)["curl"].replace("\\\n", " "))
    assert "Authorization: Bearer $STOWAGE_API_KEY" in hidden


def test_python_reads_it_and_names_the_model() -> None:
    constants = {
        node.value for node in ast.walk(ast.parse(texts(show_key=True)["Python"])) if isinstance(node, ast.Constant)
    }
    assert {TRICKY.model, TRICKY.api_key, "http://127.0.0.1:8000/v1"} <= constants
    compile(texts(show_key=False)["Python"], "snippet", "exec")


def test_javascript_strings_are_quoted() -> None:
    text = texts(show_key=True)["JavaScript"]
    assert json.dumps(TRICKY.model) in text
    assert json.dumps(TRICKY.api_key) in text


def test_this_computer_s_address_is_never_loopback() -> None:
    address = own_address()
    assert address is None or not address.startswith("127.")
