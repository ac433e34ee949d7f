"""The reader on a small package that declares options in every way that vLLM does, and on ones that are no vLLM."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from core.engine.capabilities.model import Capabilities, Option
from core.engine.capabilities.read import read_capabilities, version_numbers
from core.engine.capabilities.store import CapabilityStore, find_package
from core.errors import AppError
from core.events import EngineInfo, EngineState
from core.paths import Paths
from tests.support.small_vllm import ARG_UTILS, CONFIG, package


@pytest.fixture
def found(tmp_path: Path) -> Capabilities:
    return read_capabilities(package(tmp_path), "0.25.0+cu129", "cuda")


def option(found: Capabilities, flag: str) -> Option:
    read = found.option(flag)
    assert read is not None
    return read


def test_options_of_every_kind(found: Capabilities) -> None:
    assert [each.flag for each in found.options] == [
        "--allowed-origins", "--backend", "--count", "--dtype", "--eager", "--gone", "--key", "--limits", "--model",
        "--names", "--port", "--quantization", "--tables", "--verbose",
    ]  # fmt: skip
    kinds = {each.flag: each.kind for each in found.options}
    assert kinds["--eager"] == kinds["--gone"] == "switch"
    assert kinds["--verbose"] == "flag"
    assert kinds["--names"] == kinds["--key"] == "list"
    assert kinds["--tables"] == kinds["--allowed-origins"] == kinds["--limits"] == "json"
    assert option(found, "--no-eager").flag == "--eager"
    assert option(found, "-q").choices == ("awq", "fp8")
    assert option(found, "--dtype").choices == ("auto", "half")
    assert option(found, "--backend").choices == ("a", "b")
    assert option(found, "--tables").fields == ("cpu", "extra")
    assert option(found, "--model").group == "Model things"


def test_defaults_help_and_place(found: Capabilities) -> None:
    defaults = {each.flag: each.default for each in found.options}
    assert defaults["--model"] == "org/name"
    assert defaults["--eager"] == defaults["--verbose"] == "False"
    assert defaults["--names"] == "[]"
    assert defaults["--allowed-origins"] == "['*']"
    assert defaults["--tables"] == defaults["--gone"] == "None"
    assert option(found, "--dtype").help == "How wide.\n\nTwo paragraphs."
    assert option(found, "--count").help == "How many."
    place = option(found, "--dtype").place
    assert place.file == "config/model.py"
    assert CONFIG.splitlines()[place.line - 1].strip().startswith("dtype:")
    assert option(found, "--gone").deprecated


def test_registries(found: Capabilities) -> None:
    assert {each.name: each.kind for each in found.architectures} == {
        "OneForCausalLM": "text_generation", "TwoForCausalLM": "text_generation", "SeeForCausalLM": "multimodal",
    }  # fmt: skip
    assert found.removed_architectures == {"OldForCausalLM": "0.9.2"}
    assert [(q.name, q.min_capability, q.deprecated) for q in found.quantizations] == [
        ("one", 75, False), ("two", 75, True), ("odd", None, False),
    ]  # fmt: skip
    assert found.reasoning_parsers == ("think",)
    assert found.environment == ("VLLM_A", "VLLM_PLE_MMAP")
    assert [control.id for control in found.ple] == ["env.VLLM_PLE_MMAP"]
    assert [feature.id for feature in found.features] == ["v2_runner"]
    assert {noop.id for noop in found.noops} == {"says_so"}


def test_no_vllm_and_half_a_vllm(tmp_path: Path) -> None:
    with pytest.raises(AppError, match=r"engine\.unreadable"):
        read_capabilities(tmp_path / "nothing", "0.33.0", "cuda")
    half = package(tmp_path)
    (half / "config" / "model.py").write_text("def broken(:\n", encoding="utf-8")
    left = read_capabilities(half, "0.33.0", "cuda")
    assert "--port" in {each.flag for each in left.options}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("0.32.0+cpu", (0, 32, 0)), ("0.28.1rc1.dev130+g123", (0, 28, 1)), ("0.10.1.1", (0, 10, 1)), ("main", ())],
)
def test_versions(text: str, numbers: tuple[int, ...]) -> None:
    assert version_numbers(text) == numbers


def engine(python: Path) -> EngineInfo:
    return EngineInfo("e", EngineState.READY, "0.25.0", "cuda", str(python), "3.11", ours=False)


def test_read_anew_when_the_engine_changes(tmp_path: Path, home: Paths) -> None:
    home.ensure()
    site = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    vllm = package(site)
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)

    async def flags(store: CapabilityStore) -> set[str]:
        return {each.flag for each in (await store.of(engine(python))).options}

    store = CapabilityStore(home)
    assert "--newer" not in asyncio.run(flags(store))
    (kept,) = (home.cache / "capabilities").glob("*.json")
    kept.write_text("not JSON", encoding="utf-8")
    assert "--eager" in asyncio.run(flags(CapabilityStore(home)))  # a broken file is read past
    text = ARG_UTILS.replace('"--eager"', '"--newer"')
    (vllm / "engine" / "arg_utils.py").write_text(text, encoding="utf-8")
    os.utime(vllm / "engine" / "arg_utils.py", ns=(1, 1))
    assert "--newer" in asyncio.run(flags(store))


def test_who_asks_at_the_same_time_gets_one_answer(tmp_path: Path, home: Paths) -> None:
    """Reading in several threads at once is more than wasted work: `ast.parse` may raise there (CPython 3.11)."""
    home.ensure()
    package(tmp_path / "venv" / "lib" / "python3.11" / "site-packages")
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)

    async def ask() -> list[Capabilities]:
        store = CapabilityStore(home)
        return await asyncio.gather(*(store.of(engine(python)) for _ in range(4)))

    first, *others = asyncio.run(ask())
    assert all(other is first for other in others)


def test_a_package_that_only_its_python_knows(tmp_path: Path) -> None:
    package(tmp_path / "checkout")
    wrapper = tmp_path / "elsewhere" / "bin" / "python"
    wrapper.parent.mkdir(parents=True)
    path = tmp_path / "checkout"
    code = f"import sys; sys.path.insert(0, {str(path)!r}); exec(sys.argv[-1])"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} -I -c "{code}" "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    assert asyncio.run(find_package(engine(wrapper))) == path / "vllm"


def test_a_python_without_vllm(tmp_path: Path) -> None:
    wrapper = tmp_path / "bin" / "python"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    with pytest.raises(AppError, match=r"engine\.no_vllm"):
        asyncio.run(find_package(engine(wrapper)))
