"""What of an engine decides how a wish is spelt: its flags and what its source shows, or what its version says.

Versions were read from the wheels (see `capabilities.features`); a test holds this table to what the reader finds in
them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from core.engine.capabilities.model import Capabilities
from core.engine.capabilities.read import version_numbers

Version = tuple[int, ...]

# Flags that not every version from 0.10 on has: first version with it, first one without.
FLAGS: Final[Mapping[str, tuple[Version, Version | None]]] = MappingProxyType(
    {
        "--swap-space": ((0, 0), (0, 18)),
        "--kv-offloading-size": ((0, 12), None),
        "--kv-offloading-backend": ((0, 12), None),
        "--cpu-offload-params": ((0, 17), None),
        "--offload-group-size": ((0, 17), None),
        "--language-model-only": ((0, 17), None),
        "--engram-config": ((0, 30), None),
    }
)
FEATURES: Final[Mapping[str, tuple[Version, Version | None]]] = MappingProxyType(
    {
        "v0_engine": ((0, 0), (0, 11)),
        "offload_backends": ((0, 17), None),
        "hybrid_refuses_offload": ((0, 0), (0, 21)),
        "v2_runner_offloads": ((0, 28), None),
        "kv_tier_disk": ((0, 22), None),
        "kv_backend_disk": ((0, 28), None),
        "wsl_pinning": ((0, 24), None),
    }
)
# The V2 runner became the default of more and more models from 0.22 on (PRs 39337, 42667, 44443).
V2_DEFAULT: Final = (0, 22)
# From here on the V2 runner starts without UVA (PR 56908).
V2_WITHOUT_UVA: Final = (0, 30)


@dataclass(frozen=True, slots=True)
class Build:
    """`capabilities` None: nothing was read, and the version answers."""

    version: Version
    platform: str
    capabilities: Capabilities | None = None

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def cpu(self) -> bool:
        return self.platform == "cpu"

    def has(self, flag: str) -> bool:
        if self.capabilities is not None:
            return self.capabilities.option(flag) is not None
        return _covers(FLAGS[flag], self.version) if flag in FLAGS else True

    def does(self, feature: str) -> bool:
        if self.capabilities is not None:
            return self.capabilities.has(feature)
        return _covers(FEATURES[feature], self.version)

    def reads(self, variable: str) -> bool:
        """Whether it knows an environment variable; False when that is not known."""
        return self.capabilities is not None and variable in self.capabilities.environment

    def has_field(self, flag: str, field: str) -> bool:
        """Whether a JSON option takes a key; False when that is not known."""
        option = self.capabilities.option(flag) if self.capabilities is not None else None
        return option is not None and field in option.fields

    @property
    def v2_ignores_offload(self) -> bool:
        """Its V2 runner accepts weight offload and moves nothing (PR 51413), and it may choose that runner itself."""
        return not self.cpu and self.version >= V2_DEFAULT and not self.does("v2_runner_offloads")


def _covers(span: tuple[Version, Version | None], version: Version) -> bool:
    since, until = span
    return version >= since and (until is None or version < until)


@functools.lru_cache(maxsize=64)
def guessed(version: str, platform: str) -> Build:
    """From the version alone; one that cannot be read counts as the newest known."""
    return Build(version_numbers(version) or (0, 33, 0), platform)


def of_capabilities(found: Capabilities) -> Build:
    return Build(version_numbers(found.version) or (0, 33, 0), found.platform, found)
