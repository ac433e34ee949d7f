"""No secret passes the redactor, whatever surrounds it."""

from __future__ import annotations

import io
import logging

from hypothesis import given
from hypothesis import strategies as st

from core.redact import MASK, RedactingFilter, Redactor

KEY = "sk-9f8e7d6c5b4a"


@given(st.text(), st.text())
def test_a_known_secret_never_survives(before: str, after: str) -> None:
    assert KEY not in Redactor([KEY])(before + KEY + after)


def test_things_shaped_like_secrets_are_hidden_unregistered() -> None:
    redact = Redactor()
    assert redact("token hf_abcdefghijklmnopqrst used") == f"token {MASK} used"
    assert redact("Authorization: Bearer abcdefgh12345678") == f"Authorization: Bearer {MASK}"
    assert redact("{'api_key': 'verysecret'}") == f"{{'api_key': '{MASK}'}}"


def test_ordinary_text_is_left_alone() -> None:
    line = "(EngineCore pid=12) INFO CPU KV cache size: 1,048,576 tokens"
    assert Redactor([KEY])(line) == line


def test_a_longer_secret_that_contains_a_shorter_one_is_hidden_whole() -> None:
    assert Redactor(["secret", "secret-and-more"])("x secret-and-more y") == f"x {MASK} y"


def test_log_records_lose_secrets_in_message_arguments_and_traceback() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter(Redactor([KEY])))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        raise ValueError(f"refused {KEY}")
    except ValueError:
        logger.exception("with key %s", KEY)
    assert KEY not in stream.getvalue()
    assert stream.getvalue().count(MASK) == 2
