"""Disks: this computer's room to the byte, and the kind of disk through every layer that recorded computers have."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from core.hub.places import cache_folder
from core.machine.disks import DiskReader, disk_of, folders_of
from core.machine.model import Disk, DiskKind
from core.machine.reader import Sources
from core.machine.reading import Known, Reading, Unknown, Why
from core.machine.tree import Space, Tree
from core.paths import Paths
from core.settings import Settings
from tests.support.recorded import GIB, Recorded

MODELS = Path("/home/user/.cache/huggingface/hub")


def models_disk(computer: Recorded, folder: Path = MODELS) -> Disk:
    tree = Tree(computer.root, lambda _path: Space(100 * GIB, 40 * GIB))
    [disk] = DiskReader(tree, {"models": folder}).read()
    return disk


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="compares with statvfs")
def test_this_computers_disks_are_what_statvfs_says(tmp_path: Path, home: Paths) -> None:
    reader = DiskReader(Tree(), {"models": tmp_path / "not" / "there" / "yet", "temp": Path("/tmp")})
    before, disks, after = os.statvfs(tmp_path), reader.read(), os.statvfs(tmp_path)
    while before.f_bavail != after.f_bavail:  # somebody wrote in between
        before, disks, after = os.statvfs(tmp_path), reader.read(), os.statvfs(tmp_path)
    disk = next(disk for disk in disks if "models" in disk.roles)
    assert disk.total_bytes == Known(before.f_blocks * before.f_frsize)
    assert disk.free_bytes == Known(before.f_bavail * before.f_frsize)
    assert os.stat(disk.mount).st_dev == os.stat(tmp_path).st_dev


def test_the_disk_of_one_folder_is_the_one_it_lies_on(tmp_path: Path) -> None:
    disk = disk_of(tmp_path / "not" / "there" / "yet")
    assert os.stat(disk.mount).st_dev == os.stat(tmp_path).st_dev
    assert isinstance(disk.total_bytes, Known)


def test_folders_on_one_filesystem_are_one_disk(computer: Recorded) -> None:
    tree = Tree(computer.root, lambda _path: Space(GIB, GIB))
    [disk] = DiskReader(tree, {"models": MODELS, "engines": Path("/opt/engines"), "temp": Path("/tmp")}).read()
    assert (disk.mount, disk.roles) == ("/", ("models", "engines", "temp"))


def kind(reading: Reading[DiskKind]) -> str:
    return f"unknown: {reading.why}" if isinstance(reading, Unknown) else str(reading.value)


def test_nvme_through_a_partition(computer: Recorded) -> None:
    disk = models_disk(computer)
    assert (kind(disk.kind), disk.devices, disk.filesystem) == ("nvme", ("nvme0n1",), "ext4")
    assert (disk.total_bytes, disk.free_bytes) == (Known(100 * GIB), Known(40 * GIB))


@pytest.mark.parametrize(
    ("name", "under", "spins", "more", "expected"),
    [
        ("sda", "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block", False, {}, "sata_ssd"),
        ("sda", "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block", True, {}, "hdd"),
        ("sdb", "pci0000:00/0000:00:14.0/usb2/2-1/host6/block", True, {"removable": "1"}, "flash"),
        ("sdb", "pci0000:00/0000:00:14.0/usb2/2-1/host6/block", True, {"removable": "0"}, "hdd"),
        ("mmcblk0", "platform/soc/mmc_host/mmc0/block", False, {}, "flash"),
        ("vda", "pci0000:00/0000:00:05.0/virtio2/block", True, {}, "virtual"),
        ("sdc", "LNXSYSTM:00/host0/block", True, {"device/vendor": "Msft", "device/model": "Virtual Disk"}, "virtual"),
        ("sda", "pci0000:00/host0/block", True, {"device/model": "QEMU HARDDISK"}, "virtual"),
        ("nvme1n1", "virtual/nvme-fabrics/ctl/nvme1", False, {"device/transport": "tcp"}, "network"),
        ("sdd", "platform/host7/session1/target7:0:0/7:0:0:0/block", True, {}, "network"),
        ("nbd0", "virtual/block", False, {}, "network"),
        ("sda", "pci0000:00/host0/block", None, {}, "unknown: not_present"),
    ],
)
def test_kinds_of_disk(
    computer: Recorded, name: str, under: str, spins: bool | None, more: dict[str, str], expected: str
) -> None:
    folder = computer.block(name, under, spins=spins, partitions={f"{name}1": "8:1"})
    for path, text in more.items():
        computer.put(f"{folder}/{path}", text + "\n")
    computer.mounts(f"26 1 8:1 / / rw - ext4 /dev/{name}1 rw")
    disk = models_disk(computer)
    assert kind(disk.kind) == expected
    assert disk.devices == (name,)


def test_an_encrypted_volume_group_leads_to_its_disk(computer: Recorded) -> None:
    """LUKS on a partition, LVM on LUKS: dm-1 -> dm-0 -> nvme0n1p2 -> nvme0n1."""
    computer.mapped("dm-0", "253:0", "nvme0n1p2")
    computer.mapped("dm-1", "253:1", "dm-0")
    computer.mounts("26 1 253:1 / / rw - ext4 /dev/mapper/vg-root rw")
    disk = models_disk(computer)
    assert (kind(disk.kind), disk.devices) == ("nvme", ("nvme0n1",))


def test_a_mixed_volume_is_as_slow_as_its_slowest_disk(computer: Recorded) -> None:
    computer.block("sda", "pci0000:00/ata1/block", spins=True, number="8:0")
    computer.mapped("dm-0", "253:0", "nvme0n1", "sda")
    computer.mounts("26 1 253:0 / / rw - xfs /dev/mapper/vg-data rw")
    disk = models_disk(computer)
    assert (kind(disk.kind), disk.devices) == ("hdd", ("nvme0n1", "sda"))


def test_btrfs_has_a_device_number_of_its_own(computer: Recorded) -> None:
    computer.mapped("dm-0", "253:0", "nvme0n1p2")
    computer.link("/dev/mapper/luks-home", "../dm-0")
    computer.mounts(
        "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw", "40 26 0:44 /@home /home rw - btrfs /dev/mapper/luks-home rw"
    )
    disk = models_disk(computer)
    assert (disk.mount, kind(disk.kind), disk.devices) == ("/home", "nvme", ("nvme0n1",))


def test_a_loop_file_lies_on_the_disk_below(computer: Recorded) -> None:
    folder = computer.block("loop3", "virtual/block", spins=False, number="7:3")
    computer.put(f"{folder}/loop/backing_file", "/images/models.img\n")
    computer.mounts("26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw", "41 26 7:3 / /home rw - ext4 /dev/loop3 rw")
    disk = models_disk(computer)
    assert (disk.mount, kind(disk.kind), disk.devices) == ("/home", "nvme", ("nvme0n1",))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("41 26 0:50 / /home rw - nfs4 server:/export rw,vers=4.2", "network"),
        ("41 26 0:50 / /home rw - cifs //nas/models rw", "network"),
        ("41 26 0:50 / /home rw - fuse.sshfs user@host: rw", "network"),
        ("41 26 0:50 / /home rw - tmpfs tmpfs rw,size=1g", "tmpfs"),
        ("41 26 0:50 / /home rw - zfs tank/home rw", "unknown: not_present"),
        ("41 26 0:50 / /home rw - overlay overlay rw,upperdir=/var/lib/docker/abc/diff", "unknown: hidden"),
    ],
)
def test_filesystems_that_are_no_disk(computer: Recorded, line: str, expected: str) -> None:
    computer.mounts("26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw", line)
    disk = models_disk(computer)
    assert (disk.mount, kind(disk.kind)) == ("/home", expected)
    assert not disk.windows_drive


def test_an_overlay_whose_layer_can_be_seen(computer: Recorded) -> None:
    computer.put("/var/lib/layer/diff/x", "")
    computer.mounts(
        "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw",
        "41 26 0:50 / /home rw - overlay overlay rw,upperdir=/var/lib/layer/diff",
    )
    assert kind(models_disk(computer).kind) == "nvme"


@pytest.mark.parametrize(
    ("line", "windows"),
    [
        (r"60 26 0:60 / /mnt/c rw - 9p C:\134 rw,aname=drvfs;path=C:\134;uid=1000", True),
        (r"60 26 0:60 / /mnt/c rw - 9p drvfs rw,aname=drvfs", True),
        (r"60 26 0:60 / /mnt/c rw - drvfs C: rw", True),
        (r"60 26 0:60 / /mnt/c rw - virtiofs drvfsaC2 rw", True),
        (r"60 26 0:60 / /mnt/c rw - 9p hostshare rw,trans=virtio", False),
    ],
)
def test_a_windows_drive_in_wsl_is_flagged(computer: Recorded, line: str, windows: bool) -> None:
    computer.mounts("26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw", line)
    disk = models_disk(computer, Path("/mnt/c/Users/me/models"))
    assert (disk.mount, disk.windows_drive, kind(disk.kind)) == ("/mnt/c", windows, "network")


def test_mount_points_with_spaces_and_a_later_mount_over_an_earlier(computer: Recorded) -> None:
    computer.mounts(
        "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw",
        r"41 26 0:50 / /my\040models rw - tmpfs tmpfs rw",
        r"42 26 0:51 / /my\040models rw - nfs server:/x rw",
    )
    disk = models_disk(computer, Path("/my models/hub"))
    assert (disk.mount, kind(disk.kind)) == ("/my models", "network")


def test_a_filesystem_that_gives_no_figures(computer: Recorded) -> None:
    def refused(_path: str) -> Space:
        raise PermissionError(13, "Permission denied")

    [disk] = DiskReader(Tree(computer.root, refused), {"models": MODELS}).read()
    assert isinstance(disk.free_bytes, Unknown)
    assert disk.free_bytes.why is Why.NO_PERMISSION
    [disk] = DiskReader(Tree(computer.root, lambda _path: Space(0, 0)), {"models": MODELS}).read()
    assert isinstance(disk.total_bytes, Unknown)
    assert disk.total_bytes.why is Why.IMPOSSIBLE


def test_the_models_disk_follows_a_cache_that_moves(computer: Recorded) -> None:
    at = [MODELS]
    reader = DiskReader(Tree(computer.root), {"engines": Path("/opt/engines")}, lambda: at[0])
    roles = {disk.mount: disk.roles for disk in reader.read()}
    assert "models" in next(roles[mount] for mount in roles if "models" in roles[mount])
    at[0] = Path("/opt/engines/hub")
    reader.find()
    [there] = [disk for disk in reader.read() if "models" in disk.roles]
    assert "engines" in there.roles


def test_a_folder_that_is_deleted_leaves_its_disk_known(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "hub"
    folder.mkdir(parents=True)
    reader = DiskReader(Tree(), {"models": folder})
    before = reader.read()[0]
    shutil.rmtree(tmp_path / "cache")
    after = reader.read()[0]
    assert (after.mount, after.total_bytes) == (before.mount, before.total_bytes)
    assert isinstance(after.free_bytes, Known)


def test_the_models_folder_is_the_one_of_the_settings(home: Paths, tmp_path: Path) -> None:
    assert Sources.of_user(home).models is not None
    settings = Settings(hub_cache=str(tmp_path / "big"))
    chosen = Sources.of_user(home, lambda: cache_folder(settings)).models
    assert chosen is not None
    assert chosen() == tmp_path / "big"


def test_the_folders_watched_are_the_ones_used(home: Paths) -> None:
    assert folders_of(home)["engines"] == home.engines
