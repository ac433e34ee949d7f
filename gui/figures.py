"""Numbers as a person reads them. Every number keeps its unit; an unknown one is a dash."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from core.events import SpeedCard
from core.words import show_bytes

DASH = "–"


def gib(count_bytes: float, language: str) -> str:
    """Bytes as "3.4 GiB"; a dash for 0."""
    return show_bytes(count_bytes, language) if count_bytes > 0 else DASH


def clock(seconds: float) -> str:
    """Seconds as "0:24" or "1:02:03"."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def locale_of(language: str) -> QLocale:
    return QLocale(QLocale.Language.Russian if language == "ru" else QLocale.Language.English)


def day(at: float, language: str) -> str:
    """A moment in Unix seconds as a date: "30 Nov 2026"."""
    moment = QDateTime.fromSecsSinceEpoch(int(at))
    return locale_of(language).toString(moment.date(), "d MMM yyyy")


def count(number: int, language: str) -> str:
    """A whole number with separators: "8,192"."""
    return locale_of(language).toString(number)


def decimal(number: float, digits: int, language: str) -> str:
    return locale_of(language).toString(float(number), "f", digits)


def speed_line(speed: SpeedCard, language: str) -> str:
    """ "64.2 tok/s · first token 0.18 s · 412 tokens"; a dash where the figure is unknown."""
    rate = speed.decode_tokens_per_s
    first = speed.ttft_s
    return QCoreApplication.translate("Figures", "{rate} tok/s · first token {first} s · {tokens} tokens").format(
        rate=DASH if rate is None else decimal(rate, 1, language),
        first=DASH if first is None else decimal(first, 2, language),
        tokens=count(speed.completion_tokens, language) if speed.completion_tokens else DASH,
    )


def rate_only(speed: SpeedCard, language: str) -> str:
    """The live figure in the status bar: "64.2 tok/s"."""
    rate = speed.decode_tokens_per_s
    return QCoreApplication.translate("Figures", "{rate} tok/s").format(
        rate=DASH if rate is None else decimal(rate, 1, language)
    )
