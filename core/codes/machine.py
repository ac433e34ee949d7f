"""This computer: notes on a snapshot, and what a probe may answer."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
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
}
