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
        "app.needs_answer": "question option",
        "settings.corrupt": "path kept_as reason",
        "settings.newer": "path found known",
        "settings.not_saved": "path reason",
        "settings.bad_value": "key reason",
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
        "engine.unreadable": "path",
        "engine.in_use": "engine",
        "engine.busy": "engine pid",
        "engine.not_ours": "engine path",
        "engine.recipe_unknown": "recipe known",
        "engine.recipe_unsupported": "recipe reason",
        "engine.plugin_unfit": "plugin engine reason",
        "engine.no_gpu": "recipe vendor",
        "engine.gpu_too_old": "recipe gpu found needed",
        "engine.driver_too_old": "recipe found needed instead",
        "engine.up_to_date": "engine version",
        "engine.no_update": "engine",
        "engine.canary_failed": "engine old step reason",
        "engine.too_slow": "reason",
        "engine.wrong_answer": "reason",
        "engine.no_previous": "",
        "engine.no_half": "engine",
        "engine.half_installed": "engine",
        "install.disk_full": "path needed_bytes free_bytes",
        "install.no_network": "host reason",
        "install.registry_timeout": "host seconds",
        "install.registry_error": "host reason",
        "install.not_found": "package reason",
        "install.failed": "step reason",
        "install.cancelled": "engine",
        # launch options: what is wrong with an extra argument, and what a build cannot do
        "option.unknown": "flag close",
        "option.abbreviated": "flag full",
        "option.ambiguous": "flag known",
        "option.switch_value": "flag value negative",
        "option.twice": "flag",
        "option.ours": "flag",
        "option.no_value": "flag",
        "option.many_values": "flag value",
        "option.bad_choice": "flag value known",
        "option.unknown_field": "flag field known",
        "option.bad_json": "flag reason",
        "option.not_a_flag": "word",
        "option.config_file": "",
        "option.unreadable_text": "reason",
        "option.secret": "flag",
        "option.ignored": "flag version",
        "option.offload_cpu_build": "",
        "option.offload_hybrid": "version",
        "option.offload_wsl": "version",
        "option.offload_wsl_slow": "version",
        "option.no_prefetch_offload": "version",
        "option.no_offload_params": "version",
        "option.older_runner": "version",
        "option.prompt_cache_cpu_build": "",
        "option.no_prompt_cache": "version",
        "option.no_prompt_cache_disk": "version",
        "option.prompt_cache_needs_prefix": "",
        "option.prompt_cache_disk_alone": "",
        "option.prompt_cache_no_limit": "version",
        "option.tables_stay": "version",
        "option.no_table_control": "version",
        "option.no_tables_on_disk": "version",
        "option.no_text_only": "version",
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
        "model.not_here": "model",
        "model.incomplete": "model missing count",
        # the Hub: reaching it, who we are there, what was asked for
        "hub.offline": "",
        "hub.unreachable": "host reason",
        "hub.dns": "host",
        "hub.timeout": "host seconds",
        "hub.tls": "host reason",
        "hub.proxy": "reason",
        "hub.rate_limited": "seconds",
        "hub.server_error": "status host",
        "hub.refused": "status host",
        "hub.not_a_hub": "endpoint reason",
        "hub.not_found": "repo",
        "hub.revision_not_found": "repo revision",
        "hub.file_not_found": "repo file",
        "hub.gated_no_token": "repo url",
        "hub.gated_not_accepted": "repo url",
        "hub.bad_token": "",
        "hub.no_token": "",
        "hub.token_from_env": "",
        "hub.token_not_saved": "path reason",
        "hub.bad_endpoint": "endpoint",
        "hub.bad_proxy": "proxy reason",
        "hub.bad_ca_bundle": "path reason",
        "hub.bad_reference": "text",
        "hub.architecture_unknown": "architecture engine version",
        "hub.superseded": "",
        # downloads
        "download.unknown": "download",
        "download.paused": "model",
        "download.disk_full": "repo path needed_bytes free_bytes",
        "download.not_writable": "path reason",
        "download.damaged": "repo file",
        "download.wrong_size": "repo file expected_bytes told_bytes",
        "download.changed": "repo file",
        "download.gave_up": "repo minutes reason",
        "download.worker_died": "repo reason",
        # the Hub's cache on this computer
        "hub.not_cached": "model",
        "hub.cache_unreadable": "path reason",
        "hub.cache_in_use": "model",
        "hub.cache_busy": "pid",
        "hub.cache_not_deleted": "path reason",
        "hub.verify_busy": "",
        "hub.verify_cancelled": "",
        "hub.verify_failed": "file reason",
        "hub.verify_unknown": "path",
        "hub.verify_damaged": "model files count",
        "hub.move_nothing": "path",
        "hub.move_inside": "path",
        "hub.move_not_empty": "path",
        "hub.move_no_space": "path needed_bytes free_bytes",
        "hub.move_no_links": "path",
        "hub.move_failed": "path reason",
        "hub.move_differs": "path file",
        "hub.move_changing": "path",
        "hub.move_cancelled": "",
        "hub.move_unfinished": "path",
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
