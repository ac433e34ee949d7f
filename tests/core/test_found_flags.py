"""Commands and files as articles show them: each flag explained, and translated where there is something real."""

from __future__ import annotations

from typing import Any

import pytest

from core import words
from core.engine.found.fields import count, size_gib
from core.engine.found.myths import FLAGS, VARIABLES
from core.engine.found.translate import translate
from core.engine.options import PromptCache, Tuning
from core.errors import AppError
from core.planning.choices import Choices
from core.planning.found_choices import explained, with_found
from tests.support.builds import CPU, capabilities

NEW = capabilities("0.33.0")


@pytest.mark.parametrize(
    ("text", "remarks", "value"),
    [
        ("--cpu-offload 10", {"--cpu-offload": "invented_offload"}, Tuning(cpu_offload_gib=10)),
        ("--cpu-offload-size 40GB", {"--cpu-offload-size": "invented_offload"}, Tuning(cpu_offload_gib=37.25)),
        ("--cpu-offload-size 40GiB", {"--cpu-offload-size": "invented_offload"}, Tuning(cpu_offload_gib=40)),
        ("--swap-space 16", {"--swap-space": "swap_space"}, PromptCache(ram_gib=16)),
        ("--num-gpu-blocks 2048", {"--num-gpu-blocks": "gpu_blocks"}, Tuning()),
        ("--n-gpu-layers 35", {"--n-gpu-layers": "llama_layers"}, Tuning()),
        ("-ngl 35", {"-ngl": "llama_layers"}, Tuning()),
        ("--device cpu", {"--device": "device"}, Tuning()),
        ("--max-batch-size 8", {"--max-batch-size": "other_requests"}, Tuning(max_num_seqs=8)),
        ("--gpu-mem-util 0.8", {"--gpu-mem-util": "other_share"}, Tuning(gpu_memory_utilization=0.8)),
        ("--cpu-offload-gb 8", {}, Tuning(cpu_offload_gib=8)),
        ("--kv-offloading-size 8 --kv-offloading-backend native", {}, PromptCache(ram_gib=8)),
        ("--disk-offload /tmp/x", {"--disk-offload": "no_disk_weights"}, Tuning()),
        ("--num-scheduler-steps 8", {"--num-scheduler-steps": "v0_only"}, Tuning()),
        ("--enable-reasoning", {"--enable-reasoning": "enable_reasoning"}, Tuning()),
        ("--disable-log-requests", {"--disable-log-requests": "log_requests_off"}, Tuning()),
        ("--max-num-sequences 5", {"--max-num-sequences": "refused"}, Tuning()),
        ("--api-key sk-123", {"--api-key": "secret"}, Tuning()),
        ("--host 0.0.0.0 --port 80", {"--host": "ours", "--port": "ours"}, Tuning()),
    ],
)
def test_flags_of_articles(text: str, remarks: dict[str, str], value: object) -> None:
    found = translate(f"vllm serve Qwen/Qwen3-8B {text}", NEW)
    assert found.model == "Qwen/Qwen3-8B"
    assert {remark.flag: remark.id for remark in found.remarks} == remarks
    assert (found.options.prompt_cache if isinstance(value, PromptCache) else found.tuning) == value
    assert found.options.extra == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [("--ple-offload", "ram"), ("--ple-mmap", "disk"), ("", "auto")],
)
def test_tables(text: str, place: str) -> None:
    assert translate(f"vllm serve m {text}", NEW).options.ple == place


@pytest.mark.parametrize(
    ("line", "place", "remark"),
    [
        ("VLLM_PLE_MMAP=1 vllm serve m", "disk", "invented_tables"),
        ("VLLM_PLE_CPU_OFFLOAD=1 vllm serve m", "ram", "invented_tables"),
        ("export VLLM_PLE_DISK_OFFLOAD_DIR=/x && vllm serve m", "disk", "invented_tables"),
        ("VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve m", "auto", "attention_variable"),
        ("VLLM_LOGING_LEVEL=DEBUG vllm serve m", "auto", "unknown_variable"),
        ("HF_TOKEN=hf_abc vllm serve m", "auto", "secret"),
    ],
)
def test_variables_of_articles(line: str, place: str, remark: str) -> None:
    found = translate(line, NEW)
    assert (found.model, found.options.ple, [each.id for each in found.remarks]) == ("m", place, [remark])
    assert found.options.env == ()


def test_a_variable_that_the_build_reads_is_kept() -> None:
    assert translate("VLLM_CACHE_ROOT=/big vllm serve m", NEW).options.env == (("VLLM_CACHE_ROOT", "/big"),)
    old = translate("VLLM_PLE_CPU_OFFLOAD=0 vllm serve m", capabilities("0.30.0"))
    assert old.options.env == (("VLLM_PLE_CPU_OFFLOAD", "0"),)


def test_what_vllm_would_misread_is_mended() -> None:
    found = translate(
        "vllm serve m --cpu-offload-params experts,mlp --enable-prefix-caching false --kv-cache-memory 4G", NEW
    )
    assert found.options.offload.params == ("experts", "mlp")
    assert found.options.prefix_caching is False
    assert found.options.kv_cache_bytes == 4 << 30
    ids = {remark.flag: remark.id for remark in found.remarks if remark.id != "ignored"}
    assert ids == {
        "--cpu-offload-params": "commas", "--enable-prefix-caching": "switch_value", "--kv-cache-memory": "abbreviated",
    }  # fmt: skip


