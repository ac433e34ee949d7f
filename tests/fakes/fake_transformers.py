"""Stands in for `transformers` where the starter is made without an engine. The "GGUF" is JSON that says what to do:
{"weight_bytes": n, "fail": reason, "exit": code, "sleep_s": s, "template": false}."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


class GgufConfig:
    def __init__(self, **_arguments: Any) -> None:
        pass


class _Config:
    quantization_config = None

    def __init__(self) -> None:
        self.quantization_config = {"packed": True}


class AutoModelForCausalLM:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.config = _Config()
        self.generation_config: dict[str, Any] = {}

    @classmethod
    def from_pretrained(cls, folder: str, gguf_file: str, **_arguments: Any) -> AutoModelForCausalLM:
        script = json.loads((Path(folder) / gguf_file).read_text())
        print("Loading weights:  50%", file=sys.stderr, flush=True)
        time.sleep(script.get("sleep_s", 0))
        if "exit" in script:
            os._exit(script["exit"])
        if "fail" in script:
            raise ValueError(script["fail"])
        return cls(script)

    def save_pretrained(self, target: Path) -> None:
        size = self.script["weight_bytes"]
        entry = {"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}
        header = json.dumps(entry).encode()
        (target / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * size)
        config = {"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 8192}
        (target / "config.json").write_text(json.dumps(config))
        (target / "generation_config.json").write_text(json.dumps(self.generation_config))
        if self.script.get("template", True):
            (target / "chat_template.jinja").write_text("{{ messages }}")


class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, _folder: str, gguf_file: str = "") -> AutoTokenizer:
        return cls()

    def save_pretrained(self, target: Path) -> None:
        (target / "tokenizer.json").write_text("{}")

    def apply_chat_template(self, messages: list[dict[str, str]], **_arguments: Any) -> str:
        return messages[0]["content"]
