"""Stands in for timm where a model with towers is imported and only its text is used. Laid down as a package by
`tests/support/ple_runs.py`.

Gemma 3n's tower of pictures is a model of timm's, which needs a torchvision that fits torch; the CPU build of vLLM 0.32
has none (see `fake_torchvision.py`). This one has no weights and never sees a picture.
"""

from __future__ import annotations

import sys
import types

import torch

__version__ = "1.0.20"


class Tower(torch.nn.Module):
    def forward_features(self, _pixels: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("this stand-in for timm can do nothing with pictures")


def create_model(_architecture: str, **_options: object) -> Tower:
    return Tower()


data = types.ModuleType("timm.data")
data.__dict__.update(ImageNetInfo=object, infer_imagenet_subset=lambda _config: None)
sys.modules["timm.data"] = data
