"""Did the kernel kill for lack of memory while a server ran? A SIGKILL alone does not say who sent it."""

from __future__ import annotations

from core.machine.cgroup import CgroupMemory, oom_kills_anywhere
from core.machine.tree import Tree


class OomWatch:
    """Counts from the moment it is made. `tree` is another computer's files in tests."""

    def __init__(self, tree: Tree | None = None) -> None:
        self._tree = tree or Tree()
        self._cgroup = CgroupMemory(self._tree)
        self._before = self._counts()

    def kills(self) -> int:
        """Kills since then: of our own cgroup or, where those are more, of the whole system."""
        return max(0, *(now - before for now, before in zip(self._counts(), self._before, strict=True)))

    @property
    def limit_bytes(self) -> int | None:
        """The tightest limit of memory above us, None without one."""
        limit = self._cgroup.read().or_none()
        return limit.limit_bytes if limit is not None else None

    def _counts(self) -> tuple[int, int]:
        return self._cgroup.oom_kills(), oom_kills_anywhere(self._tree)
