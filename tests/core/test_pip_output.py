"""What pip and uv print. The texts are recorded from pip 23.2 and 26.3 and uv 0.9, hosts and paths neutralised."""

from __future__ import annotations

import pytest

from core.engine.pip_output import ByteCounter, available_versions, failure, is_conflict, note_of
from core.errors import AppError

PAGE = "Could not fetch URL http://index.test:81/simple/torch/: "
PIP_23_REFUSED = (
    "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken "
    "by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f5f>: Failed to establish a "
    "new connection: [Errno 111] Connection refused')': /simple/torch/"
)
PIP_23_PAGE = (
    f"{PAGE}connection error: HTTPConnectionPool(host='index.test', port=81): Max retries exceeded with url: "
    "/simple/torch/ (Caused by NewConnectionError('<pip._vendor.urllib3.connection.HTTPConnection object at 0x7f5f>: "
    "Failed to establish a new connection: [Errno 111] Connection refused')) - skipping"
)
PIP_26_PAGE = f"{PAGE}connection error: [Errno 111] Connection refused - skipping"
PIP_26_SILENT = f"{PAGE}index.test didn't respond within 30.0 seconds - skipping"
PIP_500 = (
    "Could not fetch URL https://index.test/simple/torch/: HTTPConnectionPool(host='index.test', port=443): Max "
    "retries exceeded with url: /simple/torch/ (Caused by ResponseError('too many 500 error responses')) - skipping"
)
NONE = (
    "ERROR: Could not find a version that satisfies the requirement torch==2.13.0+cpu (from versions: none)",
    "ERROR: No matching distribution found for torch==2.13.0+cpu",
)
OTHERS = (
    "ERROR: Could not find a version that satisfies the requirement torch==9 (from versions: 2.14.0, 2.14.1, 2.15.0)",
    "ERROR: No matching distribution found for torch==9",
)
UV_DNS = (
    "error: Failed to fetch: `https://index.test/simple/vllm/`",
    "  Caused by: error sending request for url (https://index.test/simple/vllm/)",
    "  Caused by: client error (Connect)",
    "  Caused by: dns error",
    "  Caused by: failed to lookup address information: Name or service not known",
)
UV_MISSING = (
    "  × No solution found when resolving dependencies:",
    "  ╰─▶ Because vllm was not found in the package registry and you require vllm==0.33.0, we can conclude that your",
    "      requirements are unsatisfiable.",
)
FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"


def seen(*lines: str) -> AppError:
    return failure(lines, "vllm", path="/engines", needed_bytes=10, free_bytes=3, timeout_s=30.0)


REFUSED = {"host": "index.test:81", "reason": "Connection refused"}
UNRESOLVED = {"host": "index.test", "reason": "failed to lookup address information: Name or service not known"}
NO_VERSION = "no version is known"
OTHER_VERSIONS = "known versions: 2.14.0, 2.14.1, 2.15.0"
INVALID = "ERROR: wheel is invalid"


@pytest.mark.parametrize(
    ("lines", "code", "facts"),
    [
        pytest.param((PIP_23_REFUSED, PIP_23_PAGE, *NONE), "install.no_network", REFUSED, id="refused-pip23"),
        pytest.param((PIP_26_PAGE, *NONE), "install.no_network", REFUSED, id="refused-pip26"),
        pytest.param(UV_DNS, "install.no_network", UNRESOLVED, id="dns-uv"),
        pytest.param(
            (PIP_26_SILENT, *NONE), "install.registry_timeout", {"host": "index.test:81", "seconds": 30}, id="silent"
        ),
        pytest.param(
            (PIP_500, *NONE),
            "install.registry_error",
            {"host": "index.test", "reason": "too many 500 error responses"},
            id="500",
        ),
        pytest.param(NONE, "install.not_found", {"package": "torch==2.13.0+cpu", "reason": NO_VERSION}, id="none"),
        # One index was down, another answered: then it is known what there is.
        pytest.param(
            (PIP_26_PAGE, *OTHERS), "install.not_found", {"package": "torch==9", "reason": OTHER_VERSIONS}, id="others"
        ),
        pytest.param(UV_MISSING, "install.not_found", {"package": "vllm", "reason": NO_VERSION}, id="missing-uv"),
        pytest.param(
            (FULL,), "install.disk_full", {"path": "/engines", "needed_bytes": 10, "free_bytes": 3}, id="full"
        ),
        pytest.param(("fine", INVALID, "tail"), "install.failed", {"step": "vllm", "reason": INVALID}, id="invalid"),
        pytest.param((), "install.failed", {"step": "vllm", "reason": "no output"}, id="mute"),
    ],
)
def test_a_failure_is_told_from_the_output(lines: tuple[str, ...], code: str, facts: dict[str, object]) -> None:
    error = seen(*lines)
    assert (error.code, error.facts) == (code, facts)
    assert lines == () or lines[-1] in error.detail


def test_bytes_add_up_over_files() -> None:
    counter = ByteCounter()
    for line in (
        "Progress 0 of 100",
        "Progress 60 of 100",
        "Progress 100 of 100",
        "Progress 10 of 30",
        "Progress 30 of 30",
    ):
        assert counter.feed(line)
    assert counter.done_bytes == 130
    assert counter.feed("Progress 20 of 30"), "another file of the same size"
    assert counter.done_bytes == 150
    assert not counter.feed("Collecting torch")
    assert not counter.feed("Progress is slow")


def test_notes_are_short_and_only_of_work() -> None:
    assert note_of("Collecting torch==2.13.0+cpu") == "Collecting torch==2.13.0+cpu"
    assert note_of("  Downloading torch-2.13.0.whl (191 MB)") == "Downloading torch-2.13.0.whl (191 MB)"
    assert note_of("Installing collected packages: " + "x" * 200) == "Installing collected packages: " + "x" * 49
    assert note_of("WARNING: something") == ""


def test_versions_of_an_index_page() -> None:
    lines = ("torch (2.15.0)", "Available versions: 2.15.0, 2.13.0+cpu, 2.13.0", "  LATEST: 9")
    assert available_versions(lines) == {"2.15.0", "2.13.0+cpu", "2.13.0"}
    assert available_versions(("ERROR: No matching distribution found for torch",)) == frozenset()


def test_a_conflict_is_told_from_a_missing_package() -> None:
    assert is_conflict(("ERROR: ResolutionImpossible: for help visit the page",))
    assert not is_conflict(NONE)
