"""A model of the Hub in words: its figures, and how it sits on this computer."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from core.hub.model import Fit, FitBadge, RepoRow
from core.words import show_bytes, term
from gui import figures

BILLION, MILLION, THOUSAND = 1_000_000_000, 1_000_000, 1_000
QUANTIZATIONS = {
    "awq": "AWQ",
    "gptq": "GPTQ",
    "fp8": "FP8",
    "int8": "INT8",
    "nvfp4": "NVFP4",
    "mxfp4": "MXFP4",
    "bitsandbytes": "BnB",
    "compressed-tensors": "Compressed",
    "gguf": "GGUF",
}
DTYPES = {"bfloat16": "BF16", "float16": "FP16", "float32": "FP32"}
LICENCES = {"apache-2.0": "Apache-2.0", "mit": "MIT", "other": ""}


@dataclass(frozen=True, slots=True)
class BadgeWords:
    """`text` beside the sign; `speed` "" when none is predicted; `meaning` on hover."""

    fit: Fit | None
    text: str
    speed: str = ""
    meaning: str = ""


class RepoWords(QObject):
    """One language."""

    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.language = language

    # ---- figures ---------------------------------------------------------------------------------------------------

    def size(self, count_bytes: float | None) -> str:
        return show_bytes(count_bytes, self.language) if count_bytes else ""

    def parameters(self, count: int | None) -> str:
        if not count:
            return ""
        if count >= BILLION:
            return self.tr("{count} B", "billions of parameters").format(count=self._short(count / BILLION))
        return self.tr("{count} M", "millions of parameters").format(count=round(count / MILLION))

    def context(self, tokens: int) -> str:
        if not tokens:
            return ""
        shown = f"{tokens // 1024}k" if tokens % 1024 == 0 else figures.count(tokens, self.language)
        return self.tr("{tokens} context").format(tokens=shown)

    def downloads(self, count: int) -> str:
        if count >= MILLION:
            shown = self.tr("{count} M", "millions").format(count=self._short(count / MILLION))
        elif count >= THOUSAND:
            shown = self.tr("{count} k", "thousands").format(count=round(count / THOUSAND))
        else:
            shown = figures.count(count, self.language)
        return self.tr("{count} downloads").format(count=shown)

    def format(self, row: RepoRow) -> str:
        """How the weights are stored: "AWQ", "BF16"; "" unknown."""
        if row.quantization:
            return QUANTIZATIONS.get(row.quantization.lower(), row.quantization)
        return DTYPES.get(row.dtype.lower(), row.dtype.upper())

    def licence(self, row: RepoRow) -> str:
        return LICENCES.get(row.licence.lower(), row.licence)

    def gate(self, row: RepoRow) -> str:
        return self.tr("gated") if row.gated else ""

    def cached(self, row: RepoRow) -> str:
        return {"part": self.tr("partly here"), "whole": self.tr("on this computer")}.get(row.cached, "")

    def facts(self, row: RepoRow) -> str:
        """The quiet line of a row."""
        parts = (
            self.parameters(row.parameters),
            self.format(row),
            self.context(row.context_tokens),
            self.licence(row),
            self.downloads(row.downloads) if row.downloads else "",
        )
        return " · ".join(part for part in parts if part)

    def row_meaning(self, row: RepoRow) -> str:
        """All of a row as sentences, for a screen reader."""
        badge = self.badge(row.badge)
        parts = (row.repo_id, self.size(row.weight_bytes), badge.text, badge.speed, self.facts(row))
        return ", ".join(part for part in (*parts, self.gate(row), self.cached(row)) if part)

    # ---- how it fits -----------------------------------------------------------------------------------------------

    def badge(self, badge: FitBadge | None) -> BadgeWords:
        if badge is None:
            return BadgeWords(None, self.tr("looking whether it fits…"))
        if badge.fit is Fit.UNKNOWN:
            reason = term("fit_reason", badge.reason, self.language) if badge.reason else ""
            return BadgeWords(badge.fit, self.tr("not known whether it fits"), meaning=reason)
        return BadgeWords(badge.fit, self._fit(badge), self.speed(badge), self._meaning(badge))

    def speed(self, badge: FitBadge) -> str:
        if badge.tokens_per_s is None:
            return ""
        low, high = (self._rate(rate) for rate in badge.tokens_per_s)
        return self.tr("about {rate} tok/s").format(rate=low if low == high else f"{low}\u2013{high}")

    def _fit(self, badge: FitBadge) -> str:
        if badge.fit is Fit.FITS:
            return self.tr("fits")
        if badge.fit is Fit.TIGHT:
            return self.tr("fits, tightly")
        if badge.fit is Fit.OFFLOAD:
            return self.tr("needs {size} in RAM").format(size=self.size(badge.offload_bytes))
        if badge.short_bytes and badge.short_tier:
            return self.tr("does not fit: {place} short by {size}").format(
                place=self._place(badge.short_tier), size=self.size(badge.short_bytes)
            )
        return self.tr("does not fit")

    def _meaning(self, badge: FitBadge) -> str:
        lines = [
            {
                Fit.FITS: self.tr("Weights, KV cache and overhead fit, by the high end of every estimate."),
                Fit.TIGHT: self.tr("It fits by the likely figures, not by the highest ones."),
                Fit.OFFLOAD: self.tr("A part of the weights lies in RAM and is read for every token: slower."),
                Fit.NO: self.tr("There is not enough memory for it on this computer."),
            }[badge.fit]
        ]
        if badge.context_tokens:
            tokens = figures.count(badge.context_tokens, self.language)
            lines.append(self.tr("Planned for {tokens} tokens of context.").format(tokens=tokens))
        if badge.tokens_per_s is not None:
            lines.append(self.tr("The speed is a prediction for one conversation."))
        if not badge.exact:
            lines.append(self.tr("An estimate: only the sizes of its files are known yet."))
        if badge.reason:
            lines.append(term("fit_reason", badge.reason, self.language))
        return "\n".join(lines)

    def _place(self, tier: str) -> str:
        return {"vram": self.tr("VRAM"), "ram": self.tr("RAM"), "disk": self.tr("the disk")}.get(tier, tier)

    def _rate(self, rate: float) -> str:
        return figures.decimal(rate, 0 if rate >= 3 else 1, self.language)

    def _short(self, number: float) -> str:
        digits = 0 if number >= 100 or round(number, 1) == round(number) else 1
        return figures.decimal(number, digits, self.language)
