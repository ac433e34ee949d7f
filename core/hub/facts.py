"""What a plan needs of a repository at one commit, as it is fetched and kept: its config, the sizes of its files, and
the sums of its weight files' headers. Never a weight."""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec

from core.checkpoint.architecture import Checkpoint, read_checkpoint
from core.checkpoint.listing import Listing, read_listing
from core.checkpoint.weights_on_disk import WeightsOnDisk

FORMAT: Final = 1
"""Raise it when something else is read or summed."""


class RepoFacts(msgspec.Struct, frozen=True):
    """`sizes` by path, in bytes. `weight_map`: the shards that the index names, None without one. `quant_file`: what
    ModelOpt or AutoGPTQ keep beside the config. `disk` None, or `config` None, where `reason` says why (a word id of
    the group [fit_reason]). `parameters`: elements of the model when it is not quantized, None when not known.
    """

    repo_id: str
    commit: str
    sizes: dict[str, int]
    config: dict[str, Any] | None = None
    weight_map: tuple[str, ...] | None = None
    quant_file: dict[str, Any] | None = None
    disk: WeightsOnDisk | None = None
    parameters: int | None = None
    reason: str = ""
    format: int = FORMAT

    @property
    def listing(self) -> Listing:
        return read_listing(cast("dict[str, int | None]", self.sizes), self.weight_map)

    def checkpoint(self) -> Checkpoint | None:
        """None without a config. Raises `AppError` `model.not_a_checkpoint`."""
        if self.config is None:
            return None
        return read_checkpoint(self.config, quant_file=self.quant_file, disk=self.disk)
