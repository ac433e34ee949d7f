"""Where Stowage starts: no arguments open the window, anything else is the terminal.

Imports late: `stowage --version` loads neither Qt nor the HTTP client.
"""

from __future__ import annotations

import sys


def main() -> int:
    if len(sys.argv) == 1:
        return window()
    # However it was started, help and usage name the command that people type.
    sys.argv[0] = "stowage"
    from core.cli.app import main as terminal

    terminal()
    return 0


def window() -> int:
    from gui.app import main as open_window

    return open_window()


if __name__ == "__main__":
    sys.exit(main())
