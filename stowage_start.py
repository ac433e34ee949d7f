"""Where Stowage starts: no arguments open the window, anything else is the terminal.

Imports late: `stowage --version` loads neither Qt nor the HTTP client.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> int:
    if len(sys.argv) == 1:
        return window()
    # However it was started, help and usage name the command that people type.
    sys.argv[0] = "stowage"
    from core.cli.app import main as terminal

    terminal()
    return 0


def window(when_painted: Callable[[], None] | None = None) -> int:
    """Open the window. Without a screen Qt would abort the process, and a missing library would end in a traceback:
    both are said in words instead. `when_painted` is called once, after the first paint."""
    if not _has_screen():
        return _refuse("app.no_screen")
    # Importing Qt makes thousands of objects and no garbage; looking for it costs a tenth of the start. `gui.app`
    # switches the collector on again after the first paint.
    gc.disable()
    try:
        from gui.app import main as open_window
    except ImportError as error:
        if ".so" not in str(error):
            raise
        return _refuse("app.library_missing", reason=str(error))
    return open_window(when_painted=when_painted)


def _has_screen() -> bool:
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform != "linux" or any(os.environ.get(name) for name in named)


def _refuse(code: str, **facts: str) -> int:
    from core import words
    from core.errors import AppError

    print(words.explain(AppError(code, **facts), words.resolve_language("system")).as_text(), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
