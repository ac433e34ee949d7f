"""What kind of computer this is: WSL, container, headless, laptop on battery, Jetson."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from typing import Final

from core.machine.model import Platform
from core.machine.reading import NOT_PRESENT, NOT_SUPPORTED, Known, Reading
from core.machine.tree import Tree

# include/linux/proc_ns.h: PROC_PID_INIT_INO, the inode of the first pid namespace of every Linux.
_FIRST_PID_NAMESPACE: Final = "pid:[4026531836]"
# SMBIOS 3.7, table 17: portable, laptop, notebook, sub-notebook, tablet, convertible, detachable.
_LAPTOP_CHASSIS: Final = frozenset({8, 9, 10, 14, 30, 31, 32})
_IN_CGROUP: Final = re.compile(r"(docker|libpod|kubepods|lxc|containerd|machine\.slice)")
_CGROUP_NAME: Final = {"libpod": "podman", "kubepods": "kubernetes", "machine.slice": "systemd-nspawn"}


def read_platform(tree: Tree, environment: Mapping[str, str] | None = None) -> Platform:
    """Cheap apart from `on_battery`, which is a handful of small files; `on_battery` alone changes."""
    environment = os.environ if environment is None else environment
    release = tree.text("/proc/sys/kernel/osrelease").or_none() or platform.release()
    linux = not tree.real or platform.system() == "Linux"
    return Platform(
        system="linux" if linux else platform.system().lower(),
        release=release,
        wsl=wsl_version(release),
        container=_container(tree, environment),
        host_pids=not linux or _first_pid_namespace(tree),
        headless=Known(not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")))
        if linux
        else NOT_SUPPORTED,
        laptop=_laptop(tree),
        on_battery=on_battery(tree),
        jetson=_jetson(tree),
    )


def wsl_version(release: str) -> int:
    """WSL 2 has a real kernel, "5.15.90.1-microsoft-standard-WSL2"; WSL 1 says "4.4.0-19041-Microsoft"."""
    if "microsoft" not in release.lower():
        return 0
    return 2 if "wsl2" in release.lower() or "microsoft-standard" in release.lower() else 1


def _container(tree: Tree, environment: Mapping[str, str]) -> str:
    if tree.exists("/.dockerenv"):
        return "docker"
    if tree.exists("/run/.containerenv"):
        return "podman"
    if kind := environment.get("container") or tree.text("/run/systemd/container").or_none():
        return kind
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    found = _IN_CGROUP.search(tree.text("/proc/self/cgroup").or_none() or "")
    return _CGROUP_NAME.get(found[1], found[1]) if found else ""


def _first_pid_namespace(tree: Tree) -> bool:
    link = tree.link("/proc/self/ns/pid")
    return link is None or link == _FIRST_PID_NAMESPACE


def _laptop(tree: Tree) -> Reading[bool]:
    chassis = tree.integer("/sys/class/dmi/id/chassis_type")
    if isinstance(chassis, Known) and chassis.value in _LAPTOP_CHASSIS:
        return Known(True)
    if _supplies(tree, "Battery"):
        return Known(True)
    return Known(False) if isinstance(chassis, Known) or tree.exists("/sys/class/power_supply") else NOT_PRESENT


def on_battery(tree: Tree) -> Reading[bool]:
    """True when a battery of the computer itself is there and no mains or USB-C supply is online."""
    if not tree.exists("/sys/class/power_supply"):
        return NOT_PRESENT
    if not _supplies(tree, "Battery"):
        return Known(False)
    plugged = [*_supplies(tree, "Mains"), *_supplies(tree, "USB")]
    return Known(not any(tree.integer(f"{supply}/online") == Known(1) for supply in plugged))


def _supplies(tree: Tree, kind: str) -> list[str]:
    """Supplies of the computer; a mouse's battery has scope "Device"."""
    folders = (f"/sys/class/power_supply/{name}" for name in tree.names("/sys/class/power_supply"))
    return [
        folder
        for folder in folders
        if tree.text(f"{folder}/type").or_none() == kind and tree.text(f"{folder}/scope").or_none() != "Device"
    ]


def _jetson(tree: Tree) -> str:
    """The board's name: NVIDIA's integrated boards describe themselves in the device tree."""
    model = tree.text("/proc/device-tree/model").or_none() or tree.text("/sys/firmware/devicetree/base/model").or_none()
    if model and ("jetson" in model.lower() or "tegra" in model.lower()):
        return model
    return "NVIDIA Jetson" if tree.exists("/etc/nv_tegra_release") else ""
