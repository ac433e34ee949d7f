"""The lookup as one opaque operator: ids on any device in, rows on that device out.

An operator of our own, because some models look their rows up inside the graph that torch.compile makes: it must not
look into a file read. Tables are known to it by name, which stays the same from run to run, as compiled graphs are
kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from stowage_ple.table import PleTable

OPERATOR = "stowage_ple::lookup"

_tables: dict[str, PleTable] = {}


def know(name: str, table: PleTable) -> None:
    _tables[name] = table


@torch.library.custom_op(OPERATOR, mutates_args=())
def lookup(ids: torch.Tensor, name: str, width: int, like: torch.Tensor) -> torch.Tensor:
    """Rows of table `name` for `ids`: shape ids.shape + (width,), type and device of `like` (an empty tensor)."""
    return _tables[name].gather(ids)


@lookup.register_fake
def _shape(ids: torch.Tensor, name: str, width: int, like: torch.Tensor) -> torch.Tensor:
    return ids.new_empty((*ids.shape, width), dtype=like.dtype)
