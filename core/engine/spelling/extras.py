"""Adapters, speculative decoding, limits of images, and the parsers of a model's family."""

from __future__ import annotations

import json

from core.engine.arguments import Sheet
from core.engine.build import Build
from core.engine.model_parsers import suggested
from core.engine.options import LaunchRequest, Speculative


def spell(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    options = request.options
    if options.loras:
        sheet.add("--enable-lora")
        sheet.add("--lora-modules", *(json.dumps({"name": each.name, "path": each.path}) for each in options.loras))
        if options.max_lora_rank is not None:
            sheet.add("--max-lora-rank", options.max_lora_rank)
    if options.speculative is not None:
        sheet.add("--speculative-config", json.dumps(_speculative(options.speculative)))
    if options.multimodal:
        sheet.add("--limit-mm-per-prompt", json.dumps(dict(options.multimodal)))
    if options.text_only:
        _text_only(build, sheet)
    if options.chat_template:
        sheet.add("--chat-template", options.chat_template)
    _parsers(request, build, sheet)


def _speculative(wish: Speculative) -> dict[str, object]:
    config: dict[str, object] = {"method": wish.method, "num_speculative_tokens": wish.tokens}
    if wish.model:
        config["model"] = wish.model
    if wish.lookup > 0:
        config["prompt_lookup_max"] = wish.lookup
    return config


def _text_only(build: Build, sheet: Sheet) -> None:
    """Older versions load the towers all the same; then no item is allowed."""
    if build.has("--language-model-only"):
        sheet.add("--language-model-only")
    else:
        sheet.note("option.no_text_only", version=build.text)


def _parsers(request: LaunchRequest, build: Build, sheet: Sheet) -> None:
    options = request.options
    own = suggested(request.traits.architecture, request.traits.template, build.capabilities)
    reasoning = own.reasoning if options.reasoning_parser == "auto" else options.reasoning_parser
    tools = own.tools if options.tool_parser == "auto" else options.tool_parser
    if reasoning:
        sheet.add("--reasoning-parser", reasoning)
    if tools:
        sheet.add("--enable-auto-tool-choice")
        sheet.add("--tool-call-parser", tools)
