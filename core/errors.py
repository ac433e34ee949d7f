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
        "chat.never_begun": "seconds",
        "chat.busy": "",
        "chat.empty": "",
        "chat.file_too_large": "name size_bytes limit_bytes",
        "chat.file_unreadable": "name reason",
        "chat.changed_elsewhere": "",
        "chat.busy_elsewhere": "",
        "chat.unknown": "",
        "chat.bad_format": "reason",
        "chat.no_images": "model",
        "chat.picture_failed": "",
        "chat.store_corrupt": "path kept_as",
        "chat.store_newer": "path found",
        "chat.store_failed": "path reason",
        "chat.import_failed": "path reason",
        "chat.export_failed": "path reason",
        "chat.undo_gone": "",
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
