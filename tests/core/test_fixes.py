"""What helps against each failure, made to a request and looked at there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.codes import CODES
from core.engine.change import Change, apply, without
from core.engine.command import LaunchRequest, Tuning, shown_command
from core.engine.diagnosis import PREFIX
from core.engine.fixes import GIB, Fix, fixes_for
from core.engine.options import LaunchOptions, PromptCache, Speculative, Traits
from core.engine.relaunch import AUTOMATIC, Attempts
from core.errors import AppError, Fact
from core.events import EngineInfo, EngineState
from core.words import LANGUAGES, term, terms

ACTIONS = {"refetch", "download", "sign_in", "repair_engine", "other_engine", "other_model"}


def engine(platform: str) -> EngineInfo:
    return EngineInfo("x", EngineState.READY, "0.32.0", platform, "/p", "3.11", ours=True)


CPU = LaunchRequest("m", "/m", engine("cpu"), 40_960, enforce_eager=False)
GPU = LaunchRequest("m", "/m", engine("cuda"), 40_960, enforce_eager=False, tuning=Tuning(gpu_memory_utilization=0.92))


LLAMA = replace(CPU, traits=Traits(family="Llama 3"))
CACHED = replace(CPU, model_id="org/Model", source="org/Model")


def fixed(code: str, request: LaunchRequest, **facts: Fact) -> list[tuple[Fix, LaunchRequest]]:
    return [(fix, apply(fix.change, request)) for fix in fixes_for(PREFIX + code, facts, request)]


def test_the_length_that_vllm_suggests_comes_first_then_more_room() -> None:
    facts: dict[str, Fact] = {"context": 40_960, "needed_bytes": round(4.38 * GIB), "largest": 37_376}
    (context, shorter), (room, wider) = fixed("kv_too_small", replace(CPU, cpu_kv_cache_gib=4), **facts)
    assert (context.kind, shorter.max_model_len) == ("context", 37_376)
    assert (room.kind, wider.cpu_kv_cache_gib) == ("kv_room", 5)
    assert term("fix", context.kind, "en").format(**context.facts) == "Use a context of 37376 tokens"
    kinds = [fix.kind for fix, _ in fixed("kv_too_small", GPU, **facts)]
    assert kinds == ["context", "kv_dtype"]


def test_a_number_of_blocks_given_by_hand_is_in_the_way() -> None:
    request = replace(CPU, extra_args=("--num-gpu-blocks-override", "10", "--dtype", "half"))
    found = {fix.kind: after for fix, after in fixed("kv_too_small", request, largest=1152)}
    assert found["drop_flag"].extra_args == ("--dtype", "half")


def test_the_share_of_the_card_becomes_what_is_free() -> None:
    ((fix, after),) = fixed("gpu_busy", GPU, free_bytes=round(20.0 * GIB), total_bytes=round(24.0 * GIB))
    assert fix.automatic
    assert after.tuning.gpu_memory_utilization == pytest.approx(0.816)
    assert "--gpu-memory-utilization 0.816" in shown_command(after)


@pytest.mark.parametrize(
    ("code", "request_", "kind", "shown"),
    [
        ("gpu_memory_graphs", GPU, "utilization", "--gpu-memory-utilization 0.900"),
        ("no_kv_room", GPU, "utilization", "--gpu-memory-utilization 0.950"),
        ("gpu_memory", GPU, "fewer_requests", "--max-num-seqs 128"),
        ("compile_failed", GPU, "eager", "--enforce-eager"),
        ("no_compiler", CPU, "eager", "--enforce-eager"),
        ("no_headers", CPU, "eager", "--enforce-eager"),
        ("uva_missing", GPU, "v1_runner", "VLLM_USE_V2_MODEL_RUNNER=0"),
        ("no_nvcc", GPU, "sampler", "VLLM_USE_FLASHINFER_SAMPLER=0"),
        ("engine_timeout", CPU, "patience", "VLLM_ENGINE_READY_TIMEOUT_S=3600"),
        ("bf16_gpu", GPU, "dtype", "--dtype half"),
        ("remote_code", GPU, "trust", "--trust-remote-code"),
        ("no_chat_template", CPU, "plain_template", "--chat-template"),
        ("no_chat_template", LLAMA, "chat_template", "start_header_id"),
        ("nccl", GPU, "no_p2p", "--disable-custom-all-reduce"),
    ],
)
def test_the_first_fix_changes_the_command(code: str, request_: LaunchRequest, kind: str, shown: str) -> None:
    fix, after = fixed(code, request_)[0]
    assert fix.kind == kind
    assert shown in shown_command(after)
    assert shown not in shown_command(request_)


@pytest.mark.parametrize(
    ("code", "args", "left"),
    [
        ("kv_offload_unsupported", ("--kv-offloading-size", "1", "--kv-offloading-backend", "native", "--x"), ("--x",)),
        ("shm_small", ("--x", "1", "--kv-transfer-config", '{"a":1}'), ("--x", "1")),
        ("offload_hybrid", ("--cpu-offload-gb", "4"), ()),
        ("ple_not_this_model", ("--engram-config.cpu_offload", "true", "--x"), ("--x",)),
        ("batch_too_small", ("--max-num-batched-tokens", "2048"), ()),
        ("parallel_heads", ("--tensor-parallel-size=4",), ()),
        ("quantization_mismatch", ("--quantization", "gptq"), ()),
        ("swap_too_large", ("--swap-space", "16"), ()),
    ],
)
def test_an_option_is_taken_back(code: str, args: tuple[str, ...], left: tuple[str, ...]) -> None:
    assert fixed(code, replace(GPU, extra_args=args))[0][1].extra_args == left


@pytest.mark.parametrize(
    ("code", "options", "shown"),
    [
        ("shm_small", LaunchOptions(prompt_cache=PromptCache(ram_gib=8.0)), "--kv-offloading-size"),
        ("kv_disk_path", LaunchOptions(prompt_cache=PromptCache(disk_path="/d", keep=True)), "--kv-transfer-config"),
        ("quantization_mismatch", LaunchOptions(quantization="gptq"), "--quantization"),
        ("parallel_heads", LaunchOptions(tensor_parallel=4), "--tensor-parallel-size"),
        ("unknown_flag", LaunchOptions(text_only=True), "--language-model-only"),
        ("bad_value", LaunchOptions(seed=-1), "--seed"),
        ("fp16_model", LaunchOptions(dtype="float16"), "--dtype float16"),
    ],
)
def test_an_option_with_a_field_of_its_own_is_taken_back_too(code: str, options: LaunchOptions, shown: str) -> None:
    request = replace(GPU, engine=replace(GPU.engine, version="0.33.0"), options=options)
    assert shown in shown_command(request)
    _fix, after = fixed(code, request, flag="--language-model-only", option="--seed")[0]
    assert shown not in shown_command(after)


def test_tables_stay_on_the_card_where_they_cannot_be_read_from_ram() -> None:
    request = replace(GPU, engine=replace(GPU.engine, version="0.33.0"), traits=Traits(tables="ngram"))
    fixes = {fix.kind: after for fix, after in fixed("ple_no_uva", request)}
    assert '{"cpu_offload": false}' in shown_command(fixes["ple_device"])
    ((_fix, without_tables),) = fixed("ple_not_this_model", request)
    assert "--engram-config" not in shown_command(without_tables)


def test_an_exact_kv_cache_that_is_too_small_gets_what_is_needed() -> None:
    request = replace(GPU, options=LaunchOptions(kv_cache_bytes=GIB))
    found = fixed("kv_too_small", request, largest=1152, needed_bytes=round(4.38 * GIB))
    assert [fix.kind for fix, _ in found] == ["context", "kv_bytes"]
    assert found[1][1].options.kv_cache_bytes == round(4.38 * GIB)


def test_an_unknown_flag_goes_with_its_value() -> None:
    request = replace(CPU, extra_args=("--swap-space", "4", "--dtype", "half"))
    ((fix, after),) = fixed("unknown_flag", request, flag="--swap-space")
    assert (fix.facts["flag"], after.extra_args) == ("--swap-space", ("--dtype", "half"))
    assert fixed("unknown_flag", CPU, flag="--of-the-app-itself") == []  # nothing to take back
    assert fixed("bad_value", replace(CPU, extra_args=("--x", "y")), option="--x/-x")[0][1].extra_args == ()


def test_half_the_kv_cache_after_ram_ran_out() -> None:
    ((fix, after),) = fixed("out_of_ram", replace(CPU, cpu_kv_cache_gib=6))
    assert (fix.kind, after.cpu_kv_cache_gib, fix.automatic) == ("kv_room", 3, False)
    assert fixed("out_of_ram", replace(CPU, cpu_kv_cache_gib=1)) == []
    found = fixed("out_of_ram", replace(GPU, tuning=Tuning(cpu_offload_gib=8.0)))
    assert found[0][1].tuning.cpu_offload_gib == 4.0


def test_an_engine_that_somebody_killed_may_simply_be_launched_again() -> None:
    assert [fix.kind for fix, _ in fixed("engine_killed", CPU)] == ["retry"]
    offloads = replace(CPU, cpu_kv_cache_gib=4, tuning=Tuning(cpu_offload_gib=0.1))
    # Half of an offload that the CPU build is not told of would change nothing.
    assert [fix.kind for fix, _ in fixed("engine_killed", offloads)] == ["kv_room", "retry"]


def test_as_many_cards_as_there_are() -> None:
    request = replace(GPU, extra_args=("--tensor-parallel-size", "4"))
    typed = replace(GPU, options=LaunchOptions(tensor_parallel=4))
    for before in (request, typed):
        two = fixed("too_few_gpus", before, wanted=4, found=2)[0][1]
        assert (two.extra_args, two.options.tensor_parallel) == ((), 2)
        assert shown_command(two).count("--tensor-parallel-size") == 1
        one = fixed("too_few_gpus", before, wanted=4, found=1)[0][1]
        assert "--tensor-parallel-size" not in shown_command(one)


def test_whole_gib() -> None:
    request = replace(CPU, tuning=Tuning(env=(("VLLM_CPU_KVCACHE_SPACE", "0.01"),)))
    assert "VLLM_CPU_KVCACHE_SPACE=1" in shown_command(fixed("whole_gib", request, value="0.01")[0][1])


def test_a_fix_without_effect_is_not_offered() -> None:
    assert fixed("compile_failed", replace(GPU, enforce_eager=True)) == []
    assert fixed("kv_offload_unsupported", GPU) == []


def test_a_flag_may_be_dropped_in_any_spelling() -> None:
    args = ("--a", "1", "2", "--b=3", "--c.d", "x", "--e")
    assert without(args, ("--a",)) == ("--b=3", "--c.d", "x", "--e")
    assert without(args, ("--b", "--c")) == ("--a", "1", "2", "--e")
    assert apply(Change(add=("--e",)), replace(GPU, extra_args=args)).extra_args == args  # it is there already


def test_a_port_of_ones_own_is_given_up_only_by_choice() -> None:
    (fix,) = fixes_for("server.port_taken", {"port": 8000}, replace(CPU, port=8000))
    assert not fix.automatic
    assert apply(fix.change, replace(CPU, port=8000)).port is None


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith((PREFIX, "server."))])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fix_has_words_and_is_a_change_or_an_action(code: str, language: str) -> None:
    request = replace(
        GPU,
        port=1,
        enforce_eager=False,
        extra_args=("--swap-space", "4", "--tensor-parallel-size", "4", "--kv-offloading-size", "8"),
        tuning=Tuning(4, 2048, "fp8", 4.0, 0.9),
    )
    facts: dict[str, Fact] = {"flag": "--swap-space", "option": "--swap-space", "limit": 8, "largest": 8, "found": 2}
    for fix in fixes_for(code, facts, request):
        words = terms(language)["fix"][fix.kind].format(**fix.facts)
        assert "{" not in words
        assert fix.action in ACTIONS or fix.action == ""
        assert fix.action or fix.kind == "retry" or apply(fix.change, request) != request


# ---- trying again --------------------------------------------------------------------------------------------------


def error(code: str, **facts: Fact) -> AppError:
    return AppError(code if "." in code else PREFIX + code, "", **facts)


def test_never_twice_for_one_cause_and_twice_at_most() -> None:
    attempts = Attempts()
    first = attempts.next(error("no_nvcc"), GPU)
    assert first is not None
    assert first[0].kind == "sampler"
    assert attempts.next(error("no_nvcc"), first[1]) is None
    second = attempts.next(error("compile_failed"), first[1])
    assert second is not None
    assert dict(second[1].options.env) == {"VLLM_USE_FLASHINFER_SAMPLER": "0"}  # both fixes hold
    assert second[1].enforce_eager
    assert attempts.next(error("gpu_memory_moved"), second[1]) is None
    assert AUTOMATIC == 2
    moved = Attempts()  # "again" is a fix that may always be made, and is made once
    assert moved.next(error("gpu_memory_moved"), GPU) is not None
    assert moved.next(error("gpu_memory_moved"), GPU) is None


@pytest.mark.parametrize(
    "failure",
    [
        error("kv_too_small", largest=1152),  # a shorter context is the person's to accept
        error("context_too_long", limit=8192),
        error("kv_offload_unsupported"),
        error("remote_code"),
        error("server.port_taken", port=1),
        error("server.killed", signal="SIGKILL"),
        error("shard_missing", file="x"),
    ],
)
def test_what_takes_something_away_waits_for_the_person(failure: AppError) -> None:
    request = replace(CPU, port=1, extra_args=("--kv-offloading-size", "1"))
    assert Attempts().next(failure, request) is None


@pytest.mark.parametrize("code", ["shard_missing", "weights_missing"])
def test_what_is_missing_of_a_model_is_got_where_it_can_be_got_again(code: str) -> None:
    ((fix, _after),) = fixed(code, CACHED)
    assert (fix.kind, fix.fetch, fix.action) == ("fetch_missing", "org/Model", "")
    ((folder, _after),) = fixed(code, CPU)
    assert (folder.fetch, folder.action) == ("", "refetch"), "a person has to bring it"


def test_another_model_that_the_launch_names_is_got_by_its_own_name() -> None:
    words = replace(CACHED, options=LaunchOptions(extra=("--tokenizer", "org/Words")))
    ((fix, _after),) = fixed("not_cached", words)
    assert (fix.kind, fix.fetch) == ("fetch", "org/Words")
    assert "org/Words" in term("fix", fix.kind, "en").format(**fix.facts)
    draft = replace(CACHED, options=LaunchOptions(speculative=Speculative("draft_model", 3, "org/Draft")))
    ((fix, _after),) = fixed("model_not_found", draft, model="org/Draft")
    assert fix.fetch == "org/Draft"
    assert fixed("model_not_found", draft, model="org/Other") == [], "not that one"
    ((page, _after),) = fixed("not_cached", CACHED)
    assert (page.kind, page.action) == ("download", "download")
