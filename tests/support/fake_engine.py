"""A virtual environment that looks like one with vLLM in it, and a checkpoint folder that looks like a model's."""

from __future__ import annotations

import json
import struct
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

FAKES = Path(__file__).parents[1] / "fakes"
VERSION = "0.32.0"

_SERVER = """\
import os, runpy, sys
from pathlib import Path
if __name__ == "__main__":
    here = Path(__file__).parent
    for line in (here / "environment").read_text().splitlines():
        name, _, value = line.partition("=")
        os.environ[name] = value
    sys.argv = [sys.argv[0], *sys.argv[1:], *(here / "switches").read_text().splitlines()]
    runpy.run_path({program!r}, run_name="__main__")
"""


class FakeEngine:
    """`folder` is what a user points at. `behave` sets the switches of `fake_vllm.py` for the next launch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = folder / "lib" / version / "site-packages"
        self._server = site / "vllm" / "entrypoints" / "openai"
        info = site / f"vllm-{VERSION}.dist-info"
        for package in (self._server, site / "vllm" / "model_executor" / "models", info):
            package.mkdir(parents=True)
        for package in ("", "entrypoints", "entrypoints/openai", "model_executor", "model_executor/models"):
            (site / "vllm" / package / "__init__.py").write_text("", encoding="ascii")
        (site / "vllm" / "platforms.py").write_text(
            "class current_platform:\n    device_type = 'cpu'\n", encoding="ascii"
        )
        (site / "vllm" / "model_executor" / "models" / "llama.py").write_text("", encoding="ascii")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}\n", encoding="ascii")
        program = _SERVER.format(program=str(FAKES / "fake_vllm_chat.py"))
        (self._server / "api_server.py").write_text(program, encoding="utf-8")
        self.behave()

    def behave(self, *switches: str, **environment: str) -> None:
        (self._server / "switches").write_text("\n".join(switches), encoding="utf-8")
        lines = [f"{name}={value}" for name, value in environment.items()]
        (self._server / "environment").write_text("\n".join(lines), encoding="utf-8")


def make_checkpoint(
    folder: Path, *, context_tokens: int = 2048, weight_bytes: int = 4096, config: Mapping[str, object] | None = None
) -> Path:
    """A folder that passes for a checkpoint: config, tokenizer, one safetensors file with a true header. `config`
    adds to config.json."""
    folder.mkdir(parents=True)
    written = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "max_position_embeddings": context_tokens,
        "vocab_size": 64,
        **(config or {}),
    }
    (folder / "config.json").write_text(json.dumps(written), encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    shape = [weight_bytes // 2]
    header = json.dumps({"w": {"dtype": "BF16", "shape": shape, "data_offsets": [0, weight_bytes]}}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + weight_bytes)  # sparse: as large as a model, without its bytes
    return folder
