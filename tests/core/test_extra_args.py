"""Words that a person adds to the command line: refused before vLLM would refuse or misread them."""

from __future__ import annotations

import pytest

from core.engine.extra_args import check_extra
from core.errors import AppError
from tests.support.builds import capabilities

NEW = capabilities("0.33.0")


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("--max-logprobs 5", ("--max-logprobs", "5")),
        ("--max_logprobs=5", ("--max-logprobs", "5")),
        ("-tp 2", ("--tensor-parallel-size", "2")),
        ("--no-enable-chunked-prefill", ("--no-enable-chunked-prefill",)),
        ("--data-parallel-rank -1", ("--data-parallel-rank", "-1")),
        ("--cpu-offload-params experts mlp", ("--cpu-offload-params", "experts", "mlp")),
        ("--engram-config.cpu_offload false", ("--engram-config.cpu_offload", "false")),
        ('--engram-config {"cpu_offload":true}', ("--engram-config", '{"cpu_offload":true}')),
        ("-O3", ("--optimization-level", "3")),
        ("--offload-backend uva", ("--offload-backend", "uva")),
    ],
)
def test_taken_in_full(words: str, taken: tuple[str, ...]) -> None:
    (argument,) = check_extra(words.split(), NEW)
    assert argument.words == taken
    assert NEW.option(argument.flag.partition(".")[0]) is not None


@pytest.mark.parametrize(
    ("words", "code", "facts"),
    [
        ("--max-num-sequences 5", "option.unknown", {"close": "--max-num-seqs"}),
        ("--swap-space 4", "option.unlike", {"flag": "--swap-space"}),
        ("--nothing-like-this-here", "option.unlike", {"flag": "--nothing-like-this-here"}),
        ("--kv-cache-memory 1", "option.abbreviated", {"full": "--kv-cache-memory-bytes"}),
        ("--cpu-offload 5", "option.ambiguous", {"known": "--cpu-offload-gb, --cpu-offload-params"}),
        ("--enable-prefix-caching true", "option.switch_value", {"negative": "--no-enable-prefix-caching"}),
        ("--enforce-eager False", "option.switch_value", {"value": "False"}),
        ("--enforce-eager now", "option.not_a_flag", {"word": "now"}),
        ("--seed 1 --seed 2", "option.twice", {"flag": "--seed"}),
        ("--max-model-len 9", "option.twice", {"flag": "--max-model-len"}),
        ("--no-enforce-eager", "option.twice", {"flag": "--no-enforce-eager"}),
        ("--port 80", "option.ours", {"flag": "--port"}),
        ("--model x", "option.ours", {"flag": "--model"}),
        ("--api-key sk-1", "option.secret", {"flag": "--api-key"}),
        ("--config=x.yaml", "option.config_file", {}),
        ("--config x.yaml", "option.config_file", {}),
        ("--seed", "option.no_value", {"flag": "--seed"}),
        ("--seed 1 2", "option.many_values", {"value": "2"}),
        ("--offload-backend disk", "option.bad_choice", {"known": "auto, uva, prefetch"}),
        ("--engram-config.host_file_gather true", "option.unknown_field", {"field": "host_file_gather"}),
        ('--engram-config {"disk_offload_dir":"/x"}', "option.unknown_field", {"field": "disk_offload_dir"}),
        ("--engram-config {cpu_offload:true}", "option.bad_json", {"flag": "--engram-config"}),
        ("--seed.x 1", "option.unknown", {"flag": "--seed.x"}),
        ("word --seed 1", "option.not_a_flag", {"word": "word"}),
    ],
)
def test_refused_with_the_reason(words: str, code: str, facts: dict[str, object]) -> None:
    with pytest.raises(AppError) as caught:
        check_extra(words.split(), NEW, ours=("--max-model-len", "--enforce-eager"))
    assert caught.value.code == code
    assert {name: caught.value.facts[name] for name in facts} == facts


def test_what_is_right_for_one_build_is_wrong_for_another() -> None:
    assert check_extra(["--swap-space", "4"], capabilities("0.16.0"))
    with pytest.raises(AppError, match=r"option\.unknown"):
        check_extra(["--offload-backend", "uva"], capabilities("0.16.0"))


@pytest.mark.parametrize(
    "words",
    ["--max-num-seqs many", "--max-num-seqs 4k", "--gpu-memory-utilization 90%", "--cpu-offload-gb 40GB",
     "--gpu-memory-utilization nan", "--max-model-len 32,768"],
)  # fmt: skip
def test_what_is_no_number_is_refused(words: str) -> None:
    with pytest.raises(AppError) as caught:
        check_extra(words.split(), NEW)
    assert caught.value.code == "option.bad_number"


@pytest.mark.parametrize(
    "words",
    ["--max-model-len 32k", "--max-model-len 32K", "--max-model-len auto", "--max-model-len -1", "--seed -1",
     "--gpu-memory-utilization .9", "--kv-cache-memory-bytes None", "--kv-cache-memory-bytes 4G",
     "--cpu-offload-gb 1e1", "--limit-mm-per-prompt.image 2"],
)  # fmt: skip
def test_numbers_that_vllm_reads_are_taken(words: str) -> None:
    (argument,) = check_extra(words.split(), NEW)
    assert argument.words == tuple(words.split())
