"""What the details say of the computer beside its memory: processor, system, links, notes."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.machine.links import host_to_device
from core.machine.model import Cpu, Gpu, Machine
from core.machine.reading import Known
from gui.budget.terms import BudgetTerms

_SHOWN_FEATURES = {
    "amx_bf16": "AMX",
    "avx512_bf16": "AVX-512 BF16",
    "avx512_vnni": "AVX-512 VNNI",
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "sve": "SVE",
    "bf16": "BF16",
    "i8mm": "I8MM",
    "asimd": "NEON",
}


class HostWords(QObject):
    def __init__(self, terms: BudgetTerms, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._terms = terms

    def lines(self, machine: Machine) -> tuple[str, ...]:
        """Processor; system; what it is; and calmly, that there is no GPU."""
        told = [self._cpu(machine.cpu), self._system(machine)]
        if not machine.gpus:
            told.append(self.tr("No GPU here: models run on the processor and in RAM."))
        return tuple(line for line in told if line)

    def features(self, machine: Machine) -> str:
        return " · ".join(text for name, text in _SHOWN_FEATURES.items() if name in machine.cpu.features)

    def _cpu(self, cpu: Cpu) -> str:
        usable, logical = cpu.usable_cores.or_none(), cpu.logical_cores.or_none()
        if usable is None or logical is None:
            return cpu.name
        cores = self._terms.term("cores").format(usable=f"{usable:g}", logical=logical)
        return f"{cpu.name}, {cores}"

    def _system(self, machine: Machine) -> str:
        say, platform = self._terms.term, machine.platform
        parts = [platform.jetson or f"{platform.system.capitalize()} {platform.release}"]
        if platform.wsl:
            parts.append(say("wsl").format(version=platform.wsl))
        if platform.container:
            parts.append(say("container").format(kind=platform.container))
        traits = {"laptop": platform.laptop, "battery": platform.on_battery, "headless": platform.headless}
        parts += [say(name) for name, reading in traits.items() if reading == Known(True)]
        return ", ".join(parts)

    def gpu(self, machine: Machine, gpu: Gpu) -> tuple[str, ...]:
        """Driver, compute capability, link."""
        told: list[str] = []
        version, cuda = machine.driver.version.or_none(), machine.driver.cuda_version.or_none()
        if version:
            told.append(self.tr("Driver {version}, CUDA up to {cuda}").format(version=version, cuda=cuda or "–"))
        capability = gpu.compute_capability.or_none()
        if capability:
            told.append(self.tr("Compute capability {number}").format(number=capability))
        generation, width = gpu.pcie.gen_max.or_none(), gpu.pcie.width_max.or_none()
        rate = host_to_device(gpu).or_none()
        if generation and width and rate is not None:
            text = self.tr("PCIe {generation}.0 x{width}: about {rate} from RAM")
            shown = self._terms.term("per_s").format(rate=self._terms.size(rate * 1e9))
            told.append(text.format(generation=generation, width=width, rate=shown))
        return tuple(told)

    def ram(self, machine: Machine) -> tuple[str, ...]:
        ram = machine.ram
        total, free = ram.swap_total_bytes.or_none(), ram.swap_free_bytes.or_none()
        told: list[str] = []
        if total and free is not None:
            text = self.tr("Swap: {used} of {total} in use")
            told.append(text.format(used=self._terms.size(total - free), total=self._terms.size(total)))
        pinned = ram.memlock_bytes
        if isinstance(pinned, Known) and pinned.value is not None:
            told.append(self.tr("Programs may lock {size} in RAM").format(size=self._terms.size(pinned.value)))
        shm = ram.shm_total_bytes.or_none()
        if shm:
            told.append(self.tr("Shared memory (/dev/shm): {size}").format(size=self._terms.size(shm)))
        return tuple(told)
