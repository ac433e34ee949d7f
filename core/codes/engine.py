"""Engines: their environments, and what is installed into them."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
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
}
