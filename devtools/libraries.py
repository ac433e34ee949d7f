"""The system's own libraries and programs that wheels do not bring: which are missing, and how to get them.

The list was proved in fresh minimal Debian 12 and 13 systems; names for other systems are their documented ones.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from devtools.places import LOG, WORK
from devtools.speech import Stop, say


@dataclass(frozen=True)
class Need:
    """`what` is a soname ("libGL.so.1"), a program, or a font file's name; then its package on each kind of system."""

    what: str
    apt: str
    dnf: str
    pacman: str
    zypper: str


# vLLM's CPU build loads it; without it every engine fails to import.
ENGINE = (Need("libnuma.so.1", "libnuma1", "numactl-libs", "numactl", "libnuma1"),)

QT = (
    Need("libGL.so.1", "libgl1", "libglvnd-glx", "libglvnd", "Mesa-libGL1"),
    Need("libEGL.so.1", "libegl1", "libglvnd-egl", "libglvnd", "Mesa-libEGL1"),
    Need("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon", "libxkbcommon", "libxkbcommon0"),
    Need("libfontconfig.so.1", "libfontconfig1", "fontconfig", "fontconfig", "fontconfig"),
    Need("libfreetype.so.6", "libfreetype6", "freetype", "freetype2", "libfreetype6"),
    Need("libdbus-1.so.3", "libdbus-1-3", "dbus-libs", "dbus", "libdbus-1-3"),
    Need("libglib-2.0.so.0", "libglib2.0-0", "glib2", "glib2", "libglib-2_0-0"),
    Need("libgssapi_krb5.so.2", "libgssapi-krb5-2", "krb5-libs", "krb5", "krb5"),
)

XCB = (
    Need("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor", "libxcb-cursor0"),
    Need("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11", "libxkbcommon-x11-0"),
    Need("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm", "xcb-util-wm", "libxcb-icccm4"),
    Need("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms", "libxcb-keysyms1"),
    Need("libxcb-shape.so.0", "libxcb-shape0", "libxcb", "libxcb", "libxcb-shape0"),
)

TESTS = (
    Need("Xvfb", "xvfb", "xorg-x11-server-Xvfb", "xorg-server-xvfb", "xorg-x11-server-Xvfb"),
    Need("xauth", "xauth", "xorg-x11-xauth", "xorg-xauth", "xauth"),
    Need(
        "desktop-file-validate", "desktop-file-utils", "desktop-file-utils", "desktop-file-utils", "desktop-file-utils"
    ),
    # What GNOME's menu starts an entry with.
    Need("gio", "libglib2.0-bin", "glib2", "glib2", "glib2-tools"),
    Need("DejaVuSans.ttf", "fonts-dejavu-core", "dejavu-sans-fonts", "ttf-dejavu", "dejavu-fonts"),
    # The engine compiles kernels when it is not started eagerly.
    Need("g++", "g++", "gcc-c++", "gcc", "gcc-c++"),
)

_FONTS = Path("/usr/share/fonts")
APT = "apt-get install -y --no-install-recommends"
_MANAGERS = (
    ("apt-get", "apt", APT),
    ("dnf", "dnf", "dnf install -y"),
    ("pacman", "pacman", "pacman -S --needed --noconfirm"),
    ("zypper", "zypper", "zypper install -y"),
)


def for_window() -> tuple[Need, ...]:
    offscreen = os.environ.get("QT_QPA_PLATFORM", "").startswith("offscreen")
    return QT + (() if offscreen else XCB)


def missing(needs: tuple[Need, ...]) -> list[Need]:
    if not Path("/proc").is_dir():
        return []  # Windows and macOS wheels bring all they need.
    return [need for need in needs if not _is_there(need.what)]


def _is_there(what: str) -> bool:
    if ".so." in what:
        try:
            ctypes.CDLL(what)
        except OSError:
            return False
        return True
    if what.endswith(".ttf"):
        return next(_FONTS.rglob(what), None) is not None
    return shutil.which(what) is not None


def provide(needs: tuple[Need, ...]) -> bool:
    """Install what is missing when this user may (root with apt), else say which one command does. False when nothing
    was missing.

    Raises:
        Stop: something is missing and only the user can install it, or installing failed.
    """
    lacking = missing(needs)
    if not lacking:
        return False
    command = _command(lacking)
    names = ", ".join(need.what for need in lacking)
    if not may_install():
        raise Stop(f"This system lacks {names}.", f"Run: {as_root(command)}" if command else "Install them first.")
    say(f"installing system packages for {names}")
    apt_install(list(dict.fromkeys(need.apt for need in lacking)))
    if still := missing(needs):
        raise Stop(f"{', '.join(need.what for need in still)} is still missing after {command}.", f"See {LOG}.")
    return True


def may_install() -> bool:
    return os.name == "posix" and os.geteuid() == 0 and shutil.which("apt-get") is not None


def as_root(command: str) -> str:
    return command if os.geteuid() == 0 else f"sudo {command}"


def _command(lacking: list[Need]) -> str:
    """The line to paste for this system's package manager; empty when there is none we know."""
    for program, field, line in _MANAGERS:
        if shutil.which(program):
            packages = dict.fromkeys(str(getattr(need, field)) for need in lacking)
            return f"{line} {' '.join(packages)}"
    return ""


def apt_install(packages: list[str]) -> None:
    """Raises: Stop: the package manager refused."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=120"]
    WORK.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:

        def run(*arguments: str) -> int:
            return subprocess.run([*apt, *arguments], stdout=log, stderr=log, env=environment, check=False).returncode

        # Package lists may be old; when they cannot be refreshed the install below decides.
        run("update")
        failed = run("install", "-y", "--no-install-recommends", *packages)
    if failed:
        raise Stop(
            "The system's package manager could not install what Stowage needs.",
            f"Run this yourself and read what it says: {APT} {' '.join(packages)}",
        )
