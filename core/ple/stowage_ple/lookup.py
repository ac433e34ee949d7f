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


def known_tables() -> tuple[PleTable, ...]:
    """Every table of this process."""
    return tuple(_tables.values())


def lookup(ids: torch.Tensor, name: str, width: int, like: torch.Tensor) -> torch.Tensor:
    """Rows of table `name` for `ids`: shape ids.shape + (width,), type and device of `like` (an empty tensor)."""
    return _OPERATOR(ids, name, width, like)


def _gather(ids: torch.Tensor, name: str, width: int, like: torch.Tensor) -> torch.Tensor:
    return _tables[name].gather(ids)


def _shape(ids: torch.Tensor, name: str, width: int, like: torch.Tensor) -> torch.Tensor:
    return ids.new_empty((*ids.shape, width), dtype=like.dtype)


# Not by `custom_op`: its wrapping for autograd was some 35 us of a lookup's 175 inside a running model.
_library = torch.library.Library("stowage_ple", "DEF")
_library.define("lookup(Tensor ids, str name, int width, Tensor like) -> Tensor")
_library.impl("lookup", _gather, "CompositeExplicitAutograd")
torch.library.register_fake(OPERATOR, _shape, lib=_library)
_OPERATOR = torch.ops.stowage_ple.lookup.default
