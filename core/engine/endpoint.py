"""Where a ready server answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that answered. `base_url` has no trailing slash and no `/v1`; `model` is its served name."""

    base_url: str
    model: str
    api_key: str = field(repr=False)
