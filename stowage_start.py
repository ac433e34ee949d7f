"""Where Stowage starts: no arguments open the window, anything else is the terminal.

Imports late: `stowage --version` loads neither Qt nor the HTTP client.
"""

from __future__ import annotations

import sys


def main() -> int:
    if len(sys.argv) == 1:
        return window()
    from core.cli import main as terminal

    return terminal()


def window() -> int:
    from gui.app import main as open_window

    return open_window()


if __name__ == "__main__":
    sys.exit(main())
