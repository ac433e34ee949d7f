"""Sizes, contexts, versions and cards as people write them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AppError
from core.planner.gpu_table import cards
from core.planner.options import GIB, MIB
from core.planner.written import (
    AUTO,
    close_names,
    read_capability,
    read_card,
    read_context,
    read_kv_dtype,
    read_size,
    read_version,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("12", 12 * GIB),
        ("12.5", 12.5 * GIB),
        ("12,5", 12.5 * GIB),
        ("12GiB", 12 * GIB),
        (" 12 gib ", 12 * GIB),
        ("12G", 12 * GIB),
        ("500MiB", 500 * MIB),
        ("12GB", 12e9),
        ("500 MB", 500e6),
        ("12 ГиБ", 12 * GIB),
        ("0", 0),
    ],
)
def test_sizes(text: str, size: float) -> None:
    assert read_size("--vram", text) == size


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-1", "1e9", "12 apples", "12.5.1", "9" * 30, "99999999", "½"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(AppError) as caught:
        read_size("--vram", text)
    assert caught.value.code == "plan.bad_size"
    assert caught.value.facts == {"option": "--vram", "value": text}


def test_a_size_below_the_least_is_refused() -> None:
    with pytest.raises(AppError):
        read_size("--vram", "0.1", least=GIB)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("32768", 32768),
        ("32k", 32000),
        ("32K", 32768),
        ("25.6k", 25600),
        ("1m", 1_000_000),
        ("1M", 1 << 20),
        ("auto", AUTO),
        ("-1", AUTO),
    ],
)
def test_contexts_as_vllm_reads_them(text: str, tokens: int | str) -> None:
    assert read_context(text) == tokens


@pytest.mark.parametrize("text", ["", "0", "-5", "32x", "25.6K", "k", "1.5", "9" * 25, "5g5"])
def test_what_is_no_context(text: str) -> None:
    with pytest.raises(AppError) as caught:
        read_context(text)
    assert caught.value.code == "plan.bad_context"


@pytest.mark.parametrize(
    ("text", "version"),
    [("0.33.0", (0, 33, 0)), ("v0.33", (0, 33, 0)), ("0.33.1.dev3+g12ab", (0, 33, 1)), ("0.32.0rc1", (0, 32, 0))],
)
def test_versions(text: str, version: tuple[int, int, int]) -> None:
    assert read_version(text) == version


@pytest.mark.parametrize(
    ("read", "text", "code"),
    [
        (read_version, "newest", "plan.bad_version"),
        (read_version, "33", "plan.bad_version"),
        (read_capability, "99", "plan.bad_capability"),
        (read_capability, "8.x", "plan.bad_capability"),
        (read_capability, "8.6.1", "plan.bad_capability"),
        (read_kv_dtype, "fp3", "plan.bad_kv_dtype"),
        (read_card, "banana", "plan.gpu_unknown"),
    ],
)
def test_what_is_none(read: Callable[[str], object], text: str, code: str) -> None:
    with pytest.raises(AppError) as caught:
        read(text)
    assert caught.value.code == code


def test_capabilities_and_kv_dtypes() -> None:
    assert read_capability("8.6") == (8, 6)
    assert read_capability("12") == (12, 0)
    assert read_kv_dtype("fp8") == "fp8"


@pytest.mark.parametrize(
    ("text", "first"), [("RTX 3061", "RTX 3060"), ("4090 super", "RTX 4080 SUPER"), ("geforce rtx 5091", "RTX 5090")]
)
def test_names_close_to_a_slip(text: str, first: str) -> None:
    found = close_names(text)
    assert first in found[0]
    assert len(found) == len(set(found)) <= 4
    assert set(found) <= {card.name for card in cards()}
    with pytest.raises(AppError) as caught:
        read_card(text)
    assert first in str(caught.value.facts["close"])


READERS: tuple[Callable[[str], object], ...] = (
    lambda text: read_size("--ram", text),
    read_context,
    read_version,
    read_capability,
    read_kv_dtype,
    read_card,
)


@given(st.text(max_size=40))
def test_any_text_is_read_or_a_typed_error(text: str) -> None:
    for read in READERS:
        with contextlib.suppress(AppError):
            read(text)
