"""The seam to NVML. Everything NVIDIA goes through `Nvml`; `Pynvml` is the real one, over nvidia-ml-py.

nvidia-ml-py 13 loads `libnvidia-ml.so.1` (Linux, WSL) or `nvml.dll`. A failure of one question is an `NvmlFault` of
that question only. The numbers are nvml.h's nvmlReturn_t.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar, cast

from core.machine.reading import Unknown, Why

T = TypeVar("T")

UNINITIALIZED: Final = 1
NOT_SUPPORTED: Final = 3
NO_PERMISSION: Final = 4
NOT_FOUND: Final = 6
DRIVER_NOT_LOADED: Final = 9
LIBRARY_NOT_FOUND: Final = 12
FUNCTION_NOT_FOUND: Final = 13
GPU_IS_LOST: Final = 15
VERSION_MISMATCH: Final = 18
UNKNOWN: Final = 999

# Never changes while the driver is loaded, so it need not be asked again.
PERMANENT: Final = frozenset({NOT_SUPPORTED, FUNCTION_NOT_FOUND})


class NvmlFault(Exception):
    """NVML refused one question. `code` is its nvmlReturn_t."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code = code

    def reason(self) -> Unknown:
        if self.code in PERMANENT:
            why = Why.NOT_SUPPORTED
        elif self.code == NO_PERMISSION:
            why = Why.NO_PERMISSION
        elif self.code in (UNINITIALIZED, DRIVER_NOT_LOADED, GPU_IS_LOST):
            why = Why.LOST
        else:
            why = Why.FAILED
        return Unknown(why, str(self))


@dataclass(frozen=True, slots=True)
class NvmlMemory:
    """Raw bytes; `reserved` None where the driver knows only memory info v1 (there `used` includes it)."""

    total: int
    used: int
    free: int
    reserved: int | None = None


@dataclass(frozen=True, slots=True)
class NvmlProcess:
    """`used` None where the driver does not tell (WDDM)."""

    pid: int
    used: int | None
    graphics: bool


Handle = object


class Nvml(Protocol):
    """Every method may raise `NvmlFault`. Powers in milliwatts, temperatures in degrees Celsius, memory in bytes."""

    def open(self) -> None: ...
    def close(self) -> None: ...
    def driver_version(self) -> str: ...
    def cuda_version(self) -> int: ...
    def count(self) -> int: ...
    def device(self, index: int) -> Handle: ...
    def name(self, device: Handle) -> str: ...
    def uuid(self, device: Handle) -> str: ...
    def pci_bus_id(self, device: Handle) -> str: ...
    def memory(self, device: Handle) -> NvmlMemory: ...
    def processes(self, device: Handle) -> tuple[NvmlProcess, ...]: ...
    def utilisation(self, device: Handle) -> int: ...
    def power_mw(self, device: Handle) -> int: ...
    def power_limit_mw(self, device: Handle) -> int: ...
    def temperature(self, device: Handle) -> int: ...
    def pcie_gen(self, device: Handle) -> int: ...
    def pcie_width(self, device: Handle) -> int: ...
    def max_pcie_gen(self, device: Handle) -> int: ...
    def max_pcie_width(self, device: Handle) -> int: ...
    def card_pcie_gen(self, device: Handle) -> int: ...
    def compute_capability(self, device: Handle) -> tuple[int, int]: ...
    def mig_enabled(self, device: Handle) -> bool: ...
    def mig_count(self, device: Handle) -> int: ...
    def mig_device(self, device: Handle, index: int) -> Handle: ...


