"""Stand-ins for packages that an engine does without. For `precise_plan.py`, in an engine's Python.

The CPU engine has no torchvision (its wheels do not fit the CPU build of torch). Classes of multimodal models import
it when they are loaded; nothing here calls it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types


class Absent:
    """Whatever is asked of it is absent too."""

    def __call__(self, *_args: object, **_options: object) -> Absent:
        return self

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


class _Package(types.ModuleType):
    __path__ = ()
    __version__ = "999"  # those who ask want at least some version

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent()


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != self._package:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Package(spec.name)

    def exec_module(self, module):
        pass


def stand_in(package: str) -> None:
    """Nothing happens where the package is there."""
    if importlib.util.find_spec(package) is None:
        sys.meta_path.append(_Finder(package))
