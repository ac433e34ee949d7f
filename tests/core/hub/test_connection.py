"""Where the Hub is, what goes there, and what never leaves."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.api import HubApi
from core.hub.connection import (
    DEFAULT_ENDPOINT,
    Connection,
    clean_endpoint,
    clean_token,
    open_client,
    read_connection,
    token_path,
)
from core.hub.model import RepoRef
from core.hub.places import cache_folder
from core.log_file import log_to_file
from core.paths import Paths
from core.settings import Settings
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.support.hub import CA_BUNDLE, running_hub
from tests.support.hub_models import add_published

SMALL = "Qwen__Qwen3-0.6B"
TOKEN = "hf_abcdefghijklmnopqrstuvwx"


def test_without_anything_it_is_the_hub_itself() -> None:
    connection = read_connection(Settings(), {"HOME": "/nowhere", "HF_HOME": "/nowhere/hf"})
    assert connection == Connection(DEFAULT_ENDPOINT)
    assert connection.headers == {}


def test_a_setting_beats_the_environment_and_the_environment_the_default() -> None:
    environ = {"HF_ENDPOINT": "https://hf-mirror.com/", "HF_TOKEN": f"  {TOKEN}\n", "HF_HUB_OFFLINE": "1"}
    from_env = read_connection(Settings(), environ)
    assert (from_env.endpoint, from_env.token, from_env.offline) == ("https://hf-mirror.com", TOKEN, True)
    set_by_hand = Settings(hub_endpoint="mirror.example/hf/", hub_proxy="proxy:8080", hub_ca_bundle="/ca.pem")
    chosen = read_connection(set_by_hand, environ)
    assert (chosen.endpoint, chosen.proxy, chosen.ca_bundle) == ("https://mirror.example/hf", "proxy:8080", "/ca.pem")


@pytest.mark.parametrize("value", ["0", "", "no", "false"])
def test_offline_is_only_what_hugging_face_calls_true(value: str) -> None:
    assert not read_connection(Settings(), {"HF_HUB_OFFLINE": value, "HF_HOME": "/nowhere"}).offline


@pytest.mark.parametrize("text", ["not a url", "ftp://x", "https://", "http://[::1", "https://host:99999"])
def test_an_endpoint_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AppError) as refused:
        clean_endpoint(text)
    assert refused.value.code == "hub.bad_endpoint"


@pytest.mark.parametrize(
    "pasted",
    [
        TOKEN,
        f"{TOKEN}\n",
        f"\r\n  {TOKEN}\t",
        f'"{TOKEN}"',
        f"`{TOKEN}`",
        f"Bearer {TOKEN}",
        f"Authorization: Bearer {TOKEN}",
        f"export HF_TOKEN={TOKEN}",
        f"HF_TOKEN='{TOKEN}'",
        f"{TOKEN[:10]}\n{TOKEN[10:]}",
        f"\ufeff{TOKEN}\u200b",
    ],
)
def test_a_pasted_token_loses_what_came_along_with_it(pasted: str) -> None:
    assert clean_token(pasted) == TOKEN


def test_the_cache_is_where_every_other_tool_looks(tmp_path: Path) -> None:
    home = {"HF_HOME": str(tmp_path / "hf")}
    assert cache_folder(Settings(), home) == tmp_path / "hf/hub"
    assert cache_folder(Settings(), home | {"HF_HUB_CACHE": "/big/hub"}) == Path("/big/hub")
    assert cache_folder(Settings(), {"XDG_CACHE_HOME": "/x"}) == Path("/x/huggingface/hub")
    assert cache_folder(Settings(hub_cache="/mine"), home | {"HF_HUB_CACHE": "/big/hub"}) == Path("/mine")
    assert token_path(home) == tmp_path / "hf/token"
    assert token_path({"HF_TOKEN_PATH": "/t"}) == Path("/t")


def test_the_folders_are_those_of_huggingface_hub(hf_home: Path) -> None:
    import subprocess
    import sys

    asked = "from huggingface_hub import constants as c; print(c.HF_HUB_CACHE, c.HF_TOKEN_PATH)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.split() == [str(cache_folder(Settings())), str(token_path())]


def test_the_token_is_never_shown() -> None:
    connection = Connection(token=TOKEN, proxy="http://me:secret@proxy:8080")
    assert TOKEN not in repr(connection)
    assert "secret" not in repr(connection)
    with pytest.raises(AppError) as refused:
        open_client(Connection(proxy="gopher://me:secret@proxy:8080"))
    assert refused.value.code == "hub.bad_proxy"
    assert "secret" not in f"{refused.value.facts}"


def test_the_token_goes_to_the_endpoint_and_to_no_other_origin(fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL, gated="manual", token="hf_valid")

    async def read_header() -> None:
        api = HubApi(Connection(fake_hub.url, "hf_valid"))
        try:
            info = await api.info(RepoRef("Qwen/Qwen3-0.6B"))
            assert await api.header(RepoRef("Qwen/Qwen3-0.6B", info["sha"]), "model.safetensors")
        finally:
            await api.close()

    asyncio.run(read_header())
    seen = fake_hub.log.all()
    assert {request.origin for request in seen} == {"hub", "cdn"}
    for request in seen:
        assert request.authorization == ("Bearer hf_valid" if request.origin == "hub" else "")


def test_signed_addresses_and_tokens_do_not_reach_the_log(home: Paths, fake_hub: FakeHub) -> None:
    add_published(fake_hub, SMALL)
    home.ensure()
    root, before = logging.getLogger(), logging.getLogger().level
    known = list(root.handlers)
    log_to_file(home)

    async def read_header() -> None:
        api = HubApi(Connection(fake_hub.url, TOKEN))
        try:
            await api.header(RepoRef("Qwen/Qwen3-0.6B"), "model.safetensors")
            logging.getLogger("core").info("a header %s", api.connection.headers)
        finally:
            await api.close()

    try:
        asyncio.run(read_header())
    finally:
        root.setLevel(before)
        for handler in [handler for handler in root.handlers if handler not in known]:
            root.removeHandler(handler)
            handler.close()
    written = (home.logs / "app.log").read_text()
    assert "a header" in written
    assert "Signature" not in written
    assert TOKEN not in written
    assert any(request.origin == "cdn" for request in fake_hub.log.all())


def test_an_own_certificate_is_trusted_when_it_is_chosen_and_never_else(hf_home: Path) -> None:
    with running_hub(tls=True) as hub:
        add_published(hub, SMALL)

        async def ask(ca_bundle: str) -> str:
            api = HubApi(Connection(hub.url, ca_bundle=ca_bundle))
            try:
                return str((await api.info(RepoRef("Qwen/Qwen3-0.6B")))["id"])
            finally:
                await api.close()

        with pytest.raises(AppError) as refused:
            asyncio.run(ask(""))
        assert refused.value.code == "hub.tls"
        assert refused.value.facts["reason"]
        assert asyncio.run(ask(str(CA_BUNDLE))) == "Qwen/Qwen3-0.6B"


def test_certificates_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for content in (None, "no certificate"):
        path = tmp_path / "ca.pem"
        if content is not None:
            path.write_text(content)
        with pytest.raises(AppError) as refused:
            open_client(Connection(ca_bundle=str(path)))
        assert refused.value.code == "hub.bad_ca_bundle"
        assert refused.value.facts["path"] == str(path)


def test_a_proxy_of_the_settings_is_used_and_its_refusal_told(fake_hub: FakeHub) -> None:
    """The loopback Hub stands in for a proxy: it sees the whole address, and may refuse."""
    fake_hub.faults.set("*", Fault(status=407))

    async def ask(proxy: str) -> None:
        api = HubApi(Connection("http://hub.invalid", proxy=proxy))
        try:
            await api.info(RepoRef("a/b"))
        finally:
            await api.close()

    with pytest.raises(AppError):
        asyncio.run(ask(fake_hub.url.removeprefix("http://")))
    assert fake_hub.log.all()[0].headers["host"] == "hub.invalid"


def test_no_listener_no_name_and_no_answer_are_told_apart(fake_hub: FakeHub) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        unused = f"http://127.0.0.1:{closed.getsockname()[1]}"
    fake_hub.faults.set("*", Fault(stall_after=0, stall_s=30))

    async def ask(endpoint: str) -> None:
        api = HubApi(Connection(endpoint), total_s=0.5)
        try:
            await api.info(RepoRef("a/b"))
        finally:
            await api.close()

    for endpoint, code in (
        (unused, "hub.unreachable"),
        ("http://no-such-host.invalid", "hub.dns"),
        (fake_hub.url, "hub.timeout"),
    ):
        with pytest.raises(AppError) as failed:
            asyncio.run(ask(endpoint))
        assert failed.value.code == code, endpoint
