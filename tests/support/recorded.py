"""Trees of `/proc` and `/sys` as other computers have them, written to a folder."""

from __future__ import annotations

import os
from pathlib import Path

GIB = 1 << 30
FIRST_PID_NAMESPACE = "pid:[4026531836]"


class Recorded:
    """A computer made of files. Starts as a plain Linux desktop: 64 GiB of RAM, ext4 on an NVMe disk, no GPU."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.meminfo(total_gib=64, available_gib=48)
        self.put("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
        self.put("/proc/vmstat", "pswpin 0\npswpout 0\n")
        self.put("/proc/self/cgroup", "0::/user.slice\n")
        self.put("/proc/self/limits", "Max locked memory         8388608              8388608              bytes\n")
        self.put("/proc/self/statm", "100 50 10 0 0 0 0\n")
        self.put("/proc/self/status", "Cpus_allowed_list:\t0-15\n")
        self.put("/proc/cpuinfo", "model name\t: A Desktop CPU\nflags\t\t: fpu avx2 avx512f amx_tile\n")
        self.put("/sys/devices/system/cpu/online", "0-15\n")
        self.link("/proc/self/ns/pid", FIRST_PID_NAMESPACE)
        self.mounts("26 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw")
        self.block("nvme0n1", "pci0000:00/0000:00:06.0/nvme/nvme0", spins=False, partitions={"nvme0n1p2": "259:2"})

    def put(self, path: str, text: str | bytes) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)

    def link(self, path: str, target: str) -> None:
        """`target` absolute inside the tree becomes relative, as sysfs writes it; anything else is kept."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        inside = target.startswith("/") and not target.startswith("//")
        place.symlink_to(os.path.relpath(self.root / target[1:], place.parent) if inside else target)

    def meminfo(self, total_gib: float, available_gib: float, swap_gib: float = 0) -> None:
        figures = {"MemTotal": total_gib, "MemFree": 1, "MemAvailable": available_gib}
        figures |= {"SwapTotal": swap_gib, "SwapFree": swap_gib}
        self.put("/proc/meminfo", "".join(f"{name}:{int(gib * 1048576):>12} kB\n" for name, gib in figures.items()))

    def mounts(self, *lines: str) -> None:
        self.put("/proc/self/mountinfo", "".join(f"{line}\n" for line in lines))
        for line in lines:
            (self.root / line.split()[4].replace("\\040", " ").lstrip("/")).mkdir(parents=True, exist_ok=True)

    def block(
        self, name: str, under: str, *, spins: bool | None, partitions: dict[str, str] | None = None, number: str = ""
    ) -> str:
        """A disk under /sys/devices/<under>; `partitions` are names with their device numbers."""
        folder = f"/sys/devices/{under}/{name}"
        self.put(f"{folder}/size", "1000\n")
        if spins is not None:
            self.put(f"{folder}/queue/rotational", f"{int(spins)}\n")
        self.link(f"/sys/class/block/{name}", folder)
        if number:
            self.link(f"/sys/dev/block/{number}", folder)
        for partition, its_number in (partitions or {}).items():
            self.put(f"{folder}/{partition}/partition", "2\n")
            self.link(f"/sys/class/block/{partition}", f"{folder}/{partition}")
            self.link(f"/sys/dev/block/{its_number}", f"{folder}/{partition}")
        return folder

    def mapped(self, name: str, number: str, *below: str) -> None:
        """A device-mapper or RAID device over others."""
        folder = f"/sys/devices/virtual/block/{name}"
        for slave in below:
            self.link(f"{folder}/slaves/{slave}", f"/sys/class/block/{slave}")
        self.link(f"/sys/class/block/{name}", folder)
        self.link(f"/sys/dev/block/{number}", folder)

    def pci_gpu(
        self,
        bus_id: str,
        vendor: str,
        *,
        device: str = "0x2684",
        status: str = "active",
        control: str = "on",
        card_link: tuple[str, int] = ("16.0 GT/s PCIe", 16),
        slot_link: tuple[str, int] = ("16.0 GT/s PCIe", 16),
    ) -> str:
        """A display controller behind a port. Returns its folder."""
        port = "/sys/devices/pci0000:00/0000:00:01.0"
        folder = f"{port}/{bus_id}"
        for name, text in {
            "class": "0x030000",
            "vendor": vendor,
            "device": device,
            "power/runtime_status": status,
            "power/control": control,
        }.items():
            self.put(f"{folder}/{name}", f"{text}\n")
        for place, (speed, width) in ((folder, card_link), (port, slot_link)):
            self.put(f"{place}/max_link_speed", f"{speed}\n")
            self.put(f"{place}/max_link_width", f"{width}\n")
        self.link(f"/sys/bus/pci/devices/{bus_id}", folder)
        return folder

    def process(
        self, pid: int, name: str, mib: int, *, program: str = "", parent: int = 1, session: int = 1, started: int = 100
    ) -> None:
        """A process with `mib` of anonymous memory; `program` is what /proc/<pid>/exe points at."""
        pages = mib * 256
        self.put(f"/proc/{pid}/statm", f"{pages + 5000} {pages + 1000} 1000 10 0 {pages} 0\n")
        middle = " ".join(["0"] * 15)
        self.put(f"/proc/{pid}/stat", f"{pid} ({name}) S {parent} {session} {session} {middle} {started} 0 0\n")
        self.put(f"/proc/{pid}/status", f"Name:\t{name}\nRssAnon:\t{mib * 1024} kB\nRssFile:\t4 kB\nRssShmem:\t0 kB\n")
        if program:
            self.link(f"/proc/{pid}/exe", "//" + program.lstrip("/"))
