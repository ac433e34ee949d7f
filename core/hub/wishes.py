"""Whether what a person wants to set about the Hub can be used: told when it is typed, not at the next search."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Any

from core.errors import AppError
from core.hub.connection import clean_endpoint, proxy_url, ssl_context
from core.hub.places import path_of


def check_wishes(values: Mapping[str, Any]) -> None:
    """Blocking: looks at the disk, never at the network. Settings that are not of the Hub pass.

    Raises:
        AppError: `hub.bad_endpoint`, `hub.bad_proxy`, `hub.bad_ca_bundle`, `download.not_writable` for a cache folder
            that cannot be one.
    """
    clean_endpoint(_text(values, "hub_endpoint"))
    proxy_url(_text(values, "hub_proxy").strip())
    ssl_context(_text(values, "hub_ca_bundle").strip())
    _check_folder(_text(values, "hub_cache"))


def _check_folder(text: str) -> None:
    folder = path_of(text)
    if folder is None:
        return
    reason = 0
    if not folder.is_absolute():
        reason = errno.ENOENT
    elif folder.exists() and not folder.is_dir():
        reason = errno.ENOTDIR
    else:
        place = next(place for place in (folder, *folder.parents) if place.exists())
        if not place.is_dir():
            reason = errno.ENOTDIR
        elif not os.access(place, os.W_OK):
            reason = errno.EACCES
    if reason:
        raise AppError("download.not_writable", path=text, reason=os.strerror(reason))


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name, "")
    return value if isinstance(value, str) else ""
