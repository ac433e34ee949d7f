"""One cold start until the first paint; prints the milliseconds since `--since` (time.monotonic of the parent).

`bare` is the least a Qt window can be, `stowage` is ours. The modules loaded by then are printed too.
"""

from __future__ import annotations

import os
import sys
import time


def bare() -> None:
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Window(QMainWindow):
        def paintEvent(self, event):  # type: ignore[no-untyped-def]
            super().paintEvent(event)
            painted()

    application = QApplication([])
    window = Window()
    window.resize(1180, 760)
    window.show()
    application.exec()


def stowage() -> None:
    from stowage_start import window

    window(painted)


def painted() -> None:
    elapsed_ms = 1000 * (time.monotonic() - float(sys.argv[2]))
    print(f"{elapsed_ms:.2f}", ",".join(sorted({name.partition(".")[0] for name in sys.modules})), flush=True)
    os._exit(0)  # only the start is measured: nothing else of the window may begin


{"bare": bare, "stowage": stowage}[sys.argv[1]]()
