"""Stands in for torchvision where a model with towers is imported and only its text is used. Laid down as a package by
`tests/support/ple_runs.py`; nothing of it ever sees a picture.

The CPU build of vLLM 0.32 has no torchvision that fits it (PyPI's own 0.28.0 fails on import: "operator
torchvision::nms does not exist"), and transformers 5.19 imports it for Gemma 4's and Gemma 3n's wrappers.
"""

from __future__ import annotations

import enum
import importlib.machinery
import sys
import types

__version__ = "0.28.0"


class InterpolationMode(enum.Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


def no_picture(*_arguments: object, **_options: object) -> None:
    raise RuntimeError("this stand-in for torchvision can do nothing with pictures")


def _module(name: str, **names: object) -> None:
    made = types.ModuleType(name)
    made.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    made.__path__ = []
    made.__dict__.update(names)
    sys.modules[name] = made
    parent, _, own = name.rpartition(".")
    setattr(sys.modules[parent], own, made)


if __name__ == "torchvision":
    _names = {"InterpolationMode": InterpolationMode, "pil_to_tensor": no_picture}
    _module("torchvision.io", ImageReadMode=object, decode_image=no_picture)
    _module("torchvision.transforms", **_names)
    _module("torchvision.transforms.functional", **_names)
    _module("torchvision.transforms.v2", **_names)
    _module("torchvision.transforms.v2.functional", **_names)
