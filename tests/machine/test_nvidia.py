"""NVIDIA's kinds of trouble, through real nvidia-ml-py and a library that answers like the drivers in the reports
do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.machine.conftest import StartDriver
from tests.support.fake_nvml import GIB, gpu, memory
from tests.support.recorded import Recorded

UUID = "GPU-00000000-1111-2222-3333-444444444444"
SENTINEL = str((1 << 64) - 1)


def codes(report: Any) -> list[str]:
    return [note["code"] for note in report["notes"]]


def parts(of: Any) -> dict[str, int]:
    return {part["name"] or part["part"]: part["bytes"] for part in of["parts"]}


def test_a_healthy_card_is_read_whole(start_driver: StartDriver) -> None:
    report = start_driver(gpu(), count="1").read()
    [card] = report["gpus"]
    assert (card["id"], card["name"], card["index"], card["cuda_index"]) == (UUID, "NVIDIA GeForce RTX 4090", 0, 0)
    assert (card["total_bytes"], card["used_bytes"], card["free_bytes"]) == (24 * GIB, 2 * GIB, 21.5 * GIB)
    assert card["driver_reserved_bytes"] == GIB // 2
    assert (card["utilisation_percent"], card["power_w"], card["power_limit_w"], card["temperature_c"]) == (
        7,
        45.2,
        450,
        41,
    )
    assert card["pcie"]["gen_now"] == 1
    assert (card["pcie"]["gen_max"], card["pcie"]["width_max"], card["pcie"]["theoretical_gb_s"]) == (4, 16, 31.504)
    assert card["host_to_device_gb_s"] == 25.0
    assert (card["compute_capability"], card["pci_bus_id"]) == ("8.9", "0000:01:00.0")
    assert report["driver"] == {"version": "580.65.06", "cuda_version": "13.0", "problem": None}
    assert codes(report) == []
    assert parts(card) == {"driver": GIB // 2, "other": 2 * GIB, "free": 21.5 * GIB}


def test_no_library_is_a_calm_state(computer: Recorded, start_driver: StartDriver) -> None:
    driver = start_driver(environment={"LD_LIBRARY_PATH": ""})
    report = driver.read()
    assert (report["gpus"], report["notes"], report["driver"]["problem"]) == ([], [], None)


def test_a_card_without_a_driver_is_named_and_explained(computer: Recorded, start_driver: StartDriver) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de")
    computer.put(
        "/usr/share/misc/pci.ids", "# list\n10de  NVIDIA Corporation\n\t2684  AD102 [GeForce RTX 4090]\n8086  Intel\n"
    )
    report = start_driver(environment={"LD_LIBRARY_PATH": ""}).read()
    [card] = report["gpus"]
    assert card["name"] == "NVIDIA GeForce RTX 4090"
    assert card["total_bytes"] is None
    assert card["unknown"]["total_bytes"].startswith("not_present")
    assert codes(report) == ["machine.driver_missing"]


def test_a_missing_driver_is_asked_for_seldom(computer: Recorded, start_driver: StartDriver) -> None:
    computer.pci_gpu("0000:01:00.0", "0x10de")
    driver = start_driver(gpu(), count="1", init="!9")
    assert codes(driver.read()) == ["machine.driver_missing"]
    driver.calls()
    driver.says(gpu(), count="1")
    driver.tell("skip 60")
    driver.read()
    assert driver.calls() == []
    driver.tell("skip 600")
    assert driver.read()["gpus"][0]["total_bytes"] == 24 * GIB


def test_a_driver_updated_under_way_asks_for_a_restart(start_driver: StartDriver) -> None:
    report = start_driver(gpu(), count="1", init="!18").read()
    assert report["driver"]["problem"]["code"] == "machine.driver_mismatch"
    assert report["driver"]["problem"]["title"] == "Restart the computer to use the GPU"
    assert report["gpus"] == []


def test_nvml_lost_later_keeps_the_card_and_comes_back(start_driver: StartDriver) -> None:
    """A container after the host's `systemctl daemon-reload`: every question fails with Unknown Error, then so does
    init."""
    driver = start_driver(gpu(), count="1")
    assert driver.read()["gpus"][0]["used_bytes"] == 2 * GIB
    dead = {key: "!999" for key in gpu()}
    driver.says(dead, count="1", init="!999")
    report = driver.read()
    [card] = report["gpus"]
    assert (card["id"], card["name"]) == (UUID, "NVIDIA GeForce RTX 4090")
    assert card["used_bytes"] is None
    assert card["unknown"]["used_bytes"].startswith("lost")
    assert codes(report) == ["machine.nvml_lost"]
    assert report["ram"]["available_bytes"] == 48 * GIB
    assert "nvmlShutdown" in driver.calls()
    driver.read()
    assert driver.calls() == [], "polls slowly while it is lost"
    driver.tell("skip 31")
    assert codes(driver.read()) == ["machine.nvml_lost"]
    driver.says(gpu(), count="1")
    driver.tell("skip 31")
    report = driver.read()
    assert report["gpus"][0]["used_bytes"] == 2 * GIB
    assert codes(report) == []


def test_one_card_lost_leaves_the_other(start_driver: StartDriver) -> None:
    driver = start_driver(gpu(0), gpu(1), count="2")
    driver.read()
    driver.says(gpu(0), {key: "!15" for key in gpu(1)}, count="2")
    first, second = driver.read()["gpus"]
    assert first["used_bytes"] == 2 * GIB
    assert second["unknown"]["used_bytes"].startswith("lost")


def test_a_card_without_a_handle_does_not_hide_the_other(start_driver: StartDriver) -> None:
    report = start_driver(gpu(0, handle="!15"), gpu(1), count="2").read()
    assert [card["id"][:12] for card in report["gpus"]] == ["GPU-00000001"]


FIELDS = {
    "utilisation": "utilisation_percent",
    "power": "power_w",
    "power_limit": "power_limit_w",
    "temperature": "temperature_c",
    "capability": "compute_capability",
    "compute": "processes",
    "memory": "total_bytes",
}


@pytest.mark.parametrize(("code", "reason"), [("!3", "not_supported"), ("!4", "no_permission"), ("!999", "failed")])
@pytest.mark.parametrize("field", FIELDS)
def test_one_refused_field_blanks_no_other(start_driver: StartDriver, field: str, code: str, reason: str) -> None:
    [card] = start_driver(gpu(**{field: code}), count="1").read()["gpus"]
    for name, key in FIELDS.items():
        assert (card[key] is None) == (name == field), key
    if field != "compute":
        assert card["unknown"][FIELDS[field]].startswith(reason)


def test_what_is_not_supported_is_asked_once(start_driver: StartDriver) -> None:
    driver = start_driver(gpu(utilisation="!3", power="!4"), count="1")
    driver.read()
    driver.calls()
    driver.read()
    calls = driver.calls()
    assert "nvmlDeviceGetUtilizationRates" not in calls
    assert "nvmlDeviceGetPowerUsage" in calls, "a permission may be given later"


@pytest.mark.parametrize("sentinel", [SENTINEL, str(17179869184 * GIB - 1), str(25 * GIB)])
def test_a_sentinel_is_unknown_and_worked_out_where_possible(start_driver: StartDriver, sentinel: str) -> None:
    """WSL issue 11050 shows "17179869184.00 GiB in use"."""
    [card] = start_driver(gpu(memory=f"{24 * GIB},{sentinel},{20 * GIB},0"), count="1").read()["gpus"]
    assert (card["total_bytes"], card["used_bytes"], card["free_bytes"]) == (24 * GIB, 4 * GIB, 20 * GIB)
    [card] = start_driver(gpu(memory=f"{24 * GIB},{sentinel},{sentinel},0"), count="1").read()["gpus"]
    assert (card["total_bytes"], card["used_bytes"], card["free_bytes"]) == (24 * GIB, None, None)
    assert card["unknown"]["used_bytes"].startswith("impossible")
    assert card["parts"] == []


def test_a_total_of_zero_or_2_64_is_unknown(start_driver: StartDriver) -> None:
    for total in ("0", SENTINEL):
        [card] = start_driver(gpu(memory=f"{total},0,0,0"), count="1").read()["gpus"]
        assert card["total_bytes"] is None
        assert card["unknown"]["total_bytes"].startswith("impossible")


def test_an_old_driver_with_memory_version_1(start_driver: StartDriver) -> None:
    old = gpu(memory=None) | {"gpu0.memory_v1": f"{24 * GIB},{3 * GIB},{21 * GIB}"}
    [card] = start_driver(old, count="1").read()["gpus"]
    assert (card["total_bytes"], card["used_bytes"], card["free_bytes"]) == (24 * GIB, 3 * GIB, 21 * GIB)
    assert card["driver_reserved_bytes"] is None


def test_memory_in_use_without_any_process_is_other_not_zero(start_driver: StartDriver) -> None:
    [card] = start_driver(gpu(memory=memory(24, 8)), count="1").read()["gpus"]
    assert parts(card) == {"other": 8 * GIB, "free": 16 * GIB}


def test_others_are_named_ours_are_told_apart_and_the_rest_is_other(
    computer: Recorded, start_driver: StartDriver
) -> None:
    computer.process(1200, "Isolated Web Co", 900, program="/usr/lib/firefox/firefox")
    computer.process(800, "Xorg", 100, program="/usr/lib/xorg/Xorg")
    computer.process(5000, "python", 300, session=5000)
    computer.process(5010, "VLLM::EngineCor", 2000, program="/usr/bin/python3.12", parent=5000, session=5000)
    listed = gpu(
        memory=memory(24, 20, reserved=0.5),
        compute=f"5010:{18 * GIB}",
        graphics=f"1200:{int(0.7 * GIB)},800:{int(0.4 * GIB)},5010:{18 * GIB}",
    )
    driver = start_driver(listed, count="1")
    driver.tell("serve 5000")
    report = driver.read()
    [card] = report["gpus"]
    found = parts(card)
    assert found["ours"] == 18 * GIB
    assert (found["firefox"], found["Xorg"]) == (int(0.7 * GIB), int(0.4 * GIB))
    assert found["other"] == 20 * GIB - 18 * GIB - int(0.7 * GIB) - int(0.4 * GIB)
    assert sum(found.values()) == 24 * GIB
    assert parts(report["ram"])["ours"] == 2300 << 20


def test_processes_that_claim_more_than_is_in_use_never_make_a_part_negative(
    computer: Recorded, start_driver: StartDriver
) -> None:
    computer.process(1200, "firefox", 900)
    listed = gpu(memory=memory(24, 2), graphics=f"1200:{9 * GIB},1201:{SENTINEL}")
    [card] = start_driver(listed, count="1").read()["gpus"]
    assert parts(card) == {"firefox": 2 * GIB, "free": 22 * GIB}


def test_a_container_does_not_trust_the_hosts_pids(computer: Recorded, start_driver: StartDriver) -> None:
    """The driver gives pid 1200 of the host; here 1200 is another program."""
    computer.link("/proc/self/ns/pid", "pid:[4026532500]")
    computer.put("/.dockerenv", "")
    computer.process(1200, "innocent", 900)
    report = start_driver(gpu(compute=f"1200:{GIB}"), count="1").read()
    assert (report["platform"]["container"], report["platform"]["host_pids"]) == ("docker", False)
    assert codes(report) == ["machine.pids_untrusted"]
    assert parts(report["gpus"][0]) == {"driver": GIB // 2, "other": 2 * GIB, "free": 21.5 * GIB}


def test_wsl_without_a_process_list_uses_what_the_servers_log_says(
    computer: Recorded, start_driver: StartDriver
) -> None:
    computer.put("/proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")
    driver = start_driver(gpu(memory=memory(24, 12), compute="!3", graphics="!3"), count="1")
    driver.tell(f"serve 5000 {UUID} {10 * GIB}")
    report = driver.read()
    assert report["platform"]["wsl"] == 2
    assert report["gpus"][0]["processes"] is None
    assert parts(report["gpus"][0]) == {"ours": 10 * GIB, "other": 2 * GIB, "free": 12 * GIB}


def test_wsl_warns_before_memory_spills_into_ram(computer: Recorded, start_driver: StartDriver) -> None:
    driver = start_driver(gpu(memory=memory(24, 23.5)), count="1")
    assert codes(driver.read()) == [], "on Linux a full card is an error, not a spill"
    computer.put("/proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")
    report = start_driver(gpu(memory=memory(24, 23.5)), count="1").read()
    assert codes(report) == ["machine.vram_spill"]
    assert report["notes"][0]["facts"] == {"gpu": "NVIDIA GeForce RTX 4090", "percent": 97}
    assert codes(start_driver(gpu(memory=memory(24, 23.0)), count="1").read()) == []


def test_a_capped_container_device_counts_as_it_reports(start_driver: StartDriver) -> None:
    """HAMi issue 235: a V100 of 16 GB shows 2716MiB / 3000MiB."""
    capped = gpu(name="Tesla V100-PCIE-16GB", memory=memory(3000 / 1024, 2716 / 1024))
    [card] = start_driver(capped, count="1").read()["gpus"]
    assert card["total_bytes"] == 3000 << 20
    assert card["budget_free_bytes"] == 284 << 20
