"""Expected failures. `core` raises a code and facts; `core.words` turns them into text.

A code is `area.what`. Every code stands in `CODES` with the facts its words may use, and has a title, a sentence and a
next step in every language under `resources/words/` (a test holds the three together).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

Fact = str | int | float | None

CODES: Final[Mapping[str, frozenset[str]]] = {
    code: frozenset(facts.split())
    for code, facts in {
        # the app itself
        "app.bug": "kind",
        "app.second_copy": "pid",
        "app.data_not_writable": "path reason",
        "app.python_too_old": "found needed",
        "app.platform_unsupported": "platform",
        "app.no_screen": "",
        "app.library_missing": "reason",
        "app.timeout": "what seconds",
        "settings.corrupt": "path kept_as reason",
        "settings.newer": "path found known",
        "settings.not_saved": "path reason",
        "settings.bad_value": "key reason",
        "ledger.corrupt": "path kept_as reason",
        "ledger.newer": "path found",
        "desktop.unsupported": "platform",
        "desktop.invalid": "reason",
        "desktop.not_writable": "path reason",
        # engine environments
        "engine.none": "",
        "engine.unknown": "engine known",
        "engine.no_vllm": "path",
        "engine.not_python": "path reason",
        "engine.python_too_old": "path found needed",
        "engine.no_python": "needed tried",
        "engine.broken": "engine reason",
        "engine.in_use": "engine",
        "engine.busy": "engine pid",
        "engine.not_ours": "engine path",
        "engine.recipe_unknown": "recipe known",
        "engine.recipe_unsupported": "recipe reason",
        "install.disk_full": "path needed_bytes free_bytes",
        "install.no_network": "host reason",
        "install.registry_timeout": "host seconds",
        "install.registry_error": "host reason",
        "install.not_found": "package reason",
        "install.failed": "step reason",
        "install.cancelled": "engine",
        # models
        "model.unknown": "model",
        "model.folder_missing": "path",
        "model.not_a_checkpoint": "path missing",
        "model.gguf_only": "path file",
        "model.adapter_only": "path",
        "model.missing_shards": "path missing count",
        "model.broken_file": "path file reason",
        "model.starter_failed": "reason",
        "model.busy": "pid",
        # the server
        "server.busy": "model",
        "server.not_running": "",
        "server.start_failed": "exit_code reason",
        "server.killed": "signal",
        "server.port_taken": "port",
        "server.stalled": "minutes",
        "server.died": "exit_code reason",
        "server.engine_died": "process",
        "server.cancelled": "phase",
        "server.spawn_failed": "path reason",
        "server.attach_failed": "reason",
        "server.stop_failed": "pids",
        # what limits a running server, where that shows
        "server.cannot_sleep": "",
        "server.no_token": "seconds",
        "server.slow_kv_full": "count",
        "server.slow_swapping": "",
        "server.slow_heat": "gpu celsius",
        "server.slow_power": "gpu watts",
        "server.slow_disk": "mount",
        # a launch that failed, by its root cause (see core/engine/causes)
        "engine.fail.kv_too_small": "context needed_bytes available_bytes largest",
        "engine.fail.no_kv_room": "",
        "engine.fail.gpu_busy": "free_bytes total_bytes wanted_bytes",
        "engine.fail.gpu_memory_moved": "",
        "engine.fail.cpu_kv_room": "",
        "engine.fail.gpu_memory_graphs": "",
        "engine.fail.gpu_memory": "wanted",
        "engine.fail.shm_small": "",
        "engine.fail.pin_refused": "",
        "engine.fail.ram_refused": "",
        "engine.fail.out_of_ram": "limit_bytes",
        "engine.fail.swap_too_large": "",
        "engine.fail.context_too_long": "context limit",
        "engine.fail.unknown_flag": "flag",
        "engine.fail.bad_value": "option reason",
        "engine.fail.whole_gib": "value",
        "engine.fail.kv_offload_unsupported": "",
        "engine.fail.kv_disk_path": "",
        "engine.fail.offload_hybrid": "",
        "engine.fail.offload_quantized": "",
        "engine.fail.ple_not_this_model": "",
        "engine.fail.ple_no_uva": "",
        "engine.fail.batch_too_small": "batch context",
        "engine.fail.parallel_heads": "heads parallel",
        "engine.fail.too_few_gpus": "wanted found",
        "engine.fail.quantization_mismatch": "config argument",
        "engine.fail.no_attention_backend": "",
        "engine.fail.gated": "model",
        "engine.fail.architecture_removed": "architecture version",
        "engine.fail.architecture_broken": "architecture",
        "engine.fail.architecture_unknown": "architecture",
        "engine.fail.gguf_plugin": "",
        "engine.fail.not_cached": "",
        "engine.fail.unauthorized": "",
        "engine.fail.model_not_found": "model",
        "engine.fail.shard_missing": "file",
        "engine.fail.weights_missing": "path",
        "engine.fail.weights_broken": "",
        "engine.fail.weights_mismatch": "name",
        "engine.fail.remote_code": "",
        "engine.fail.tokenizer": "",
        "engine.fail.no_chat_template": "",
        "engine.fail.quantization_gpu": "method needed found",
        "engine.fail.quantization_unknown": "method",
        "engine.fail.bf16_gpu": "",
        "engine.fail.fp16_model": "model",
        "engine.fail.driver_old": "found",
        "engine.fail.cuda_library": "file",
        "engine.fail.gpu_not_built_for": "",
        "engine.fail.no_gpu": "",
        "engine.fail.uva_missing": "",
        "engine.fail.no_headers": "",
        "engine.fail.no_compiler": "",
        "engine.fail.no_nvcc": "",
        "engine.fail.nccl": "",
        "engine.fail.windows": "module",
        "engine.fail.gpu_lost": "",
        "engine.fail.gpu_fault": "",
        "engine.fail.disk_full": "",
        "engine.fail.too_many_files": "",
        "engine.fail.no_permission": "path",
        "engine.fail.engine_timeout": "",
        "engine.fail.torch_mismatch": "",
        "engine.fail.module_missing": "module",
        "engine.fail.compile_failed": "",
        "engine.fail.illegal_instruction": "signal",
        "engine.fail.bus_error": "signal",
        "engine.fail.crashed": "signal",
        "engine.fail.engine_killed": "",
        # chat
        "chat.no_server": "",
        "chat.refused": "status reason",
        "chat.unauthorized": "",
        "chat.model_gone": "reason",
        "chat.server_error": "status reason",
        "chat.too_long": "prompt_tokens limit",
        "chat.connection_lost": "reason",
        "chat.bad_stream": "reason",
        "chat.silent": "seconds",
        "chat.busy": "",
        "chat.empty": "",
        # the machine: notes on a snapshot, and what a probe may answer
        "machine.driver_mismatch": "",
        "machine.driver_missing": "gpu",
        "machine.driver_failed": "reason",
        "machine.driver_silent": "seconds",
        "machine.nvml_lost": "reason",
        "machine.gpu_no_permission": "gpu",
        "machine.mig_hidden": "gpu",
        "machine.vram_spill": "gpu percent",
        "machine.slot_narrow": "gpu width card_width",
        "machine.slot_slow": "gpu gen card_gen",
        "machine.jetson": "name",
        "machine.unified_memory": "",
        "machine.pids_untrusted": "",
        "machine.cuda_order": "gpus",
        "machine.memory_limit": "limit_bytes total_bytes",
        "machine.shm_small": "total_bytes",
        "machine.windows_drive": "mount",
        "machine.probe_busy": "",
        "machine.probe_failed": "what reason",
        "machine.probe_cancelled": "",
        # the plan: what was asked for, and vLLM's own planner beside it
        "plan.gpu_unknown": "gpu close",
        "plan.bad_size": "option value",
        "plan.bad_context": "value",
        "plan.bad_version": "value",
        "plan.bad_capability": "value",
        "plan.bad_kv_dtype": "value known",
        "plan.too_few_gpus": "wanted found",
        # what a look before a launch may find
        "preflight.no_template": "",
        "preflight.port_taken": "port holder pid",
        "preflight.refused": "reason",
        "preflight.tight": "",
        "preflight.no_vram": "needed_bytes free_bytes lacking_bytes",
        "preflight.no_ram": "needed_bytes free_bytes lacking_bytes",
        "preflight.no_disk": "needed_bytes free_bytes lacking_bytes",
        "preflight.kv_too_small": "context longest",
        "preflight.no_gpu": "engine",
        "preflight.gpu_old": "gpu found needed",
        "preflight.method_gone": "method version",
        "preflight.method_cpu": "method",
        "preflight.method_gpu": "method found needed",
        "preflight.architecture_gone": "architecture engine version",
        "preflight.architecture_unknown": "architecture engine version",
        "preflight.no_compiler": "compiler",
        "preflight.no_headers": "python",
        "preflight.cpu_old": "cpu",
        "preflight.no_avx512": "cpu",
        "preflight.disk_full": "free_bytes needed_bytes",
        "preflight.cache_full": "free_bytes needed_bytes",
        "preflight.shm_small": "free_bytes needed_bytes",
        "preflight.open_files": "limit needed",
        "preflight.memlock": "limit_bytes needed_bytes",
        "preflight.wsl_no_offload": "version",
        "preflight.wsl_pinning": "needed_bytes limit_bytes",
        "preflight.other_server": "model port",
        # comparing two launches
        "compare.bad_option": "option reason",
        "compare.reserved_option": "option",
        "compare.bad_prompts": "path reason",
        "compare.not_written": "path reason",
        "compare.busy": "",
        "compare.cancelled": "",
        "precise.unsupported": "reason",
        "precise.failed": "reason",
        "precise.timeout": "seconds",
        "precise.cancelled": "",
    }.items()
}


class AppError(Exception):
    """A failure the product expects.

    Args:
        code: one of `CODES`.
        detail: technical text for the folded "Details" part and the log; never the sentence a person reads first.
        facts: the values the words need (`path=...`, `needed_bytes=...`), only those that `CODES` lists for the code.
    """

    def __init__(self, code: str, detail: str = "", **facts: Fact) -> None:
        known = CODES.get(code)
        if known is None:
            raise ValueError(f"unknown error code {code!r}")
        if extra := set(facts) - known:
            raise ValueError(f"{code} has no facts {sorted(extra)}")
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.facts: dict[str, Fact] = {name: facts.get(name) for name in known}

    def __str__(self) -> str:
        facts = " ".join(f"{k}={v!r}" for k, v in sorted(self.facts.items()) if v is not None)
        head = f"{self.code} {facts}".strip()
        return f"{head}: {self.detail}" if self.detail else head
