"""What may be set about the Hub, and what is refused when it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.wishes import check_wishes
from tests.support.hub import CA_BUNDLE


def refused(**values: object) -> str:
    with pytest.raises(AppError) as error:
        check_wishes(values)
    return error.value.code


def test_what_can_be_used_passes(tmp_path: Path) -> None:
    check_wishes({})
    check_wishes({"hub_endpoint": "hf-mirror.com", "hub_cache": str(tmp_path / "not" / "there"), "language": "ru"})
    check_wishes({"hub_proxy": "user:secret@proxy.example:3128", "hub_ca_bundle": str(CA_BUNDLE), "hub_offline": True})
    check_wishes({"hub_endpoint": "", "hub_proxy": " ", "hub_ca_bundle": "", "hub_cache": " "})


@pytest.mark.parametrize("proxy", ["socks5://localhost:1080", "foo bar", "gopher://proxy", "http://"])
def test_a_proxy_that_is_none(proxy: str) -> None:
    assert refused(hub_proxy=proxy) == "hub.bad_proxy"


def test_addresses_certificates_and_folders_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text", encoding="utf-8")
    assert refused(hub_endpoint="ftp://example.org") == "hub.bad_endpoint"
    assert refused(hub_ca_bundle=str(tmp_path / "file")) == "hub.bad_ca_bundle"
    for folder in ("relative/folder", str(tmp_path / "file"), str(tmp_path / "file" / "below")):
        assert refused(hub_cache=folder) == "download.not_writable"
