"""The app itself, and launches that are compared."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
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
    "profiles.corrupt": "path kept_as reason",
    "profiles.newer": "path found known",
    "profiles.not_saved": "path reason",
    "profiles.not_written": "path reason",
    "profiles.bad_value": "key reason",
    "profiles.no_name": "",
    "profiles.unknown": "name known",
    "profiles.unreadable": "reason",
    "profiles.from_newer": "found known",
    "ledger.corrupt": "path kept_as reason",
    "ledger.newer": "path found",
    "desktop.unsupported": "platform",
    "desktop.invalid": "reason",
    "desktop.not_writable": "path reason",
    # comparing two launches
    "compare.bad_option": "option reason",
    "compare.reserved_option": "option",
    "compare.bad_prompts": "path reason",
    "compare.not_written": "path reason",
    "compare.busy": "",
    "compare.cancelled": "",
}
