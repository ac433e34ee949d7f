"""A package of a few files that declares options in every way that vLLM does. It cannot be imported."""

from __future__ import annotations

from pathlib import Path

ARG_UTILS = """
import argparse
from vllm.config import ModelConfig, CacheConfig
from .names import HELP

@dataclass
class EngineArgs:
    def add_cli_args(parser):
        model_kwargs = get_kwargs(ModelConfig)
        group = parser.add_argument_group(title="Model things", description="x")
        if not hidden:
            group.add_argument("--model", **model_kwargs["model"])
        group.add_argument("--dtype", **model_kwargs["dtype"])
        group.add_argument("--quantization", "-q", **model_kwargs["quantization"])
        group.add_argument("--eager", **model_kwargs["eager"])
        group.add_argument("--names", **model_kwargs["names"])
        group.add_argument("--tables", **{**model_kwargs["tables"], "default": None})
        group.add_argument("--limits", **model_kwargs["limits"])
        cache = get_kwargs(CacheConfig)
        one = cache["backend"]
        one["type"] = str
        cache["backend"]["choices"].remove("hidden")
        group.add_argument("--backend", **one)
        group.add_argument("--gone", action=argparse.BooleanOptionalAction, default=None, help=HELP)
        return parser
class AsyncEngineArgs(EngineArgs):
    verbose: bool = False
    def add_cli_args(parser):
        parser.add_argument("--verbose", action="store_true", default=AsyncEngineArgs.verbose)
"""
CONFIG = '''
from typing import Literal, Optional, Union
from vllm.other import Kinds
DType = Literal["auto", "half"]
@config
class Tables:
    """Docs."""
    cpu: bool = True
    extra: int = 1
@dataclass(config=ConfigDict(extra="forbid"))
class Base:
    model: str = "org/name"
    """The model."""
@config
class ModelConfig(Base):
    kind: ClassVar[str] = "x"
    dtype: Union[DType, "torch.dtype"] = "auto"
    """How wide.

    Two paragraphs."""
    quantization: Optional[Kinds] = None
    eager: bool = False
    names: list[str] = field(default_factory=list)
    tables: Tables = Field(default_factory=Tables)
    limits: Limits = Field(default_factory=Limits)
class Limits(dict[str, Base]):
    """A dict on the command line."""
class CacheConfig:
    backend: Literal["a", "b", "hidden"] = "a"
'''
FRONTEND = '''
class Base:
    key: list[str] | None = None
    """A key."""
class FrontendArgs(Base):
    port: int = 8000
    allowed_origins: list[str] = field(default_factory=lambda: ["*"])
def make_arg_parser(parser):
    parser.add_argument("model_tag", nargs="?")
    parser.add_argument("--count", "-c", type=int, default=1, help="How " "many.")
'''
REGISTRY = """
_TEXT_GENERATION_MODELS = {"OneForCausalLM": ("one", "One"), "TwoForCausalLM": ("two", "Two")}
_MULTIMODAL_MODELS = {"SeeForCausalLM": ("see", "See")}
_VLLM_MODELS = {**_TEXT_GENERATION_MODELS}
_PREVIOUSLY_SUPPORTED_MODELS = {"OldForCausalLM": "0.9.2"}
"""
QUANTIZATION = """
from typing import Literal
QuantizationMethods = Literal["one", "two", "odd"]
DEPRECATED_QUANTIZATION_METHODS = ["two"]
def get_quantization_config(quantization):
    from .one import OneConfig
    from .two import TwoConfig
    method_to_config = {"one": OneConfig, "two": TwoConfig}
    return method_to_config[quantization]
"""
FILES = {
    "__init__.py": "raise ImportError('this package must not be imported')",
    "engine/arg_utils.py": ARG_UTILS,
    "engine/names.py": 'HELP = "Gone: deprecated and has no effect. " + "Sorry."',
    "config/__init__.py": "from vllm.config.model import ModelConfig, CacheConfig",
    "config/model.py": CONFIG,
    "other.py": 'Kinds = Literal["awq", "fp8"]',
    "entrypoints/openai/cli_args.py": FRONTEND,
    "model_executor/models/registry.py": REGISTRY,
    "model_executor/layers/quantization/__init__.py": QUANTIZATION,
    "model_executor/layers/quantization/one.py": (
        "class OneConfig:\n    def get_min_capability(cls):\n        return 75\n"
    ),
    "model_executor/layers/quantization/two.py": (
        "from .one import OneConfig\nclass TwoConfig(OneConfig):\n    pass\n"
    ),
    "envs.py": 'environment_variables = {"VLLM_A": 1, "VLLM_PLE_MMAP": 2}\nVLLM_PLE_MMAP: bool = False\n',
    "reasoning/__init__.py": "",
    "reasoning/x.py": '@ReasoningParserManager.register_module(["think"])\nclass X: ...\n',
    "v1/worker/gpu/model_runner.py": "nothing here",
}


def package(folder: Path) -> Path:
    """Lay it out as `folder/vllm`; files that are there already (those of a fake engine) stay as they are."""
    for name, text in FILES.items():
        file = folder / "vllm" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(text, encoding="utf-8")
    return folder / "vllm"
