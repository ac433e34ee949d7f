"""Whole pastes of articles: scripts, services of containers, programs; and numbers as people write them."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.engine.found.translate import Found, translate
from core.engine.options import Lora, Speculative
from core.errors import AppError
from tests.support.builds import CPU, capabilities

NEW = capabilities("0.33.0")
COMPOSE = """
services:
  cache:
    image: redis
    command: redis-server --save 60 1
  llm:
    image: vllm/vllm-openai:latest
    volumes:
      - ./vllm:/cache
    environment:
      - CUDA_VISIBLE_DEVICES=0
      - HF_TOKEN=hf_secret
    command: >
      --model org/name
      --max-num-seqs 4
      --seed 3
    healthcheck:
      test: ["CMD", "curl", "-f", "http://localhost:8000/health"]
"""
KUBERNETES = """
      containers:
      - name: vllm
        image: vllm/vllm-openai:v0.6.6
        args:
        - "--model"
        - "org/name"
        - "--max-num-seqs"
        - "4"            # at once
        - "--seed"
        - "3"
        env:
        - name: CUDA_VISIBLE_DEVICES
          value: "0"
        livenessProbe:
          exec:
            command: ["curl", "--fail", "localhost:8000"]
"""
POD = """
command: ["/bin/sh", "-c"]
args: ["vllm serve org/name --trust-remote-code --max-num-seqs 4 --seed 3"]
"""
SCRIPT = """
#!/bin/bash
export MODEL=org/name
SEQS=4
while true; do
    echo "starting"
    CUDA_VISIBLE_DEVICES=0 vllm serve $MODEL \\
        --max-num-seqs "${SEQS}" \\
        --seed ${SEED:-3}
    code=$?
    sleep 5
