"""Conversations: asking, keeping, moving them."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
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
}
