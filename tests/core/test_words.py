"""Every failure has words in both languages, and only facts it has."""

from __future__ import annotations

import string

import pytest

from core import words
from core.codes import AREAS, CODES
from core.errors import AppError
from core.events import ErrorInfo

PARTS = {"title", "sentence", "next"}


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_code_stands_in_one_area() -> None:
    assert sum(map(len, AREAS)) == len(CODES)


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_a_code_has_a_title_a_sentence_and_a_next_step(language: str, code: str) -> None:
    texts = words.catalogue(language).get(code)
    assert texts is not None, f"{code} has no words in {language}"
    assert set(texts) == PARTS
    for part in PARTS:
        assert texts[part].strip()
        assert _fields(texts[part]) <= CODES[code]


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_no_words_without_a_code(language: str) -> None:
    assert set(words.catalogue(language)) <= set(CODES)


def test_both_languages_have_the_same_terms_with_the_same_places() -> None:
    english, russian = words.terms("en"), words.terms("ru")
    assert {group: set(names) for group, names in english.items()} == {g: set(n) for g, n in russian.items()}
    for group, names in english.items():
        for name, text in names.items():
            assert _fields(text) == _fields(russian[group][name]), f"{group}.{name}"


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_words_can_always_be_made_even_without_facts(language: str, code: str) -> None:
    told = words.explain(AppError(code), language)
    assert "None" not in told.as_text()
    assert "{" not in told.as_text()


def test_bytes_are_shown_in_the_language_of_the_reader() -> None:
    error = AppError("install.disk_full", path="/x", needed_bytes=int(3.4 * 1024**3), free_bytes=50 * 1024**2)
    assert "3.4 GiB" in words.explain(error, "en").as_text()
    assert "3,4 ГиБ" in words.explain(error, "ru").as_text()
    assert "50 MiB" in words.explain(error, "en").as_text()
    assert [words.show_fact("context", 40960, language) for language in ("en", "ru")] == ["40,960", "40\u00a0960"]
    assert words.show_fact("port", 40960, "en") == "40960"


@pytest.mark.parametrize(
    ("reason", "russian"),
    [
        ("its Python is gone", "его Python больше нет"),
        ("it needs glibc 2.28; this is 2.17", "ему нужна glibc 2.28, а здесь 2.17"),
        ("12.4 < 0.8 × 29.1 tok/s", "12,4 ток/с — меньше чем 0,8 от прежних 29,1"),
        ("what only vLLM says {x}", "what only vLLM says {x}"),
    ],
)
def test_our_own_reasons_speak_the_readers_language(reason: str, russian: str) -> None:
    error = AppError("engine.canary_failed", engine="new", old="old", step="canary_speed", reason=reason)
    assert f"«Испытание: сравнение скорости»: {russian}. " in words.explain(error, "ru").sentence
    assert f'"Trial: comparing the speed": {reason}. ' in words.explain(error, "en").sentence


def test_last_words_are_in_the_details_not_in_the_sentence() -> None:
    info = ErrorInfo.of(AppError("server.start_failed", "rc 1", exit_code=1, reason="boom"), ("line one", "line two"))
    told = words.explain(info, "en")
    assert "line two" in told.details
    assert "line two" not in told.as_text()


@pytest.mark.parametrize(
    ("setting", "lang", "expected"),
    [
        ("ru", "en_US.UTF-8", "ru"),
        ("system", "ru_RU.UTF-8", "ru"),
        ("system", "de_DE.UTF-8", "en"),
        ("system", "", "en"),
    ],
)
def test_the_language_follows_the_setting_then_the_system(
    monkeypatch: pytest.MonkeyPatch, setting: str, lang: str, expected: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", lang)
    assert words.resolve_language(setting) == expected


def test_an_error_takes_only_the_facts_of_its_code() -> None:
    with pytest.raises(ValueError, match="no facts"):
        AppError("engine.none", path="/x")
    with pytest.raises(ValueError, match="unknown error code"):
        AppError("engine.nonsense")