class Pynvml:
    """NVML through nvidia-ml-py. The module (2 MB once loaded) is imported only when the library is there."""

    def __init__(self) -> None:
        self._module: Any = None

    def open(self) -> None:
        if self._module is None:
            _require_library()
            import pynvml  # pyright: ignore[reportMissingTypeStubs]

            self._module = cast(Any, pynvml)
        self._call("nvmlInit")

    def close(self) -> None:
        self._call("nvmlShutdown")

    def driver_version(self) -> str:
        return _text(self._call("nvmlSystemGetDriverVersion"))

    def cuda_version(self) -> int:
        return int(self._call("nvmlSystemGetCudaDriverVersion_v2"))

    def count(self) -> int:
        return int(self._call("nvmlDeviceGetCount"))

    def device(self, index: int) -> Handle:
        return self._call("nvmlDeviceGetHandleByIndex", index)

    def name(self, device: Handle) -> str:
        return _text(self._call("nvmlDeviceGetName", device))

    def uuid(self, device: Handle) -> str:
        return _text(self._call("nvmlDeviceGetUUID", device))

    def pci_bus_id(self, device: Handle) -> str:
        return _text(self._call("nvmlDeviceGetPciInfo", device).busId)

    def memory(self, device: Handle) -> NvmlMemory:
        """Version 2 tells the driver's own reserve apart from `used`; drivers before 510 know version 1 only."""
        try:
            info = self._call("nvmlDeviceGetMemoryInfo", device, version=self._module.nvmlMemory_v2)
            return NvmlMemory(int(info.total), int(info.used), int(info.free), int(info.reserved))
        except NvmlFault as fault:
            if fault.code != FUNCTION_NOT_FOUND:
                raise
        info = self._call("nvmlDeviceGetMemoryInfo", device)
        return NvmlMemory(int(info.total), int(info.used), int(info.free))

    def processes(self, device: Handle) -> tuple[NvmlProcess, ...]:
        """Compute and graphics; a process in both lists counts once. The graphics list may be refused alone."""
        found = {
            process.pid: process for process in self._listed("nvmlDeviceGetComputeRunningProcesses", device, False)
        }
        try:
            for process in self._listed("nvmlDeviceGetGraphicsRunningProcesses", device, True):
                found.setdefault(process.pid, process)
        except NvmlFault as fault:
            if fault.code not in (*PERMANENT, NO_PERMISSION):
                raise
        return tuple(found.values())

    def utilisation(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetUtilizationRates", device).gpu)

    def power_mw(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetPowerUsage", device))

    def power_limit_mw(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetEnforcedPowerLimit", device))

    def temperature(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetTemperature", device, 0))

    def pcie_gen(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetCurrPcieLinkGeneration", device))

    def pcie_width(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetCurrPcieLinkWidth", device))

    def max_pcie_gen(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetMaxPcieLinkGeneration", device))

    def max_pcie_width(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetMaxPcieLinkWidth", device))

    def card_pcie_gen(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetGpuMaxPcieLinkGeneration", device))

    def compute_capability(self, device: Handle) -> tuple[int, int]:
        major, minor = self._call("nvmlDeviceGetCudaComputeCapability", device)
        return int(major), int(minor)

    def mig_enabled(self, device: Handle) -> bool:
        return bool(self._call("nvmlDeviceGetMigMode", device)[0])

    def mig_count(self, device: Handle) -> int:
        return int(self._call("nvmlDeviceGetMaxMigDeviceCount", device))

    def mig_device(self, device: Handle, index: int) -> Handle:
        return self._call("nvmlDeviceGetMigDeviceHandleByIndex", device, index)

    def _listed(self, function: str, device: Handle, graphics: bool) -> list[NvmlProcess]:
        """`_v3` since driver 510, `_v2` before: the structures differ, so the plain name is of no use."""
        try:
            rows: Any = self._call(f"{function}_v3", device)
        except NvmlFault as fault:
            if fault.code != FUNCTION_NOT_FOUND:
                raise
            rows = self._call(f"{function}_v2", device)
        return [
            NvmlProcess(int(row.pid), None if row.usedGpuMemory is None else int(row.usedGpuMemory), graphics)
            for row in rows
        ]

    def _call(self, function: str, *arguments: object, **named: object) -> Any:
        module = self._module
        try:
            return getattr(module, function)(*arguments, **named)
        except module.NVMLError as error:
            raise NvmlFault(int(getattr(error, "value", UNKNOWN)), str(error)) from error


def _require_library() -> None:
    """Raises: NvmlFault(LIBRARY_NOT_FOUND) where there is no NVML, without the cost of importing nvidia-ml-py."""
    if sys.platform == "win32":
        return  # nvidia-ml-py knows the two places of nvml.dll
    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError as error:
        raise NvmlFault(LIBRARY_NOT_FOUND, str(error)) from error


def _text(value: Any) -> str:
    """nvidia-ml-py gave bytes before version 11.515."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def asked(question: Callable[..., T], *arguments: object) -> T | Unknown:
    """The answer, or why there is none."""
    try:
        return question(*arguments)
    except NvmlFault as fault:
        return fault.reason()
