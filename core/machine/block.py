"""What kind of disk is below a filesystem: through partitions, device-mapper, RAID, bcache and loop devices."""

from __future__ import annotations

from typing import Final

from core.machine.model import DiskKind
from core.machine.mounts import Mount, mount_of, read_mounts
from core.machine.reading import Known, Reading, Unknown, Why
from core.machine.tree import Tree

NETWORK: Final = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "fuse.s3fs", "fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "gfs2"}
    | {"glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"}
)
MEMORY: Final = frozenset({"tmpfs", "ramfs", "devtmpfs"})
WINDOWS: Final = frozenset({"9p", "drvfs", "virtiofs"})
_VIRTUAL_MAKERS: Final = ("msft", "qemu", "vmware", "vbox", "virtual", "google", "xen")
# The slowest member decides for a set of disks.
_SLOWEST_FIRST: Final = (
    DiskKind.NETWORK,
    DiskKind.HDD,
    DiskKind.FLASH,
    DiskKind.VIRTUAL,
    DiskKind.SSD,
    DiskKind.NVME,
    DiskKind.TMPFS,
)
_DEEPEST: Final = 8


def is_windows_drive(mount: Mount) -> bool:
    """A Windows drive inside WSL: 9p or virtiofs with the drive as source ("C:\\", "drvfs"), or WSL 1's drvfs."""
    if mount.filesystem not in WINDOWS:
        return False
    told = ",".join((mount.source, *mount.options)).lower()
    return mount.filesystem == "drvfs" or "drvfs" in told or mount.source[1:2] == ":"


def kind_of(mount: Mount, tree: Tree, depth: int = 0) -> tuple[Reading[DiskKind], tuple[str, ...]]:
    """The kind and the names of the real disks ("nvme0n1"). A Windows drive counts as network: every call crosses
    9p."""
    if mount.filesystem in MEMORY:
        return Known(DiskKind.TMPFS), ()
    if mount.filesystem in NETWORK or is_windows_drive(mount):
        return Known(DiskKind.NETWORK), ()
    if mount.filesystem == "overlay":
        return _below_overlay(mount, tree, depth)
    names = _block_names(mount, tree)
    if not names:
        return Unknown(Why.NOT_PRESENT, f"no block device for {mount.filesystem} {mount.source}"), ()
    return _slowest(names, tree, depth)


def _below_overlay(mount: Mount, tree: Tree, depth: int) -> tuple[Reading[DiskKind], tuple[str, ...]]:
    """A container's root: the writable layer's folder is only known by its path on the host, seldom visible inside."""
    upper = next((option[9:] for option in mount.options if option.startswith("upperdir=")), "")
    if upper and depth < _DEEPEST and tree.exists(upper):
        below = mount_of(tree.resolved(upper), read_mounts(tree))
        if below is not None and below != mount:
            return kind_of(below, tree, depth + 1)
    return Unknown(Why.HIDDEN, "a container's overlay"), ()


def _block_names(mount: Mount, tree: Tree) -> tuple[str, ...]:
    """The kernel's names of the devices. btrfs, bcachefs and ZFS have a device number of their own, so the source
    counts: "/dev/dm-0", "/dev/mapper/root" (a link to ../dm-0), or "/dev/sda:/dev/sdb"."""
    number = tree.link(f"/sys/dev/block/{mount.device}")
    if number is not None:
        return (number.rpartition("/")[2],)
    names: list[str] = []
    for source in mount.source.split(":"):
        if source.startswith("/dev/"):
            name = (tree.link(source) or source).rpartition("/")[2]
            if tree.exists(f"/sys/class/block/{name}"):
                names.append(name)
    return tuple(names)


def _slowest(names: tuple[str, ...], tree: Tree, depth: int) -> tuple[Reading[DiskKind], tuple[str, ...]]:
    kinds: list[DiskKind] = []
    devices: list[str] = []
    unknown: Unknown | None = None
    for name in names:
        kind, below = _kind_of_block(name, tree, depth)
        devices += [device for device in below if device not in devices]
        if isinstance(kind, Unknown):
            unknown = kind
        else:
            kinds.append(kind.value)
    if unknown is not None or not kinds:
        return unknown or Unknown(Why.NOT_PRESENT), tuple(devices)
    return Known(min(kinds, key=_SLOWEST_FIRST.index)), tuple(devices)


def _kind_of_block(name: str, tree: Tree, depth: int) -> tuple[Reading[DiskKind], tuple[str, ...]]:
    folder = tree.resolved(f"/sys/class/block/{name}")
    if depth > _DEEPEST or not tree.exists(folder):
        return Unknown(Why.NOT_PRESENT, f"block device {name}"), ()
    if tree.exists(f"{folder}/partition"):
        folder = folder.rpartition("/")[0]
        name = folder.rpartition("/")[2]
    if below := tree.names(f"{folder}/slaves"):
        return _slowest(tuple(below), tree, depth + 1)
    backing = tree.text(f"{folder}/loop/backing_file").or_none()
    if backing:
        mount = mount_of(tree.resolved(backing), read_mounts(tree))
        return kind_of(mount, tree, depth + 1) if mount else (Unknown(Why.NOT_PRESENT, backing), ())
    return _physical(name, folder, tree), (name,)


def _physical(name: str, folder: str, tree: Tree) -> Reading[DiskKind]:
    if name.startswith("nvme"):
        transport = tree.text(f"{folder}/device/transport").or_none() or tree.text(f"{folder}/transport").or_none()
        maker = _maker(folder, tree)
        if transport in ("tcp", "rdma", "fc"):
            return Known(DiskKind.NETWORK)
        return Known(DiskKind.VIRTUAL if maker.startswith(_VIRTUAL_MAKERS) else DiskKind.NVME)
    if name.startswith(("nbd", "rbd", "drbd")) or "/session" in folder:
        return Known(DiskKind.NETWORK)
    if name.startswith(("vd", "xvd")) or _maker(folder, tree).startswith(_VIRTUAL_MAKERS):
        return Known(DiskKind.VIRTUAL)
    if name.startswith("mmcblk"):
        return Known(DiskKind.FLASH)
    if name.startswith(("zram", "ram", "pmem")):
        return Known(DiskKind.TMPFS)
    spins = tree.integer(f"{folder}/queue/rotational")
    if isinstance(spins, Unknown):
        return spins
    if spins.value:
        # Most USB sticks say that they spin; a removable one is a stick.
        stick = "/usb" in folder and tree.integer(f"{folder}/removable") == Known(1)
        return Known(DiskKind.FLASH if stick else DiskKind.HDD)
    return Known(DiskKind.SSD)


def _maker(folder: str, tree: Tree) -> str:
    parts = (tree.text(f"{folder}/device/{name}").or_none() or "" for name in ("vendor", "model"))
    return " ".join(part for part in parts if part and not part.startswith("0x")).strip().lower()
