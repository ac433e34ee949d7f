"""Who the Hub takes us for, in the files that every Hugging Face tool reads."""

from __future__ import annotations

import asyncio
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from core.errors import AppError
from core.hub.connection import read_connection
from core.hub.events import AccountChanged
from core.hub.model import Account
from core.paths import Paths
from core.settings import Settings
from tests.fakes.fake_hub import FakeHub
from tests.fakes.hub_faults import Fault
from tests.support.hub_verbs import User, hub_user


def with_user(paths: Paths, act: Callable[[User], Awaitable[None]]) -> None:
    async def run() -> None:
        async with hub_user(paths) as user:
            await act(user)

    asyncio.run(run())


def test_without_a_token_nobody_is_asked(home: Paths, fake_hub: FakeHub) -> None:
    async def look(user: User) -> None:
        assert AccountChanged(Account("")) in user.events
        assert await user.hub.account() == Account("")

    with_user(home, look)
    assert fake_hub.log.all() == []


def test_a_pasted_token_is_checked_and_kept_for_every_tool(home: Paths, fake_hub: FakeHub, hf_home: Path) -> None:
    async def sign_in(user: User) -> None:
        assert await user.hub.sign_in(' "hf_valid"\r\n') == Account("file", "tester")
        assert user.events[-1] == AccountChanged(Account("file", "tester"))
        assert user.hub.connection.token == "hf_valid"
        assert await user.hub.account() == Account("file", "tester")

    with_user(home, sign_in)
    assert (hf_home / "token").read_text() == "hf_valid"
    for name in ("token", "stored_tokens"):
        assert stat.S_IMODE((hf_home / name).stat().st_mode) == 0o600
    asked = "from huggingface_hub.utils import get_stored_tokens, get_token; print(get_token(), get_stored_tokens())"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.strip() == "hf_valid {'a token': 'hf_valid'}"


def test_signing_in_keeps_the_tokens_of_others_and_signing_out_takes_only_ours(
    home: Paths, fake_hub: FakeHub, hf_home: Path
) -> None:
    hf_home.mkdir()
    (hf_home / "stored_tokens").write_text("[work]\nhf_token = hf_%work\nrefresh_token = r\n\n")

    async def in_and_out(user: User) -> None:
        await user.hub.sign_in("hf_valid")
        assert "hf_%work" in (hf_home / "stored_tokens").read_text()
        assert await user.hub.sign_out() == Account("")
        assert user.hub.connection.token == ""

    with_user(home, in_and_out)
    assert not (hf_home / "token").exists()
    left = (hf_home / "stored_tokens").read_text()
    assert "hf_%work" in left
    assert "refresh_token = r" in left
    assert "hf_valid" not in left


@pytest.mark.parametrize(
    ("pasted", "code"),
    [
        ("", "hub.no_token"),
        ("  \n", "hub.no_token"),
        ("this is no token", "hub.no_token"),
        ("hf_токен", "hub.no_token"),
        ("hf_wrong", "hub.bad_token"),
    ],
)
def test_what_is_no_good_token_is_refused_and_not_kept(
    home: Paths, fake_hub: FakeHub, hf_home: Path, pasted: str, code: str
) -> None:
    async def sign_in(user: User) -> None:
        with pytest.raises(AppError) as refused:
            await user.hub.sign_in(pasted)
        assert refused.value.code == code
        assert pasted.strip() == "" or pasted not in f"{refused.value} {refused.value.facts}"

    with_user(home, sign_in)
    assert not (hf_home / "token").exists()


def test_when_the_hub_cannot_be_asked_nothing_is_kept(home: Paths, fake_hub: FakeHub, hf_home: Path) -> None:
    fake_hub.faults.set("/api/whoami-v2", Fault(status=500))

    async def sign_in(user: User) -> None:
        with pytest.raises(AppError) as failed:
            await user.hub.sign_in("hf_valid")
        assert failed.value.code == "hub.server_error"

    with_user(home, sign_in)
    assert not hf_home.exists()


def test_a_token_of_the_environment_wins_and_says_so(
    home: Paths, fake_hub: FakeHub, hf_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_valid\n")

    async def look(user: User) -> None:
        assert AccountChanged(Account("env")) in user.events
        assert await user.hub.account() == Account("env", "tester")
        for verb in (user.hub.sign_in("hf_valid"), user.hub.sign_out()):
            with pytest.raises(AppError) as refused:
                await verb
            assert refused.value.code == "hub.token_from_env"

    with_user(home, look)


def test_a_revoked_token_is_told_in_the_account(home: Paths, fake_hub: FakeHub, hf_home: Path) -> None:
    hf_home.mkdir()
    (hf_home / "token").write_text("hf_revoked\n")

    async def look(user: User) -> None:
        found = await user.hub.account()
        assert (found.source, found.user) == ("file", "")
        assert found.problem is not None
        assert found.problem.code == "hub.bad_token"

    with_user(home, look)


def test_a_folder_that_cannot_be_written_is_told(home: Paths, fake_hub: FakeHub, hf_home: Path) -> None:
    hf_home.write_text("a file where the folder should be")

    async def sign_in(user: User) -> None:
        with pytest.raises(AppError) as failed:
            await user.hub.sign_in("hf_valid")
        assert failed.value.code == "hub.token_not_saved"
        assert failed.value.facts["path"] == str(hf_home / "token")

    with_user(home, sign_in)


def test_a_token_saved_by_hf_auth_login_is_found(hf_home: Path) -> None:
    asked = "from huggingface_hub import _login as it; it._save_token('hf_abc', 'n'); it._set_active_token('n', False)"
    subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, timeout=60)
    assert read_connection(Settings()).token == "hf_abc"
