"""The memory limit that a container, a systemd unit or a batch system puts on us (cgroup v1 and v2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from core.machine.model import MemoryLimit
from core.machine.mounts import Mount, read_mounts
from core.machine.reading import NOT_PRESENT, Known, Reading
from core.machine.tree import Tree

# cgroup v1 says "no limit" as 2^63 rounded down to a page; nobody limits to an exbibyte.
_NO_LIMIT: Final = 1 << 60


@dataclass(frozen=True, slots=True)
class _Level:
    """One cgroup directory with the names of its files in this version."""

    folder: str
    limits: tuple[str, ...]
    usage: str
    inactive: str
    events: str


_V1: Final = (("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file", "memory.oom_control")
# memory.high throttles so hard above it that it is a limit for planning, as memory.max is one for the OOM killer.
_V2: Final = (("memory.max", "memory.high"), "memory.current", "inactive_file", "memory.events")


class CgroupMemory:
    """Finds our cgroup and its ancestors once; `read` looks at their limits each time, for they can be changed."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.version = 0
        self._levels: tuple[_Level, ...] = ()
        self._mount: Mount | None = None
        mounts = read_mounts(tree)
        text = tree.text("/proc/self/cgroup").or_none() or ""
        if (path := _path_in(text, 1)) is not None:
            mount = next((m for m in mounts if m.filesystem == "cgroup" and "memory" in m.options), None)
            self._found(1, mount, path, _V1)
        elif (path := _path_in(text, 2)) is not None:
            mount = next((m for m in mounts if m.filesystem == "cgroup2"), None)
            self._found(2, mount, path, _V2)

    def _found(
        self, version: int, mount: Mount | None, path: str, names: tuple[tuple[str, ...], str, str, str]
    ) -> None:
        if mount is None:
            return
        inside = _below(path, mount.root)
        # In a container the path may be the host's, which is not visible here: the mount itself is then our cgroup.
        if not self._tree.exists(mount.point + inside):
            inside = ""
        folders = [mount.point + inside]
        while len(folders[-1]) > len(mount.point):
            folders.append(folders[-1].rpartition("/")[0])
        self.version = version
        self._mount = mount
        self._levels = tuple(_Level(folder, *names) for folder in folders)

    def read(self) -> Reading[MemoryLimit]:
        """The level with the least room left, unknown (`NOT_PRESENT`) when no level has a limit."""
        tightest: MemoryLimit | None = None
        for level in self._levels:
            limit = self._limit(level)
            if limit is None:
                continue
            used = self._used(level)
            if tightest is None or limit - used < tightest.limit_bytes - tightest.used_bytes:
                tightest = MemoryLimit(limit, used, self.version, level.folder)
        return NOT_PRESENT if tightest is None else Known(tightest)

    def holds(self, pid: int, limit: MemoryLimit) -> bool:
        """Whether a process's memory counts against `limit`: it is in that cgroup or below."""
        path = _path_in(self._tree.text(f"/proc/{pid}/cgroup").or_none() or "", limit.version)
        if path is None or self._mount is None or path.startswith("/.."):
            return False
        inside, level = _below(path, self._mount.root), limit.path[len(self._mount.point) :]
        return inside == level or inside.startswith(level + "/") or not level

    def oom_kills(self) -> int:
        """How often the kernel killed in our own cgroup because its memory was used up (v2: below it as well)."""
        return _count(self._tree.text(f"{self._levels[0].folder}/{self._levels[0].events}")) if self._levels else 0

    def pressure_file(self) -> str:
        """Where this cgroup's own pressure stands (v2 only), else the whole system's."""
        if self.version == 2 and self._levels:
            own = f"{self._levels[0].folder}/memory.pressure"
            if self._tree.exists(own):
                return own
        return "/proc/pressure/memory"

    def _limit(self, level: _Level) -> int | None:
        limits = [self._tree.text(f"{level.folder}/{name}").or_none() for name in level.limits]
        numbers = [int(text) for text in limits if text and text.isdecimal() and int(text) < _NO_LIMIT]
        return min(numbers, default=None)

    def _used(self, level: _Level) -> int:
        usage = self._tree.integer(f"{level.folder}/{level.usage}").or_none() or 0
        stat = self._tree.text(f"{level.folder}/memory.stat").or_none() or ""
        for line in stat.splitlines():
            name, _, value = line.partition(" ")
            if name == level.inactive and value.isdecimal():
                return max(0, usage - int(value))
        return usage


def oom_kills_anywhere(tree: Tree) -> int:
    """The same for the whole system, cgroups included: what `/proc/vmstat` counts since it was started (Linux 4.13)."""
    return _count(tree.text("/proc/vmstat"))


def _count(reading: Reading[str]) -> int:
    for line in (reading.or_none() or "").splitlines():
        name, _, value = line.partition(" ")
        if name == "oom_kill" and value.isdecimal():
            return int(value)
    return 0


def _path_in(text: str, version: int) -> str | None:
    """The path in `/proc/<pid>/cgroup` (cgroups(7)) of the memory controller: v1's own line, or v2's "0::"."""
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if version == 1 and "memory" in controllers.split(","):
            return path
        if version == 2 and number == "0" and not controllers:
            return path
    return None


def _below(path: str, root: str) -> str:
    """`path` as seen from a mount that shows the hierarchy from `root` on; "" for the mount itself."""
    if root not in ("", "/") and (path == root or path.startswith(root + "/")):
        path = path[len(root) :]
    return "" if path in ("", "/") or path.startswith("/..") else path.rstrip("/")
