"""Display controllers on the PCI bus, from sysfs: found without a driver's help and without waking a sleeping card."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.machine.links import generation_of
from core.machine.model import Pcie, Vendor
from core.machine.reading import Known, Reading, Unknown, Why
from core.machine.tree import Tree

_DEVICES: Final = "/sys/bus/pci/devices"
_VENDORS: Final = {"0x10de": Vendor.NVIDIA, "0x1002": Vendor.AMD, "0x8086": Vendor.INTEL}
_PCI_IDS: Final = ("/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids", "/usr/share/pci.ids")


@dataclass(frozen=True, slots=True)
class PciGpu:
    """`may_sleep`: runtime power management is on for it ("auto"), as on laptops. `device_id` like "0x2684"."""

    bus_id: str
    vendor: Vendor
    device_id: str
    may_sleep: bool

    @property
    def folder(self) -> str:
        return f"{_DEVICES}/{self.bus_id}"


def find_gpus(tree: Tree) -> tuple[PciGpu, ...]:
    """VGA (0x0300), 3D (0x0302) and other display (0x0380) controllers of makers whose GPUs compute."""
    found: list[PciGpu] = []
    for bus_id in tree.names(_DEVICES):
        folder = f"{_DEVICES}/{bus_id}"
        if (tree.text(f"{folder}/class").or_none() or "")[:6] not in ("0x0300", "0x0302", "0x0380"):
            continue
        vendor = _VENDORS.get(tree.text(f"{folder}/vendor").or_none() or "")
        if vendor is None:
            continue
        device = tree.text(f"{folder}/device").or_none() or ""
        control = tree.text(f"{folder}/power/control").or_none()
        found.append(PciGpu(bus_id, vendor, device, control == "auto"))
    return tuple(found)


def sleeps(gpu: PciGpu, tree: Tree) -> bool:
    """Whether the card is powered down, or about to be. Reading these two files does not wake it; any other question
    may.

    `runtime_status` is "active", "suspended", "suspending", "resuming" or "error"; `power_state` "D0".."D3cold"."""
    if not gpu.may_sleep:
        return False
    status = tree.text(f"{gpu.folder}/power/runtime_status").or_none()
    if status in ("suspended", "suspending"):
        return True
    return status is None and tree.text(f"{gpu.folder}/power_state").or_none() in ("D3hot", "D3cold")


def link_of(gpu: PciGpu, tree: Tree) -> Pcie:
    """The link as the bus sees it: the card's `max_*`, and those of the port above it, which is the slot. For a
    sleeping card do not ask: its configuration space has to be powered for `current_*`."""
    port = tree.resolved(gpu.folder).rpartition("/")[0]
    card_gen, card_width = _speed(f"{gpu.folder}/max_link_speed", tree), _lanes(f"{gpu.folder}/max_link_width", tree)
    slot_gen, slot_width = _speed(f"{port}/max_link_speed", tree), _lanes(f"{port}/max_link_width", tree)
    return Pcie(
        gen_now=_speed(f"{gpu.folder}/current_link_speed", tree),
        width_now=_lanes(f"{gpu.folder}/current_link_width", tree),
        gen_max=_lower(card_gen, slot_gen),
        width_max=_lower(card_width, slot_width),
        card_gen=card_gen,
        card_width=card_width,
        slot_gen=slot_gen,
        slot_width=slot_width,
    )


def _speed(path: str, tree: Tree) -> Reading[int]:
    text = tree.text(path)
    if isinstance(text, Unknown):
        return text
    generation = generation_of(text.value)
    return Unknown(Why.IMPOSSIBLE, f"{path}: {text.value}") if generation is None else Known(generation)


def _lanes(path: str, tree: Tree) -> Reading[int]:
    lanes = tree.integer(path)
    # 0 and 255 stand for "no link here", as on a virtual or an integrated device.
    if isinstance(lanes, Known) and not 1 <= lanes.value <= 32:
        return Unknown(Why.IMPOSSIBLE, f"{path}: {lanes.value}")
    return lanes


def _lower(card: Reading[int], slot: Reading[int]) -> Reading[int]:
    if isinstance(card, Known) and isinstance(slot, Known):
        return Known(min(card.value, slot.value))
    return card


def name_of(gpu: PciGpu, tree: Tree) -> str:
    """The marketing name in brackets from the system's pci.ids ("GeForce RTX 4090"), else the numbers."""
    maker = {Vendor.NVIDIA: "NVIDIA", Vendor.AMD: "AMD", Vendor.INTEL: "Intel"}.get(gpu.vendor, "GPU")
    number = gpu.device_id.removeprefix("0x")
    text = next((text for path in _PCI_IDS if (text := tree.text(path).or_none())), "")
    vendor_id = next((key for key, vendor in _VENDORS.items() if vendor is gpu.vendor), "0x")[2:]
    start = text.find(f"\n{vendor_id}  ")
    entry = re.search(rf"\n(?:(?!\n[0-9a-f]{{4}}  ).)*?\n\t{re.escape(number)}  ([^\n]*)", text[start:], re.DOTALL)
    if start < 0 or entry is None or not number:
        return f"{maker} GPU [{vendor_id}:{number}]"
    bracket = re.search(r"\[([^\]]+)\]", entry[1])
    return f"{maker} {bracket[1] if bracket else entry[1]}"
