"""The platform and the processor, of recorded computers."""

from __future__ import annotations

import platform
from pathlib import Path

import psutil
import pytest

from core.machine.cpu import listed, read_cpu
from core.machine.host import read_platform
from core.machine.model import NumaNode
from core.machine.reading import Known, Unknown
from core.machine.tree import Tree
from tests.support.recorded import Recorded


def test_a_desktop(computer: Recorded) -> None:
    computer.put("/sys/class/dmi/id/chassis_type", "3\n")
    found = read_platform(Tree(computer.root), {"DISPLAY": ":0"})
    assert (found.system, found.wsl, found.container, found.jetson) == ("linux", 0, "", "")
    assert (found.host_pids, found.headless, found.laptop) == (True, Known(False), Known(False))


@pytest.mark.parametrize(
    ("release", "wsl"),
    [
        ("5.15.153.1-microsoft-standard-WSL2", 2),
        ("6.6.36.3-microsoft-standard-WSL2+", 2),
        ("4.4.0-19041-Microsoft", 1),
        ("6.8.0-45-generic", 0),
    ],
)
def test_wsl_by_its_kernel(computer: Recorded, release: str, wsl: int) -> None:
    computer.put("/proc/sys/kernel/osrelease", release + "\n")
    assert read_platform(Tree(computer.root), {}).wsl == wsl


@pytest.mark.parametrize(
    ("files", "environment", "kind"),
    [
        ({"/.dockerenv": ""}, {}, "docker"),
        ({"/run/.containerenv": ""}, {}, "podman"),
        ({"/run/systemd/container": "lxc\n"}, {}, "lxc"),
        ({}, {"container": "flatpak"}, "flatpak"),
        ({}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({"/proc/self/cgroup": "4:memory:/kubepods/burstable/pod1\n"}, {}, "kubernetes"),
        ({"/proc/self/cgroup": "0::/user.slice\n"}, {}, ""),
    ],
)
def test_containers(computer: Recorded, files: dict[str, str], environment: dict[str, str], kind: str) -> None:
    for path, text in files.items():
        computer.put(path, text)
    assert read_platform(Tree(computer.root), environment).container == kind


def supply(computer: Recorded, name: str, **files: str) -> None:
    for file, text in files.items():
        computer.put(f"/sys/class/power_supply/{name}/{file}", text + "\n")


@pytest.mark.parametrize(("online", "battery"), [("0", True), ("1", False)])
def test_a_laptop_on_battery_or_not(computer: Recorded, online: str, battery: bool) -> None:
    supply(computer, "BAT0", type="Battery", status="Discharging")
    supply(computer, "AC", type="Mains", online=online)
    found = read_platform(Tree(computer.root), {})
    assert (found.laptop, found.on_battery) == (Known(True), Known(battery))


def test_a_wireless_mouse_does_not_make_a_laptop(computer: Recorded) -> None:
    supply(computer, "hidpp_battery_0", type="Battery", scope="Device")
    found = read_platform(Tree(computer.root), {})
    assert (found.laptop, found.on_battery) == (Known(False), Known(False))


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"/proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0"}, "NVIDIA Jetson AGX Orin Developer Kit"),
        ({"/etc/nv_tegra_release": "# R35\n"}, "NVIDIA Jetson"),
        ({"/proc/device-tree/model": "Raspberry Pi 5\0"}, ""),
    ],
)
def test_a_jetson_by_its_device_tree(computer: Recorded, files: dict[str, str], name: str) -> None:
    for path, text in files.items():
        computer.put(path, text)
    assert read_platform(Tree(computer.root), {}).jetson == name


def test_a_desktop_cpu(computer: Recorded) -> None:
    for number in range(16):
        topology = f"/sys/devices/system/cpu/cpu{number}/topology"
        computer.put(f"{topology}/core_id", f"{number // 2}\n")
        computer.put(f"{topology}/physical_package_id", "0\n")
    computer.put("/sys/devices/system/node/online", "0-1\n")
    computer.put("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1024 kB\n")
    cpu = read_cpu(Tree(computer.root))
    assert (cpu.name, cpu.features) == ("A Desktop CPU", frozenset({"avx2", "avx512f", "amx_tile"}))
    assert (cpu.physical_cores, cpu.logical_cores, cpu.usable_cores) == (Known(8), Known(16), Known(16))
    assert cpu.numa[0] == NumaNode(0, Known(1 << 20))
    assert isinstance(cpu.numa[1].total_bytes, Unknown)


@pytest.mark.parametrize(
    ("files", "usable"),
    [
        ({"/proc/self/status": "Cpus_allowed_list:\t0-3\n"}, 4),
        ({"/sys/fs/cgroup/cpu.max": "250000 100000\n"}, 2.5),
        ({"/sys/fs/cgroup/user.slice/cpu.max": "max 100000\n", "/sys/fs/cgroup/cpu.max": "800000 100000\n"}, 8),
        ({"/sys/fs/cgroup/cpu.max": "3200000 100000\n"}, 16),
        ({"/sys/fs/cgroup/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu.cfs_period_us": "100000\n"}, 16),
    ],
)
def test_cores_after_affinity_and_quota(computer: Recorded, files: dict[str, str], usable: float) -> None:
    computer.mounts("26 1 259:2 / / rw - ext4 /dev/x rw", "30 26 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
    for path, text in files.items():
        computer.put(path, text)
    assert read_cpu(Tree(computer.root)).usable_cores == Known(usable)


def test_this_computers_cpu() -> None:
    cpu = read_cpu(Tree())
    assert cpu.logical_cores == Known(psutil.cpu_count())
    assert cpu.architecture == platform.machine()
    usable = cpu.usable_cores.or_none()
    assert usable is not None
    assert 0 < usable <= (psutil.cpu_count() or 1)


@pytest.mark.parametrize(("text", "numbers"), [("0-3,8", [0, 1, 2, 3, 8]), ("5", [5]), ("", []), ("x-2", [])])
def test_the_kernels_lists(text: str, numbers: list[int]) -> None:
    assert listed(text) == numbers


def test_a_tree_shows_links_as_the_recorded_computer_saw_them(tmp_path: Path) -> None:
    computer = Recorded(tmp_path / "a")
    assert Tree(computer.root).resolved("/sys/class/block/nvme0n1p2") == (
        "/sys/devices/pci0000:00/0000:00:06.0/nvme/nvme0/nvme0n1/nvme0n1p2"
    )