done
"""
ARRAY = """
ARGS=(
  --max-num-seqs 4   # requests (at once)
  --seed 3
)
exec vllm serve org/name "${ARGS[@]}"
"""
PROGRAM = 'cmd = ["vllm", "serve", "org/name", "--max-num-seqs", "4", "--seed", str(SEED), "--port", PORT]'
MARKED = "```bash\n(venv) me@box:~/models$ vllm serve org/name --max-num-seqs 4 --seed 3\n```"
INLINE = "`vllm serve org/name --max-num-seqs=4 --seed=3`"
WRAPPED = "vllm serve org/name --max-num-seqs\n          4 --seed\n   3"
WITH_SUDO = (
    "sudo docker run --gpus all -v vllm-data:/data -p 80:8000 vllm/vllm-openai org/name --max-num-seqs 4 --seed 3"
)
AFTER_PIP = "pip install -U vllm && vllm serve org/name --max-num-seqs 4 --seed 3"
UNIT = """
[Service]
User=me
Environment="CUDA_VISIBLE_DEVICES=0"
ExecStart=/opt/venv/bin/vllm serve org/name --max-num-seqs 4 --seed 3
Restart=always
"""
CALL = 'llm = LLM(model="org/name", max_num_seqs=4, seed=3, enforce_eager=True)'


def said(found: Found) -> tuple[str, int | None, int | None]:
    return found.model, found.tuning.max_num_seqs, found.options.seed


@pytest.mark.parametrize(
    "text", [COMPOSE, KUBERNETES, POD, SCRIPT, ARRAY, MARKED, INLINE, WRAPPED, WITH_SUDO, AFTER_PIP, UNIT, CALL]
)
def test_a_paste_of_any_kind(text: str) -> None:
    found = translate(text, NEW)
    assert said(found) == ("org/name", 4, 3)
    assert {remark.id for remark in found.remarks} <= {"secret"}
    assert set(found.options.extra) <= {"--trust-remote-code"}
    assert set(found.options.env) <= {("CUDA_VISIBLE_DEVICES", "0")}


def test_a_place_for_a_value_is_named_and_not_taken() -> None:
    found = translate("vllm serve $MODEL --max-model-len ${LEN} --seed <seed> --dtype half", NEW)
    assert (found.model, found.context, found.options.seed, found.options.dtype) == ("", None, None, "half")
    assert [(r.flag, r.id, r.facts["value"]) for r in found.remarks] == [
        ("--max-model-len", "open_place", "${LEN}"), ("--seed", "open_place", "<seed>"),
    ]  # fmt: skip
    listed = translate(PROGRAM, NEW)
    assert said(listed) == ("org/name", 4, None)
    assert [(r.flag, r.id) for r in listed.remarks] == [("--seed", "open_place"), ("--port", "ours")]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("--gpu-memory-utilization 90%", "0.9"),
        ("--gpu-memory-utilization 0,9", "0.9"),
        ("--max-model-len 32,768", "32768"),
        ("--cpu-offload-gb 40GB", "37.25"),
        ("--cpu-offload-gb 8GiB", "8"),
        ("--kv-offloading-size 512MiB", "0.5"),
        ("--kv-cache-memory-bytes 4GiB", str(4 << 30)),
    ],
)
def test_a_number_as_people_write_it(text: str, written: str) -> None:
    found = translate(f"vllm serve m {text}", NEW)
    (remark,) = found.remarks
    assert (remark.id, remark.facts["written"]) == ("bare_number", written)
    assert found.options.extra == ()
    values = (found.tuning.gpu_memory_utilization, found.context, found.tuning.cpu_offload_gib or None,
              found.options.prompt_cache.ram_gib or None, found.options.kv_cache_bytes)  # fmt: skip
    assert [value for value in values if value is not None] == [float(written)]


@pytest.mark.parametrize(
    "text",
    [
        "--max-num-seqs 4k", "--max-num-seqs 0", "--max-num-seqs many", "--gpu-memory-utilization 90",
        "--gpu-memory-utilization -1", "--cpu-offload-gb -5", "--cpu-offload-gb nan", "--tensor-parallel-size 0",
        "--block-size sixteen", "--max-logprobs 5.5",
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_and_not_handed_on(text: str) -> None:
    found = translate(f"vllm serve m {text}", NEW)
    (remark,) = found.remarks
    assert remark.error is not None
    assert (remark.id, remark.error.code) == ("refused", "option.bad_number")
    assert (found.options.extra, found.taken) == ((), ())


def test_adapters_drafts_and_limits_become_the_choices_of_their_own() -> None:
    found = translate(
        'vllm serve m --enable-lora --lora-modules a=/x/a \'{"name": "b", "path": "/x/b"}\' --max-loras 2 '
        '--speculative-config \'{"method": "ngram", "num_speculative_tokens": 5, "prompt_lookup_max": 4}\' '
        "--limit-mm-per-prompt image=2,video=1",
        NEW,
    )
    assert found.options.loras == (Lora("a", "/x/a"), Lora("b", "/x/b"))
    assert found.options.speculative == Speculative("ngram", 5, lookup=4)
    assert found.options.multimodal == (("image", 2), ("video", 1))
    assert found.options.extra == ("--max-loras", "2")
    assert [taken.own for taken in found.taken] == [True, True, False, True, True]


@pytest.mark.parametrize(
    "text",
    [
        '--speculative-config \'{"method": "eagle3", "num_speculative_tokens": 3, "draft_tensor_parallel_size": 1}\'',
        '--limit-mm-per-prompt \'{"image": {"count": 1, "width": 512}}\'',
        '--lora-modules \'{"name": "a", "path": "/x", "base_model_name": "m"}\'',
        "--limit-mm-per-prompt.image 2",
        "--seed 18446744073709551615",
        "--seed -1",
    ],
)
def test_what_the_choice_cannot_say_stays_as_it_is(text: str) -> None:
    found = translate(f"vllm serve m {text}", NEW)
    assert (found.remarks, len(found.options.extra), found.said) == ((), 2, frozenset())


def test_further_served_names_are_told() -> None:
    (remark,) = translate("vllm serve m --served-model-name a b c", NEW).remarks
    assert (remark.id, remark.facts["value"], remark.facts["rest"]) == ("first_name", "a", "b, c")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab-=:$'\"`\\\n ({[]})#,.%0123~é\t&|<>"), max_size=80))
@example("a: 2026-99-99")
@example("? [a]\n: b")
@example("x=(\n--a\n")
@example("[" * 2000)
@example("a: " + "[" * 2000 + "]" * 2000)
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for prefix in ("", "vllm serve m "):
        with contextlib.suppress(AppError):
            translate(prefix + text, capabilities(CPU))
