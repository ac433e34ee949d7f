#!/usr/bin/env python3
"""Sets up what is missing, then does it: `python3 dev.py run|test|lint|bench|lock [arguments]`."""

import sys

# This file alone is read by whatever Python a machine has; `devtools` needs 3.9 to be read at all.
if sys.version_info < (3, 9):
    sys.exit(
        "Stowage needs Python 3.11 or newer, and this is Python %d.%d. "
        "Install a newer one and start again with it, for example: python3.12 dev.py run" % sys.version_info[:2]
    )

from devtools.verbs import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