def test_an_ignored_flag_is_told() -> None:
    (remark,) = translate("vllm serve m --cpu-offload-gb 4", capabilities(CPU)).remarks
    assert (remark.id, remark.facts["why"]) == ("ignored", "offload_cpu_build")


def test_a_long_command_as_it_is_pasted() -> None:
    found = translate(
        """
        # on one RTX 4090
        $ CUDA_VISIBLE_DEVICES=0 vllm serve "Qwen/Qwen3-30B-A3B-FP8" \\
            --max-model-len 32k --max_num_seqs=4 \\
            -tp 2 --kv-cache-dtype fp8 --trust-remote-code \\
            --reasoning-parser qwen3 --enforce-eager > log.txt
        """,
        NEW,
    )
    assert (found.model, found.context, found.enforce_eager) == ("Qwen/Qwen3-30B-A3B-FP8", 32000, True)
    assert found.tuning == Tuning(max_num_seqs=4, kv_cache_dtype="fp8")
    assert (found.options.tensor_parallel, found.options.reasoning_parser) == (2, "qwen3")
    assert found.options.extra == ("--trust-remote-code",)
    assert found.options.env == (("CUDA_VISIBLE_DEVICES", "0"),)
    assert found.remarks == ()


@pytest.mark.parametrize(
    "line",
    [
        "docker run --gpus all -v cache:/cache -p 8000:8000 -e HF_HUB_OFFLINE=1 --ipc=host "
        "vllm/vllm-openai:latest --model org/name --seed 3",
        "python -m vllm.entrypoints.openai.api_server --model org/name --seed 3",
        "python3 -m vllm.entrypoints.openai.api_server --seed 3 --model=org/name && curl localhost",
        "vllm serve org/name --seed=3",
        "model: org/name\nseed: 3\n",
        "model: org/name\nseed: 3\nport: 8000\n".replace("port: 8000\n", ""),
    ],
)
def test_every_way_to_write_it(line: str) -> None:
    found = translate(line, NEW)
    assert (found.model, found.options.seed, found.remarks) == ("org/name", 3, ())


def test_a_yaml_file() -> None:
    found = translate(
        "model: org/name\nenable_prefix_caching: false\nmax-model-len: 8192\ncpu-offload-params: [experts]\n"
        "compilation-config:\n  mode: 3\nswap-space: 4\nlanguage-model-only: true\n",
        NEW,
    )
    assert (found.model, found.context, found.options.prefix_caching) == ("org/name", 8192, False)
    assert found.options.offload.params == ("experts",)
    assert found.options.text_only
    assert found.options.extra == ("--compilation-config", '{"mode": 3}')
    assert found.options.prompt_cache.ram_gib == 4


@pytest.mark.parametrize("text", ['vllm serve m --seed "1', "a: [1", "- a\n- b: c\n"])
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(AppError, match=r"option\.(unreadable_text|not_a_flag)"):
        translate(text, NEW)


@pytest.mark.parametrize("language", ["en", "ru"])
def test_everything_that_can_be_said_has_words(language: str) -> None:
    ids = {myth.id for myth in (*FLAGS.values(), *VARIABLES.values())}
    assert ids <= words.terms(language)["found_flag"].keys()
    assert words.terms("en")["found_flag"].keys() == words.terms("ru")["found_flag"].keys()
    for text in (
        "--cpu-offload-size 40GB",
        "--swap-space 4",
        "--kv-cache-memory 1",
        "--nothing 1",
        "--enforce-eager true",
    ):
        (remark,) = translate(f"vllm serve m {text}", NEW).remarks
        said = explained(remark, language)
        assert "{" not in said
        assert len(said) > 10


def test_a_flag_that_no_build_has_is_not_called_real() -> None:
    """The table is about flags that are gone or never were: none of them is accepted by the newest build."""
    assert [flag for flag in FLAGS if NEW.option(flag)] == []


@pytest.mark.parametrize(
    ("text", "size", "tokens"),
    [("40GB", 37.25, None), ("40", 40.0, 40), ("512MiB", 0.5, None), ("32k", None, 32000), ("32K", None, 32768),
     ("4G", 4.0, 4 << 30), ("x", None, None), ("1.5", 1.5, 1)],
)  # fmt: skip
def test_sizes_and_counts(text: str, size: Any, tokens: Any) -> None:
    assert (size_gib(text), count(text)) == (size, tokens)


def test_an_article_changes_only_what_it_speaks_of() -> None:
    mine = Choices(context=2048, max_num_seqs=3, offload_gib=1.0, leave_free_gib=2.0, cpu_kv_cache_gib=5)
    found = translate("vllm serve m --max-model-len 8192 --no-enforce-eager --cpu-offload-gb 6 --seed 4", NEW)
    got = with_found(mine, found)
    assert (got.context, got.enforce_eager, got.offload_gib, got.more.seed) == (8192, False, 6.0, 4)
    assert (got.max_num_seqs, got.leave_free_gib, got.cpu_kv_cache_gib) == (3, 2.0, 5)


def test_sizes_in_the_decimal_mark_of_the_language() -> None:
    (remark,) = translate("vllm serve m --swap-space 4.5", NEW).remarks
    assert "4,5 ГиБ" in explained(remark, "ru")
    assert "4.5 GiB" in explained(remark, "en")
    (finer,) = translate("vllm serve m --cpu-offload-size 40GB", NEW).remarks
    assert "37,25 ГиБ" in explained(finer, "ru")
