"""Downloads through a proxy, with and without TLS, named in the settings or by the environment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.model import DownloadInfo, DownloadState
from core.paths import Paths
from tests.fakes.fake_hub import FakeHub, made_up_model
from tests.fakes.fake_proxy import FakeProxy
from tests.support.downloads import downloading
from tests.support.hub import CA_BUNDLE, running_hub, sent_bytes

MIB = 1 << 20


def fetch(hub: FakeHub, home: Paths, cache: Path, **connection: str) -> DownloadInfo:
    async def run() -> DownloadInfo:
        async with downloading(hub, home, cache, connection=connection) as rig:
            return await rig.get("org/a")

    return asyncio.run(run())


@pytest.mark.usefixtures("hf_home")
@pytest.mark.parametrize("tls", [False, True])
def test_everything_goes_through_the_proxy(home: Paths, tmp_path: Path, tls: bool) -> None:
    """With the password that it asks for; the token goes to the Hub alone."""
    with running_hub(tls=tls) as hub, FakeProxy("me:secret word") as proxy:
        hub.add("org/a", made_up_model(2 * MIB), private=True, token="hf_valid")
        address = f"http://me:secret%20word@{proxy.address}"
        info = fetch(hub, home, tmp_path, proxy=address, ca_bundle=str(CA_BUNDLE) if tls else "", token="hf_valid")
        assert (info.state, info.error) == (DownloadState.DONE, None)
        places = {entry.split()[1] for entry in proxy.passed}
        assert places == {hub.url.partition("//")[2], hub.cdn_url.partition("//")[2]}
        assert sent_bytes(hub, "model.safetensors") == 2 * MIB
        assert {request.authorization for request in hub.log.all() if request.origin == "cdn"} == {""}
        assert not any("proxy-authorization" in request.headers for request in hub.log.all())


@pytest.mark.usefixtures("hf_home")
def test_the_environment_names_the_proxy(home: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running_hub() as hub, FakeProxy() as proxy:
        monkeypatch.setenv("http_proxy", f"http://{proxy.address}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        hub.add("org/a", made_up_model(MIB))
        assert fetch(hub, home, tmp_path).state is DownloadState.DONE
        assert f"GET {hub.cdn_url.partition('//')[2]}" in proxy.passed


@pytest.mark.usefixtures("hf_home")
def test_a_proxy_that_wants_a_password_is_said_at_once(home: Paths, tmp_path: Path) -> None:
    """The API asks first, and hears it first."""
    with running_hub(tls=True) as hub, FakeProxy("me:secret") as proxy:
        hub.add("org/a", made_up_model(MIB))
        with pytest.raises(AppError) as caught:
            fetch(hub, home, tmp_path, proxy=f"http://{proxy.address}", ca_bundle=str(CA_BUNDLE))
        assert caught.value.code == "hub.proxy"
