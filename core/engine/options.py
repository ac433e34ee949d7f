"""What a launch may ask of vLLM, whatever the version: frozen values, without a word of how a build spells them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from core.engine.build import Build
from core.events import EngineInfo, Phase

HOST: Final = "127.0.0.1"
Tables = Literal["", "ngram", "per_layer"]
Place = Literal["auto", "ram", "device", "disk"]


@dataclass(frozen=True, slots=True)
class Tuning:
    """vLLM options that a plan chooses; None, "auto" and 0: vLLM's own default.

    On a CPU engine the first two alone do anything (`--cpu-offload-gb` is accepted there and ignored, 0.32).
    `env`: what this engine needs besides to do what is asked (names and values, never a secret).
    """

    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    kv_cache_dtype: str = "auto"
    cpu_offload_gib: float = 0.0
    gpu_memory_utilization: float | None = None
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OffloadShape:
    """Which weights `Tuning.cpu_offload_gib` moves: `params` are whole segments of parameter names ("experts"), empty
    for any. `group_size` above 0 asks for prefetching instead: of each `group_size` layers the last `num_in_group`
    live in RAM and are copied `prefetch_step` layers ahead (vLLM's `PrefetchOffloadConfig`)."""

    params: tuple[str, ...] = ()
    group_size: int = 0
    num_in_group: int = 1
    prefetch_step: int = 1


@dataclass(frozen=True, slots=True)
class PromptCache:
    """Where KV blocks of earlier prompts go when the device is full ("swap" in articles). It extends the prefix cache
    and nothing else: a running request's KV cache must still fit on the device.

    `ram_gib` in total over all ranks. `disk_path` a folder of its own; `keep`: the files outlive the server and have no
    limit; else `disk_gib` caps them and they go with the server.
    """

    ram_gib: float = 0.0
    disk_path: str = ""
    disk_gib: float = 0.0
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Lora:
    """An adapter: the name that requests use, and its folder."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Speculative:
    """`method` "ngram", "eagle", "eagle3", "mtp", "draft_model", …; `model` a path or repository, "" where the method
    needs none; `tokens` proposed at a time; `lookup` the longest n-gram looked up, 0 for vLLM's own."""

    method: str
    tokens: int
    model: str = ""
    lookup: int = 0


@dataclass(frozen=True, slots=True)
class Traits:
    """What of the model decides about options. `tables`: "ngram" those that vLLM's EngramConfig governs, "per_layer"
    Gemma's, which no release up to 0.33.0 can move and Stowage's plugin can. `hybrid`: attention mixed with recurrent
    states. `mixed_formats`: the folder also holds Mistral's own `consolidated.safetensors`. `template`: the chat
    template's text; `family` a name of `chat_templates.FAMILIES` that the tokenizer's own tokens tell, "" for none.
    `safetensors`: its weights can be read in place."""

    architecture: str = ""
    tables: Tables = ""
    hybrid: bool = False
    mixed_formats: bool = False
    template: str = ""
    family: str = ""
    safetensors: bool = True


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What a person may choose besides the few options of the plan. None, "", "auto", 0: vLLM's own default.

    Attributes:
        kv_cache_bytes: exact size of the KV cache (per GPU); takes the place of a share of the card.
        multimodal: modality -> at most so many items in a prompt, as pairs.
        reasoning_parser, tool_parser: "auto" takes the one of the model's family, "" none.
        ple: where n-gram tables live ("auto" is RAM), or the per-layer table ("auto" is where vLLM puts it).
        cpu_threads: `VLLM_CPU_OMP_THREADS_BIND`, "auto", "nobind" or "0-7|8-15".
        log_level: vLLM's own ("DEBUG"); `log_requests` writes prompts' parameters into the log.
        env: variables for this server, beside those that Stowage sets (never a secret: commands are shown).
        extra: words for the command line as they are, checked by `extra_args.check_extra`.
    """

    dtype: str = "auto"
    quantization: str = ""
    kv_cache_bytes: int | None = None
    prefix_caching: bool | None = None
    async_scheduling: bool | None = None
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    offload: OffloadShape = OffloadShape()
    prompt_cache: PromptCache = PromptCache()
    ple: Place = "auto"
    loras: tuple[Lora, ...] = ()
    max_lora_rank: int | None = None
    speculative: Speculative | None = None
    multimodal: tuple[tuple[str, int], ...] = ()
    text_only: bool = False
    reasoning_parser: str = "auto"
    tool_parser: str = "auto"
    chat_template: str = ""
    served_name: str = ""
    seed: int | None = None
    load_format: str = "auto"
    cpu_threads: str = ""
    cpu_reserved: int | None = None
    log_level: str = ""
    log_requests: bool = False
    env: tuple[tuple[str, str], ...] = ()
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What to serve and how.

    Attributes:
        max_model_len: tokens; None: the checkpoint's own.
        cpu_kv_cache_gib: whole GiB, used on a CPU engine only.
        port: None: any free one.
        extra_args: words after all others that Stowage itself adds, unchecked.
        build: what the engine accepts; None: what its version says.
        wsl: inside WSL2.
        expected: seconds that each phase took in earlier launches like this one.
        host: another address than loopback: other computers reach it too.
        api_key: "": a new one for each launch.
        source: what the model can be got again from ("starter", a model of the Hub); "" for a folder.
        resident_bytes: what the plan says the model takes on the device with nothing offloaded; None without a plan.
        plugins: the folder with Stowage's plugin, for the engine's import path (`ple_plugin`); "" for none.
        hub_cache: where models of the Hub that the command line names lie (a tokenizer, a draft); "": the usual place.
    """

    model_id: str
    model_path: str
    engine: EngineInfo
    max_model_len: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    port: int | None = None
    extra_args: tuple[str, ...] = ()
    tuning: Tuning = Tuning()
    options: LaunchOptions = LaunchOptions()
    traits: Traits = Traits()
    build: Build | None = None
    wsl: bool = False
    expected: tuple[tuple[Phase, float], ...] = ()
    host: str = HOST
    api_key: str = field(default="", repr=False)
    source: str = ""
    resident_bytes: int | None = None
    plugins: str = ""
    hub_cache: str = ""
