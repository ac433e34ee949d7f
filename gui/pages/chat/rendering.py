"""What all messages of a window share: heavy work goes out through here, and drawings of formulas are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage, QImageReader

from core.events import ErrorInfo
from core.runtime import in_thread
from core.typeset.code import Line, coloured
from core.typeset.maths import Formula, set_formula
from core.typeset.pictures import fetch_picture
from gui.bridge import Bridge
from gui.pages.chat.units import Unit, correction, whole_text

MOST_FORMULAS: Final = 2_000
MOST_PICTURES: Final = 40
MOST_POINTS: Final = 60_000_000
WIDEST: Final = 1600
Key = tuple[str, bool]


class Rendering(QObject):
    """`formula_came` when a formula was set, or turned out to be none."""

    formula_came = Signal()

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._formulas: OrderedDict[Key, Formula | None] = OrderedDict()
        self._asked: set[Key] = set()
        self._pictures: OrderedDict[str, QImage] = OrderedDict()
        self._ended = False

    def end(self) -> None:
        """Nothing more is asked of the runtime, which is about to end; what is being written stays as it is."""
        self._ended = True

    def _call(self, verb: Callable[..., Any], *args: Any, **how: Any) -> None:
        if not self._ended:
            self._bridge.call(verb, *args, **how)

    def colour(self, code: str, language: str, owner: QObject, done: Callable[[tuple[Line, ...]], None]) -> None:
        self._call(in_thread, coloured, code, language, owner=owner, done=done)

    def read(self, text: str, owner: QObject, done: Callable[[list[Unit]], None]) -> None:
        """The whole text read at once."""
        self._call(in_thread, whole_text, text, owner=owner, done=done)

    def correct(self, text: str, shown: list[Unit], owner: QObject, done: Callable[[list[Unit] | None], None]) -> None:
        """The units of the whole text, if they are not those that are shown."""
        self._call(in_thread, correction, text, shown, owner=owner, done=done)

    # ---- pictures --------------------------------------------------------------------------------------------------

    def picture(self, address: str) -> QImage | None:
        """A picture that was asked for and came."""
        return self._pictures.get(address)

    def fetch(
        self, address: str, owner: QObject, done: Callable[[], None], failed: Callable[[ErrorInfo], None]
    ) -> None:
        """Fetch a picture because somebody wants to see it; `picture` has it when `done` is called."""

        def came(image: QImage) -> None:
            if image.isNull():
                failed(ErrorInfo("chat.picture_failed"))
                return
            self._pictures[address] = image
            while len(self._pictures) > MOST_PICTURES:
                self._pictures.popitem(last=False)
            done()

        def fetched(data: bytes) -> None:
            self._call(in_thread, decoded, data, owner=owner, done=came)

        self._call(fetch_picture, address, owner=owner, done=fetched, failed=failed)

    # ---- formulas --------------------------------------------------------------------------------------------------

    def formula(self, tex: str, display: bool) -> Formula | None:
        """The drawing, if it is there."""
        return self._formulas.get((tex, display))

    def ask_formula(self, tex: str, display: bool) -> bool:
        """Have it set; False when it cannot be."""
        key = (tex, display)
        if key in self._formulas:
            return self._formulas[key] is not None
        if key not in self._asked:
            self._asked.add(key)

            def done(formula: Formula | None) -> None:
                self._keep(key, formula)

            self._call(in_thread, set_formula, tex, display, owner=self, done=done)
        return True

    def _keep(self, key: Key, formula: Any) -> None:
        self._asked.discard(key)
        self._formulas[key] = formula
        while len(self._formulas) > MOST_FORMULAS:
            self._formulas.popitem(last=False)
        self.formula_came.emit()


def decoded(data: bytes) -> QImage:
    """The picture, shrunk to what is worth showing; an empty one when it is broken or far too large."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    size = reader.size()
    if not size.isValid() or size.width() * size.height() > MOST_POINTS:
        return QImage()
    if size.width() > WIDEST or size.height() > WIDEST:
        reader.setScaledSize(size.scaled(QSize(WIDEST, WIDEST), Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()
