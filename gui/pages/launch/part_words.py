"""The names and meanings of the parts of a plan, and how certain their sizes are."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.planner.amounts import Amount, Certainty, Item
from core.words import show_bytes
from gui import figures
from gui.pages.launch.plan_view import PartLine

GIB = 1 << 30


class PartWords(QObject):
    def __init__(self, language: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language

    def line(self, item: Item) -> PartLine:
        amount = item.amount
        meaning = f"{self.meaning(item.id)}\n{self.certainty(amount)}"
        return PartLine(item.id, self.name(item.id), self.size(amount), self.mark(amount), meaning)

    def size(self, amount: Amount) -> str:
        """ "9.2 GiB", "≈ 1.2 GiB", "at least 4.1 GiB"."""
        text = show_bytes(amount.likely, self._language)
        if amount.certainty is Certainty.ESTIMATED:
            return self.tr("≈ {size}").format(size=text)
        return self.tr("at least {size}").format(size=text) if amount.certainty is Certainty.UNKNOWN else text

    def mark(self, amount: Amount) -> str:
        if amount.certainty is Certainty.EXACT:
            return self.tr("exact")
        if amount.certainty is Certainty.LEARNED:
            return f"± {self._spread(amount)}"
        if amount.high is None:
            return self.tr("not known")
        return self._band(amount) or self.tr("estimated")

    def _band(self, amount: Amount) -> str:
        """ "0.4–1.8": in GiB, like the size beside it; "" where both ends look the same."""
        low, high = (figures.decimal(end / GIB, 1, self._language) for end in (amount.low, amount.top))
        return "" if low == high else f"{low}–{high}"

    def _spread(self, amount: Amount) -> str:
        """Half the band in GiB, with a digit that is not 0."""
        half = (amount.top - amount.low) / 2 / GIB
        return figures.decimal(half, 1 if half >= 0.1 else 2, self._language)

    def certainty(self, amount: Amount) -> str:
        if amount.certainty is Certainty.EXACT:
            return self.tr("Exact: counted as vLLM itself counts it.")
        if amount.certainty is Certainty.LEARNED:
            text = self.tr("Measured here: {size} ± {spread} GiB, from {runs} of your launches.")
            size = show_bytes(amount.likely, self._language)
            return text.format(size=size, spread=self._spread(amount), runs=amount.runs)
        if amount.high is None:
            return self.tr("Only a lower end is known.")
        text = self.tr("Estimated, between {low} and {high}.")
        ends = (show_bytes(end, self._language) for end in (amount.low, amount.top))
        return text.format(**dict(zip(("low", "high"), ends, strict=True)))

    def name(self, part: str) -> str:
        return {
            "weights": self.tr("weights"),
            "draft_weights": self.tr("draft model"),
            "offload_buffers": self.tr("offload buffers"),
            "context": self.tr("CUDA"),
            "activations": self.tr("working memory"),
            "graphs": self.tr("CUDA graphs"),
            "kv_cache": self.tr("KV cache"),
            "kv_more": self.tr("more KV cache"),
            "processes": self.tr("programs"),
            "pinned_weights": self.tr("offloaded weights"),
            "ple_table": self.tr("embedding table"),
            "ple_cache": self.tr("embedding cache"),
            "kv_offload": self.tr("prompt cache"),
            "download": self.tr("download"),
            "engine": self.tr("engine"),
            "caches": self.tr("caches"),
        }.get(part, part)

    def meaning(self, part: str) -> str:
        return {
            "weights": self.tr("The model itself, as vLLM holds it."),
            "draft_weights": self.tr("A small model that guesses ahead."),
            "offload_buffers": self.tr("Where weights from RAM arrive before they are used."),
            "context": self.tr("What the driver and the CUDA libraries take as soon as a program uses the card."),
            "activations": self.tr("Intermediate results while a question is read."),
            "graphs": self.tr("Recorded sequences of work that make writing faster. Faster start leaves them out."),
            "kv_cache": self.tr("Memory for the conversation: keys and values of every token in context."),
            "kv_more": self.tr("vLLM fills the rest of its share with KV cache: room for more conversations."),
            "processes": self.tr("The programs of the server: Python, PyTorch, vLLM."),
            "pinned_weights": self.tr("Weights kept in RAM, each block rounded up to a power of two."),
            "ple_table": self.tr("A table of the model that is kept in RAM."),
            "ple_cache": self.tr("The latest rows of a table that stays on the disk."),
            "kv_offload": self.tr("Finished prompts kept in RAM, so that they need not be read again."),
            "download": self.tr("The model's files that are still to be downloaded."),
            "engine": self.tr("The engine that is installed first."),
            "caches": self.tr("Compiled parts that vLLM keeps for the next start."),
        }.get(part, "")
