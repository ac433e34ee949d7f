"""Everything about one build, from its package folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from core.engine.capabilities import features, registry
from core.engine.capabilities.model import Capabilities
from core.engine.capabilities.noops import noops
from core.engine.capabilities.options import read_options
from core.engine.capabilities.source import Source
from core.errors import AppError

_NUMBER: Final = re.compile(r"\d+")


def read_capabilities(package: Path, version: str, platform: str) -> Capabilities:
    """Read `…/site-packages/vllm` as text: 0.5 to 1 s.

    Args:
        version: of the distribution ("0.32.0+cpu").
        platform: vLLM's device type, "" when it is not known.

    Raises:
        AppError: `engine.unreadable` when there is no vLLM or none of its options can be found.
    """
    source = Source(package)
    options = read_options(source)
    if not options:
        raise AppError("engine.unreadable", path=str(package))
    found = features.features(source)
    return Capabilities(
        version=plain_version(version),
        platform=platform,
        options=options,
        architectures=registry.architectures(source),
        removed_architectures=registry.removed_architectures(source),
        quantizations=registry.quantizations(source),
        reasoning_parsers=registry.reasoning_parsers(source),
        tool_parsers=registry.tool_parsers(source),
        environment=registry.environment(source),
        features=found,
        ple=features.ple_controls(source),
        ngram_architectures=features.ngram_architectures(source),
        noops=noops(version_numbers(version), platform, options, frozenset(feature.id for feature in found)),
    )


def plain_version(version: str) -> str:
    return version.partition("+")[0]


def version_numbers(version: str) -> tuple[int, ...]:
    """(0, 32, 0) of "0.32.0+cpu", (0, 28, 1) of "0.28.1rc1.dev130"; () when there is none."""
    return tuple(int(part) for part in _NUMBER.findall(plain_version(version))[:3])
