"""The options of a launch that have a figure: what each is called, means, and how far it goes."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.pages.launch.tuning_row import TuningRow

CONTEXT_STEP = 256
MOST_CONTEXT = 16_777_216
MOST_KV_GIB = 512
MOST_OFFLOAD_GIB = 1024.0
MOST_FREE_GIB = 64.0


class TuningRows(QObject):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.context = TuningRow(
            parent,
            "contextBox",
            self.tr("Context"),
            self.tr("How many tokens question and answers may have together. More context needs more memory."),
        )
        self.context.set_range(0, MOST_CONTEXT, CONTEXT_STEP)
        self.context.field.setSpecialValueText(self.tr("the model's own"))
        self.context.field.setSuffix(self.tr(" tokens"))
        self.requests = TuningRow(
            parent,
            "requestsBox",
            self.tr("At once"),
            self.tr("How many requests are answered at the same time; others wait for their turn."),
        )
        self.requests.set_range(0, 1024, 1)
        self.requests.field.setSpecialValueText(self.tr("as vLLM likes"))
        self.kv = TuningRow(
            parent,
            "kvBox",
            self.tr("KV cache"),
            self.tr("Memory (RAM) set aside for the conversation: keys and values of every token in context."),
        )
        self.kv.set_range(1, MOST_KV_GIB, 1)
        self.kv.field.setSuffix(self.tr(" GiB"))
        self.free = TuningRow(
            parent,
            "leaveFreeBox",
            self.tr("Leave free"),
            self.tr("Memory of the graphics card that vLLM must not take: for your desktop and other programs."),
            whole=False,
        )
        self.free.set_range(0, MOST_FREE_GIB, 0.1)
        self.offload = TuningRow(
            parent,
            "offloadBox",
            self.tr("Offload"),
            self.tr("Weights kept in RAM instead of on the graphics card. Every token waits for them."),
            whole=False,
        )
        self.offload.set_range(0, MOST_OFFLOAD_GIB, 0.25)
        self.offload.field.setSpecialValueText(self.tr("none"))
        for decimal in (self.free, self.offload):
            decimal.field.setSuffix(self.tr(" GiB"))
        self.step = TuningRow(
            parent,
            "stepTokensBox",
            self.tr("Tokens per step"),
            self.tr("How much of a long question is read in one go. Less needs less memory and reads more slowly."),
        )
        self.step.set_range(0, 1_048_576, CONTEXT_STEP)
        self.step.field.setSpecialValueText(self.tr("as vLLM likes"))
        self.all = (self.context, self.requests, self.kv, self.free, self.offload, self.step)
