"""Every seldom option: its group, its name, one sentence about it, and its field."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from gui.pages.launch.more.compound import PrefetchField, SpeculativeField
from gui.pages.launch.more.fields import (
    CheckField,
    Field,
    NumberField,
    PickField,
    SizeField,
    TextField,
    TristateField,
    WithButton,
)
from gui.pages.launch.more.words_of import counts, joined, loras, pairs, words, written_loras, written_pairs
from gui.widgets.buttons import icon_button


@dataclass(frozen=True, slots=True)
class Row:
    """`option`: the name in `option_facts`; `wide`: the field takes the sentence's place too, which goes below."""

    option: str
    group: str
    name: str
    hint: str
    field: Field
    wide: bool = False


class MoreRows(QObject):
    """`all` in the order of the page."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.own = self.tr("as vLLM likes")
        self.chat_template = WithButton(
            TextField("chatTemplateBox", self.tr("the model's own")),
            icon_button("folder", "chatTemplateBrowse", self.tr("Choose a template file")),
        )
        self.loras = WithButton(
            TextField("lorasBox", self.tr("name=folder"), loras, written_loras),
            icon_button("folder", "lorasBrowse", self.tr("Add an adapter's folder")),
        )
        self.extra = TextField("extraBox", "--flag value", words, joined)
        first = (*self._speed(), *self._numbers(), *self._cards())
        self.all = (*first, *self._abilities(), *self._answers(), *self._rest())

    def _speed(self) -> tuple[Row, ...]:
        group, own = self.tr("Memory and speed"), self.own
        on, off = self.tr("on"), self.tr("off")
        return (
            Row("kv_cache_bytes", group, self.tr("KV cache, exactly"),
                self.tr("A fixed size instead of all that “Leave free” leaves."),
                SizeField("kvBytesBox", self.tr("by what is free"), self.tr(" GiB"))),
            Row("prefix_caching", group, self.tr("Prefix caching"),
                self.tr("Prompts that begin alike are read once."),
                TristateField("prefixCachingBox", own, on, off)),
            Row("async_scheduling", group, self.tr("Async scheduling"),
                self.tr("Prepares the next step while one is computed."),
                TristateField("asyncBox", own, on, off)),
            Row("offload_params", group, self.tr("Which weights"),
                self.tr("Parts of names, such as experts; empty: the first layers."),
                TextField("offloadParamsBox", self.tr("any"), words, joined)),
            Row("offload_groups", group, self.tr("Fetch ahead"),
                self.tr("Offload by groups of layers that are copied before they are needed, instead of by GiB."),
                PrefetchField("prefetchBox"), wide=True),
        )  # fmt: skip

    def _numbers(self) -> tuple[Row, ...]:
        group, own = self.tr("Numbers and files"), self.tr("the model's own")
        return (
            Row("dtype", group, self.tr("Compute in"),
                self.tr("The number format, where the model is not quantized."),
                PickField("dtypeBox", ((own, "auto"),))),
            Row("quantization", group, self.tr("Quantization"),
                self.tr("Found out by itself; a method here packs a plain model."),
                PickField("quantizationBox", ((own, ""),))),
            Row("load_format", group, self.tr("Load format"),
                self.tr("“dummy” makes random weights, for trying the speed."),
                PickField("loadFormatBox", ((self.own, "auto"),))),
        )  # fmt: skip

    def _cards(self) -> tuple[Row, ...]:
        group, none = self.tr("Several cards"), self.tr("one")
        return (
            Row("tensor_parallel", group, self.tr("Split layers over"),
                self.tr("Tensor parallel: all cards work on each layer."),
                NumberField("tpBox", none, 1, first=1, last=64)),
            Row("pipeline_parallel", group, self.tr("Split the model over"),
                self.tr("Pipeline parallel: each card has some of the layers."),
                NumberField("ppBox", none, 1, first=1, last=64)),
        )  # fmt: skip

    def _abilities(self) -> tuple[Row, ...]:
        group, own = self.tr("What the model can do"), self.own
        return (
            Row("loras", group, self.tr("LoRA adapters"),
                self.tr("Each is asked for by its name instead of the model's."), self.loras, wide=True),
            Row("max_lora_rank", group, self.tr("Largest rank"),
                self.tr("The largest among the adapters; more takes more memory."),
                NumberField("loraRankBox", own, None, first=0, last=512)),
            Row("speculative", group, self.tr("Guess ahead"),
                self.tr("Speculative decoding: cheap guesses that the model checks in one step."),
                SpeculativeField("speculativeBox"), wide=True),
            Row("multimodal", group, self.tr("Images and the like"),
                self.tr("At most so many in a prompt; fewer need less memory."),
                TextField("multimodalBox", "image=2 video=0", counts, written_pairs)),
            Row("text_only", group, self.tr("Text only"),
                self.tr("Saves the memory of the parts for images and sound."),
                CheckField("textOnlyBox", self.tr("leave the rest out"))),
        )  # fmt: skip

    def _answers(self) -> tuple[Row, ...]:
        group = self.tr("Answers and the API")
        fixed = ((self.tr("by the model's family"), "auto"), (self.tr("none"), ""))
        return (
            Row("reasoning_parser", group, self.tr("Reasoning parser"),
                self.tr("Tells thinking from the answer."), PickField("reasoningBox", fixed)),
            Row("tool_parser", group, self.tr("Tool parser"),
                self.tr("Reads calls of tools out of the answer."), PickField("toolBox", fixed)),
            Row("chat_template", group, self.tr("Chat template"),
                self.tr("A file that says how a conversation becomes a prompt."), self.chat_template, wide=True),
            Row("served_name", group, self.tr("Name in the API"),
                self.tr("What programs ask for as “model”."), TextField("servedNameBox", self.tr("the model's own"))),
            Row("seed", group, self.tr("Seed"),
                self.tr("The same seed draws the same tokens again."),
                NumberField("seedBox", self.own, None, first=-1, last=2_147_483_647)),
        )  # fmt: skip

    def _rest(self) -> tuple[Row, ...]:
        group, log = self.tr("Processor and log"), self.tr("Everything else")
        return (
            Row("cpu_threads", group, self.tr("Threads on"),
                self.tr("Cores such as 0-7; “nobind”: as the system likes."),
                TextField("cpuThreadsBox", self.own)),
            Row("cpu_reserved", group, self.tr("Cores kept free"),
                self.tr("For the server itself and your desktop."),
                NumberField("cpuReservedBox", self.own, None, first=-1, last=256)),
            Row("log_level", group, self.tr("Log"),
                self.tr("How much vLLM writes; DEBUG slows it down."),
                PickField("logLevelBox", ((self.own, ""),))),
            Row("log_requests", group, self.tr("Log requests"),
                self.tr("Parameters and parts of prompts go into the log file."),
                CheckField("logRequestsBox", self.tr("write them down"))),
            Row("env", log, self.tr("Variables"),
                self.tr("Environment of this server, NAME=value. No secrets: commands are shown."),
                TextField("envBox", "NAME=value", pairs, written_pairs), wide=True),
            Row("extra", log, self.tr("Extra arguments"),
                self.tr("Put at the end of the command line as they are, and checked while you type."),
                self.extra, wide=True),
        )  # fmt: skip
